"""What callers give, as facet takes it: one Error that names the argument if it is something else."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .errors import Error


def word(value: Any, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise Error(f"{what}: is {type(value).__name__}\n  help: give a text")
    return value


def number(value: Any, what: str) -> float:
    """A real number, NaN and infinity too."""
    try:
        if np.ndim(value) != 0 or isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{what}: is {type(value).__name__}\n  help: give a number") from None


def whole(value: Any, what: str) -> int:
    """A whole number of 32 bits, not below 0."""
    try:
        found = operator.index(value)
    except TypeError:
        raise Error(f"{what}: is {type(value).__name__}\n  help: give a whole number") from None
    if not 0 <= found < 2**31:
        raise Error(f"{what}: is {found}\n  help: give a whole number from 0 to {2**31 - 1}")
    return found


def unmasked(value: Any, what: str) -> Any:
    """An array, or what becomes one, as it is: of one with a mask NumPy would hand on the numbers below the mask."""
    if np.ma.is_masked(value):
        raise Error(f"{what}: has masked values\n  help: leave them out, or give them values, with array.filled")
    return value


def named(value: Any, what: str) -> dict[str, Any]:
    """Values by names."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise Error(f"{what}: is {type(value).__name__}\n  help: give {{name: value}}")
    return dict(value)


def path(value: Any, what: str) -> Path:
    """The name of a file."""
    try:
        return Path(os.fsdecode(value))
    except TypeError:
        raise Error(f"{what}: is {type(value).__name__}\n  help: give the name of a file") from None
