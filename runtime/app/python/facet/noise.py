"""The noise of counting."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .arguments import unmasked
from .errors import Error


def poisson(means: npt.ArrayLike, seed: int = 1) -> npt.NDArray[np.float64]:
    """Counts with Poisson noise, of the shape of `means`: what ``noise = seed`` in [output] writes of a first image.

    A number depends on the seed and its place alone. NaN, behind the sample, stays NaN.

    >>> poisson([3.0, 1000.0], seed=7).shape
    (2,)
    """
    given: Any = np.asarray(unmasked(means, "means"), np.float64)
    if np.any(given < 0):
        raise Error("means: some are below 0\n  help: give what is counted on average: I of an experiment with a flux")
    if not 0 <= operator.index(seed) < 2**64:
        raise Error(f"seed: is {seed}\n  help: give a whole number, 0 or more")
    return _core.poisson(np.ascontiguousarray(given).ravel(), seed).reshape(given.shape)
