"""Images of detectors: pixels without a value, and files that fabio reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import Error, warn
from .content import Content, Mask
from .packages import needed

LONG = 2**32  # the two numbers below it are -1 and -2 of 32 bits, by which Dectris marks gaps and dead pixels


class LeftOut:
    """The pixels of an image that have no value, with the reason of each kind.

    Attributes:
        mask: True where a pixel is left out, of the image's shape.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.mask: Mask = np.zeros(shape, bool)
        self._said: list[str] = []

    def add(self, wrong: npt.ArrayLike, why: str) -> None:
        """Leaves out more pixels; of one that has a reason already, ``why`` is not said."""
        more = np.broadcast_to(np.asarray(wrong), self.mask.shape) & ~self.mask
        if more.any():
            self._said.append(f"{np.count_nonzero(more)} {why}")
            self.mask |= more

    def say(self, name: str) -> None:
        """Warns of what is left out, with its number."""
        if self._said:
            warn(f"{name}: {np.count_nonzero(self.mask)} of {self.mask.size} pixels have no value and are left out: {', '.join(self._said)}")


def add_markers(left_out: LeftOut, values: npt.NDArray[Any], name: str, bits: int = 0) -> None:
    """Leaves out what no detector counts: the largest number of the type, or of ``bits``, and what stands for -1 and -2 of 32 bits."""
    kind = values.dtype
    most = int(np.iinfo(kind).max) if kind.kind in "iu" else 0
    if most:
        left_out.add(values == most, f"of {most}, the largest {kind.name}")
    if kind.kind == "u" and kind.itemsize > 4:
        left_out.add(values == np.uint64(most - 1), f"of {most - 1}, by which detectors mark dead pixels")
    if most == 0 or most >= LONG - 1:
        near = (np.float32(LONG),) if kind == np.float32 else (LONG - 1, LONG - 2)
        for mark in near:
            left_out.add(values == mark, f"of {int(mark)}, by which detectors of 32 bits mark pixels")
    if bits and 2**bits - 1 < (most or np.inf):
        left_out.add(values == 2**bits - 1, f"of {2**bits - 1}, the largest of the {bits} bits that the file states")
    _doubt(left_out, values, name)


def _doubt(left_out: LeftOut, values: npt.NDArray[Any], name: str) -> None:
    """A warning where the largest value may be a mark of fewer bits than the type has."""
    seen = values[~left_out.mask]
    top = seen.max() if seen.size and not np.isnan(seen).any() else 0
    found = np.count_nonzero(seen == top)
    if top == 65535 or (top == 255 and found > 1):
        warn(f"{name}: {found} pixels are {int(top)}, and none is above: they count as measured\n"
             f"  help: if they have no value, leave them out: Data(data.values, mask=data.left_out | (data.values == {int(top)}))")


def read(file: Path, counts: bool) -> Content:
    """One image in a file that fabio reads."""
    fabio = needed("fabio", f"{file}: an image")
    try:
        opened = fabio.open(str(file))
        values, frames, header = np.asarray(opened.data), int(opened.nframes), dict(opened.header)
    except Exception as failure:  # fabio's readers raise what they like
        raise Error(f"{file}: fabio cannot read it ({failure})\n  help: give EDF, TIFF, NeXus or text") from None
    if values.ndim != 2 or frames != 1:  # without a shape: a reader of fabio's found none that it understands
        found = f"{frames} images" if frames > 1 else f"an array of the shape {values.shape}" if values.ndim else "none"
        raise Error(f"{file}: is to hold one image, and fabio finds {found}\n  help: save one alone, or give arrays: Data(values, errors)")
    if file.suffix.lower() == ".npy" and min(values.shape) < 5:
        raise Error(f"{file}: an array of the shape {values.shape} may be a curve\n"
                    "  help: of columns: Data.curve(*numpy.load(file).T); of an image: Data(numpy.load(file))")
    left_out = LeftOut(values.shape)
    left_out.add(~np.isfinite(values), "NaN or infinite")
    _add_stated(left_out, values, header)
    left_out.add(values < 0, "below 0")
    add_markers(left_out, values, str(file))
    left_out.say(str(file))
    return Content(values, None, left_out.mask, counts, file.name)


def _add_stated(left_out: LeftOut, values: npt.NDArray[Any], header: Mapping[str, Any]) -> None:
    """What the header says of values: the cutoff of Pilatus, the dummy of SAXS images at ESRF."""
    told = {str(key).lower().lstrip("# "): str(value) for key, value in header.items()}
    dummy = _number(told.get("dummy", ""))
    if dummy:
        left_out.add(np.abs(values - dummy) <= (_number(told.get("ddummy", "")) or 1e-6 * abs(dummy)), f"of {dummy:g}, the header's Dummy")
    text = "\n".join([f"{key} {value}" for key, value in told.items()]).lower()
    stated = re.search(r"count_cutoff\W+(\d+)", text)
    if stated:
        left_out.add(values >= int(stated[1]), f"at the Count_cutoff {stated[1]} or above")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
