"""Masks of detectors as an experiment has them: the shape of an image, and runs of its pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import Error


def runs(mask: npt.NDArray[Any], path: str) -> list[list[int]]:
    """[[rows, columns], [first, n], ..] of an array that is True, or not 0, where a pixel is masked; ``path``: its key."""
    if mask.ndim != 2 or mask.dtype.kind not in "biu":
        raise Error(f"{path}: has the shape {mask.shape} and the type {mask.dtype}\n  help: give an array [rows, columns] of "
                    "booleans or whole numbers, not 0 where a pixel is masked")
    edges = np.flatnonzero(np.diff(np.concatenate([[False], np.ravel(mask != 0), [False]]).astype(np.int8)))
    return [list(mask.shape), *np.column_stack([edges[::2], edges[1::2] - edges[::2]]).tolist()]
