"""What facet refuses or could not do, and what it warns of."""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path

from . import _core


def _shown(text: str) -> str:
    """Without what would steer a terminal; bytes of names that are no UTF-8 are text too."""
    return _core.shown(str(text).encode(errors="backslashreplace").decode())


class Error(Exception):
    """Bad input, a failure, a missed contract: the text says what, where, and what to do, as the command line does.

    Attributes:
        exit: what ``facet`` would have ended with: 1 bad input, 2 a failure, 3 a missed contract, 4 stopped.
    """

    def __init__(self, text: str, exit: int = 1) -> None:
        super().__init__(_shown(text))
        self.exit = exit

    def __reduce__(self) -> tuple[type[Error], tuple[str, int]]:
        return type(self), (str(self), self.exit)


def warn(text: str) -> None:
    """A warning, at the line of the user's that calls the package."""
    inside, level = (str(Path(__file__).parent), contextlib.__file__), 1  # `with` of a generator calls from there
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        frame, level = frame.f_back, level + 1
    warnings.warn(_shown(text), stacklevel=level)
