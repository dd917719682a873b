"""Grids of q, nm^-1."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .arguments import unmasked
from .errors import Error

AxisLike = Union[float, complex, str, npt.ArrayLike]


def axis(values: AxisLike, name: str) -> _core.Axis:
    """One component of q: a number, numbers, or a text as the command line takes it, "-1:1:200"."""
    if isinstance(values, str):
        return _core.Axis.parse(values)
    try:
        array = np.atleast_1d(np.asarray(unmasked(values, name)))
        if array.ndim != 1 or array.dtype.kind not in "biufc":
            raise TypeError(f"of shape {array.shape}, {array.dtype}")
    except (TypeError, ValueError) as failure:
        raise Error(f"{name}: no list of numbers\n  help: give a number, an array of one dimension, or "
                    f"\"from:to:n\" ({failure})") from None
    re = np.ascontiguousarray(array.real, dtype=np.float64)
    im = np.ascontiguousarray(array.imag, dtype=np.float64) if array.dtype.kind == "c" else None
    return _core.Axis.of(re, im)


class Grid:
    """Where F is wanted, q in nm^-1.

    Either components ``qx``, ``qy``, ``qz``, of which every combination is meant (numbers, arrays of one dimension,
    "from:to:n"; 0 if left out), or a list ``q`` of shape (n, 3). Real or complex.
    """

    def __init__(self, *, qx: AxisLike = 0.0, qy: AxisLike = 0.0, qz: AxisLike = 0.0, q: npt.ArrayLike | None = None) -> None:
        components = (qx, qy, qz)
        self.points = q is not None
        if q is not None:
            if any(not isinstance(c, float) or c != 0 for c in components):
                raise Error("q: is a list of q, and so are qx, qy, qz\n  help: give one or the other")
            array = np.asarray(unmasked(q, "q"))
            if array.ndim != 2 or array.shape[1] != 3:
                raise Error(f"q: has the shape {array.shape}\n  help: give (n, 3)")
            # Components of a complex array that are real stay real: kernels take them for that.
            x, y, z = (c if np.imag(c).any() else np.real(c) for c in array.T)
            components = (x, y, z)
        axes = [axis(c, f"q{letter}") for c, letter in zip(components, "xyz")]
        self._grid = _core.Grid.of(axes, self.points)
        self.axes: tuple[npt.NDArray[Any], ...] = tuple(
            a.re() + 1j * a.im() if len(a.im()) else a.re() for a in axes)
        extents = self._grid.extents()
        own = [] if self.points else [k for k, given in enumerate(components) if np.ndim(given) or isinstance(given, str)]
        #: of F: an axis of one value has none
        self.shape = (extents[0],) if self.points else tuple(extents[k] for k in own)
        #: the components along F's dimensions, "qy"; of a list none
        self.names = ["q" + "xyz"[k] for k in own]

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_grid"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._grid = _core.Grid.of([axis(values, "q") for values in self.axes], self.points)
