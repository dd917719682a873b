"""What was measured: an image or a curve with errors or counts, and what of it is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arguments import word
from ..errors import Error
from ..results import Quantity
from . import read, widths
from .content import Mask, Numbers


@dataclass(frozen=True)
class Data:
    """An image, shape (rows, columns), several of one shape, (images, rows, columns), or a curve, (n,), as it was measured.

    Its arrays are copies of those given, and read-only.

    Attributes:
        values: what was measured; float64.
        errors: one standard deviation of each value, in its unit, same shape; None where nothing is known of them.
        mask: True where a value is left out, same shape; it may be NaN there. None: nothing is left out but what is masked
            in ``values`` or ``errors``, if they are numpy.ma's.
        counts: whether the values are counts of a detector, neither scaled nor corrected: they have Poisson's statistics.
        axes: of each dimension, by name; of a curve "Q", nm^-1.
        name: for messages and pictures.
        resolution: widths of a curve, nm^-1: {"dq": sigma}, or {"slit_length": l, "slit_width": w}, one for each value, as
            [resolution] of an experiment has them; empty: none. What a CurveModel of the data takes.

    >>> Data([[3, 5], [4, 0]], counts=True).points
    4
    """

    values: Numbers
    errors: Numbers | None = None
    mask: Mask | None = None
    counts: bool = False
    axes: dict[str, Quantity] = field(default_factory=dict)
    name: str = "data"
    resolution: dict[str, Numbers] = field(default_factory=dict)

    def __init__(self, values: npt.ArrayLike, errors: npt.ArrayLike | None = None, mask: npt.ArrayLike | None = None, *,
                 counts: bool = False, axes: dict[str, Quantity] | None = None, name: str = "data",
                 resolution: Mapping[str, npt.ArrayLike] | None = None) -> None:
        word(name, "name")
        if not isinstance(counts, (bool, np.bool_)):
            raise Error(f"{name}: counts: is {type(counts).__name__}\n  help: say True if the values are counts")
        own = _numbers(values, f"{name}: values")
        if own.ndim not in (1, 2, 3) or own.size == 0:
            raise Error(f"{name}: values: have the shape {own.shape}\n  help: give a curve, (n,), an image, (rows, columns), or several")
        left_out = np.zeros(own.shape, bool) if mask is None else _mask(mask, name)
        for given in (values, errors):  # what NumPy has masked is left out too
            if isinstance(given, np.ma.MaskedArray) and given.shape == left_out.shape:
                left_out = left_out | np.ma.getmaskarray(given)
        known = {"name": name, "values": own, "errors": None if errors is None else _numbers(errors, f"{name}: errors"),
                 "mask": left_out, "counts": bool(counts),
                 "axes": {key: _axis(key, axis, name) for key, axis in ({} if axes is None else axes).items()},
                 "resolution": widths.checked(resolution or {}, own.size if own.ndim == 1 else 0, f"{name}: resolution")}
        for key, value in known.items():
            object.__setattr__(self, key, value)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        self._check()

    def _check(self) -> None:
        for what in ("errors", "mask"):
            array = getattr(self, what)
            if array is not None and array.shape != self.values.shape:
                raise Error(f"{self.name}: {what}: have the shape {array.shape}, the values {self.values.shape}\n"
                            "  help: give one for each value")
        left_out = "  help: leave them out: mask is True there"
        self._refuse(~np.isfinite(self.values), "values: {} NaN or infinite", left_out)
        if self.errors is not None:
            self._refuse(~np.isfinite(self.errors), "errors: {} NaN or infinite", left_out)
            self._refuse(self.errors <= 0, "errors: {} not above 0", left_out + ", or give counts=True in the place of errors")
        if self.counts:
            self._refuse(self.values < 0, "counts: {} below 0", left_out)
            self._refuse(self.values != np.floor(self.values), "counts: {} no whole number",
                         "  help: give errors of values that were scaled or corrected, and not counts=True")
        if not self.points:
            raise Error(f"{self.name}: the mask leaves nothing\n  help: mask is True where a value is left out")

    def _refuse(self, wrong: npt.NDArray[np.bool_], what: str, help: str) -> None:
        at = np.argwhere(wrong & ~self.left_out)
        if len(at):
            verb = "1 is" if len(at) == 1 else f"{len(at)} are"
            where = ", ".join(map(str, at[0]))
            raise Error(f"{self.name}: {what.format(verb)}, the first at [{where}]\n{help}")

    @property
    def left_out(self) -> Mask:
        """The mask, shape of the values."""
        assert self.mask is not None
        return self.mask

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    @property
    def points(self) -> int:
        """How many values count."""
        return int(self.values.size - np.count_nonzero(self.left_out))

    @property
    def q(self) -> Numbers:
        """q of a curve, nm^-1, shape (n,)."""
        if "Q" not in self.axes:
            raise Error(f"{self.name}: has no axis Q\n  help: Data.curve(q, values) has one")
        return np.asarray(self.axes["Q"].values, dtype=np.float64)

    @classmethod
    def curve(cls, q: npt.ArrayLike, values: npt.ArrayLike, errors: npt.ArrayLike | None = None,
              mask: npt.ArrayLike | None = None, *, counts: bool = False, name: str = "data",
              resolution: Mapping[str, npt.ArrayLike] | None = None) -> Data:
        """A curve over |q|, nm^-1, all of shape (n,); ``resolution`` as of Data."""
        across = _numbers(q, f"{word(name, 'name')}: q")
        if across.shape != np.shape(values) or not np.isfinite(across).all() or (across < 0).any():
            raise Error(f"{name}: q: has the shape {across.shape}, the values {np.shape(values)}; none may be below 0 or NaN\n"
                        "  help: give one |q|, nm^-1, for each value")
        if isinstance(q, np.ma.MaskedArray):
            values = np.ma.masked_where(np.ma.getmaskarray(q), values)
        return cls(values, errors, mask, counts=counts, axes={"Q": Quantity(across, "1/nm", "q")}, name=name, resolution=resolution)

    @classmethod
    def read(cls, path: str | Path, *, unit: str = "", counts: bool = False, group: str = "", resolution: str = "") -> Data:
        """A file: NeXus of facet, NXcanSAS (.h5, .nxs, ..), canSAS XML, text of columns q I dI (.txt, .dat, .csv, ..), or an
        image that fabio reads (EDF, TIFF, CBF, ..).

        Args:
            unit: of q, "1/nm", "1/angstrom", ..; "": what the file states. Where it states nothing 1/nm is taken, with a
                warning. A text whose heading states another is refused; HDF5 states its own.
            counts: these are counts, with Poisson's statistics; errors that the file has are not taken.
            group: of an HDF5 file with several: "image_2", of its second entry "sasentry02" or "sasentry02/sasdata01";
                "": what it shows by default.
            resolution: what the columns after dI are: "dq", sigma, or "slit_length, slit_width" in their order; "none": nothing
                that counts. "": what names say: dQ (or Qdev, sigma_q), dQl and dQw of a heading, of NXcanSAS and canSAS XML.

        In a text a line is parted by semicolons (1,5 is 1.5 then), by commas, or by spaces. What begins with # or no number
        is a heading or the end. A heading that calls other columns q, I, dI than the first is refused. canSAS XML is read.
        Rows that are NaN are left out. So are pixels that are below 0, the largest number of an integer type, -1 and -2 of
        32 bits (2^32 - 1), or marked in the file (pixel_mask, saturation, Count_cutoff, Dummy). A warning has their number.
        A mask of NXcanSAS is masked; of images in HDF5 those below 0 if they are whole numbers or counts. Columns
        whose names do not say that they are a resolution are left out, with a warning.
        """
        found = read.read(path, unit, counts, group, resolution)
        if found.q is None:
            return cls(found.values, found.errors, found.mask, counts=found.counts, axes=found.axes, name=found.name)
        return cls.curve(found.q, found.values, found.errors, found.mask, counts=found.counts, name=found.name,
                         resolution=found.resolution)

    def __repr__(self) -> str:
        statistics = "counts" if self.counts else "no errors" if self.errors is None else "with errors"
        absent = self.values.size - self.points
        points = f"{self.points} points{f', {absent} left out' if absent else ''}"
        return f"<facet.fit.Data {self.name}: {self.shape}, {points}, {statistics}>"


def _numbers(values: Any, what: str) -> Numbers:
    """As float64, an array of its own; an Error if they are no real numbers."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("they are complex")
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as failure:
        raise Error(f"{what}: no array of real numbers\n  help: {failure}") from None


def _axis(key: str, axis: Quantity, name: str) -> Quantity:
    """With values of its own, as those of the data are."""
    if not isinstance(axis, Quantity):
        raise Error(f"{name}: axis '{key}': is {type(axis).__name__}\n  help: give a facet.Quantity(values, unit)")
    return replace(axis, values=kept(axis.values))


def kept(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A copy that nobody changes."""
    own = np.array(values)
    own.setflags(write=False)
    return own


def _mask(values: Any, name: str) -> Mask:
    array = np.asarray(values)
    if array.dtype.kind not in "biu":
        raise Error(f"{name}: mask: is of {array.dtype}\n  help: give True or 1 where a value is left out")
    return array.astype(bool)
