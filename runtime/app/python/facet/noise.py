"""The noise of counting."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .arguments import unmasked
from .errors import Error


def poisson(means: npt.ArrayLike, seed: int = 1, image: int = 0) -> npt.NDArray[np.float64]:
    """Counts with Poisson noise, of the shape of `means`: what ``noise = seed`` in [output] writes of an image, 0 the first.

    A number depends on the seed, the image and its place alone. NaN, behind the sample, stays NaN.

    >>> poisson([3.0, 1000.0], seed=7).shape
    (2,)
    """
    given: Any = np.asarray(unmasked(means, "means"), np.float64)
    if np.any(given < 0):
        raise Error("means: some are below 0\n  help: give what is counted on average: I of an experiment with a flux")
    for name, value in (("seed", seed), ("image", image)):
        if not 0 <= operator.index(value) < 2**64:
            raise Error(f"{name}: is {value}\n  help: give a whole number, 0 or more")
    return _core.poisson(np.ascontiguousarray(given).ravel(), seed, image).reshape(given.shape)
