"""Curves and images in HDF5: NXdata, NXcanSAS, files of Dectris' detectors."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-untyped]
import numpy as np

from .. import _core, trial
from ..errors import Error, warn
from ..results import Quantity, _quantity, _text
from . import reduced, widths
from .content import Content
from .image import LeftOut, add_markers
from .unit import factor, is_no_q, told


def read(file: Path, unit: str, counts: bool, group: str, asked: list[str] | None) -> Content:
    """The image or curve that a file shows, or that of ``group``."""
    with contextlib.suppress(ImportError):
        importlib.import_module("hdf5plugin")  # brings filters, where it is installed
    try:
        with trial.opened(file) as opened:
            return _signal(_group(opened, group, file), file, unit, counts, asked)
    except (OSError, KeyError, ValueError) as failure:
        text = str(failure)
        if "already open for" in text or "unable to lock" in text:
            raise Error(f"{file}: another program is writing this file, or was stopped while it did\n"
                        "  help: wait for its end; of one that was stopped: h5clear -s FILE") from None
        raise Error(f"{file}: no image or curve that can be read ({failure})\n  help: give NXdata or NXcanSAS") from None


def _has_data(group: Any) -> bool:
    return isinstance(group, h5py.Group) and ("signal" in group.attrs or "I" in group or _old_signal(group) != "" or bool(_frames(group)))


def _old_signal(group: Any) -> str:
    """The dataset that says of itself that it is the signal, as NeXus wrote it before 2014."""
    found = (key for key, item in group.items() if isinstance(item, h5py.Dataset) and str(_text(item.attrs.get("signal", ""))) == "1")
    return next(found, "")


def _frames(group: Any) -> list[str]:
    """Names of the parts of a Dectris file: data_000001, .., in other files; of newer ones "data"."""
    if _text(group.attrs.get("NX_class", "")) != "NXdata":
        return []
    return sorted(key for key in group if key.startswith("data_0")) or [key for key in group if key == "data"]


def _group(opened: Any, name: str, file: Path) -> Any:
    """The group of that name in the first entry, or "ENTRY/GROUP"; without a name the default one, else the first with data."""
    entries = {key: g for key, g in opened.items() if isinstance(g, h5py.Group)}
    entry = opened[_text(opened.attrs["default"])] if "default" in opened.attrs else next(iter(entries.values()), opened)
    within, _, rest = name.partition("/")
    if within in entries:
        entry, name = entries[within], rest
    found = {key: g for key, g in entry.items() if _has_data(g)}
    deeper = _text(entry.attrs.get("default", ""))  # "integrate/results", as pyFAI has it
    if "/" in deeper and _has_data(entry.get(deeper)):
        found[deeper] = entry[deeper]
    if name and name not in found:
        raise Error(f"{file}: has no group '{name}'\n  help: {_core.suggestion(name, [*found, *entries])}")
    if not found:
        raise Error(f"{file}: has no image or curve\n  help: give NXdata or NXcanSAS")
    default = _text(entry.attrs.get("default", ""))
    return found[name or (default if default in found else next(iter(found)))]


def _item(group: Any, name: str, file: Path) -> Any:
    """A dataset that can be read; an Error that says what it lacks: the file of a link, a filter."""
    link = group.get(name, getlink=True)
    try:
        item = group[name]
    except (KeyError, OSError):
        if isinstance(link, h5py.ExternalLink):
            raise Error(f"{file}: its '{name}' is /{link.path.lstrip('/')} of the file '{link.filename}', which is not there or has none\n"
                        "  help: put that file beside this one") from None
        raise
    if not isinstance(item, h5py.Dataset):
        raise Error(f"{file}: its '{name}' is a group, not numbers\n  help: give NXdata or NXcanSAS")
    made = item.id.get_create_plist()
    for number, _, _, told_name in (made.get_filter(k) for k in range(made.get_nfilters())):
        if not h5py.h5z.filter_avail(number):
            called = _text(told_name).split(";")[0].strip() or "without a name"
            raise Error(f"{file}: '{name}' is compressed by the filter {number} ({called}), which is not here\n"
                        "  help: pip install hdf5plugin (bitshuffle, blosc, lz4, zstd, ..); h5py brings lzf")
    return item


def _values(group: Any, file: Path) -> tuple[str, Any]:
    """The name and the dataset of a group's signal."""
    name = _text(group.attrs.get("signal", "")) or ("I" if "I" in group else "") or _old_signal(group)
    if name:
        return name, _item(group, name, file)
    parts = _frames(group)
    items = [_item(group, part, file) for part in parts]
    frames = sum(item.shape[0] if item.ndim == 3 else 1 for item in items)
    if len(items) > 1:
        raise Error(f"{file}: holds {frames} images in {len(items)} parts, {parts[0]} to {parts[-1]}\n"
                    "  help: add or choose them with h5py, and give Data(values, counts=True)")
    return parts[0], items[0]


def _signal(group: Any, file: Path, unit: str, counts: bool, asked: list[str] | None) -> Content:
    """The signal of a group with its axes; with their values in nm^-1 where they are q in another unit."""
    signal, item = _values(group, file)
    values = item[()]
    if values.ndim == 3 and len(values) == 1:
        values = values[0]
    errors = None if counts else next((_item(group, key, file)[()].reshape(values.shape) for key in (
        _text(item.attrs.get("uncertainties", "")), f"{signal}_errors", "Idev") if key and key in group), None)
    stated = group.attrs.get("I_axes", group.attrs.get("axes", []))
    names = [part.strip() for name in np.atleast_1d(stated) for part in _text(name).split(",")]
    axes = {name: _in_nm(_quantity(_item(group, name, file)), file) for name in names if name in group and name != "." and group[name].ndim == 1}
    axes = reduced.named(axes, group)
    if [axis.values.shape for axis in axes.values()] == [values.shape[1:]] and len(values) == 1:  # a curve of one image, as NXazint has it
        values, errors = values[0], None if errors is None else errors[0]
    left_out = _left_out(group, item, values, counts, file) | reduced.empty(group, values, axes, file)
    if values.ndim == 1:
        q = _q_of(axes, values.shape, file, unit)
        return Content(values, errors, left_out, counts, file.name, q=q, resolution=_resolution(group, left_out, file, unit, asked))
    if errors is not None:
        known = errors > 0
        errors, left_out = (errors, left_out | ~known) if known.any() else (None, left_out)
    return Content(values, errors, left_out, counts, file.name, axes)


def _resolution(group: Any, left_out: Any, file: Path, unit: str, asked: list[str] | None) -> dict[str, Any]:
    """The widths of a curve: those by the names of NXcanSAS, or the one that Q names, if it is a Gaussian's."""
    stated = group["Q"].attrs if "Q" in group else {}
    own = [part.strip() for name in np.atleast_1d(stated.get("resolutions", [])) for part in _text(name).split(",")]
    kinds = {_text(kind).strip().lower() for kind in np.atleast_1d(stated.get("resolutions_description", []))} - {"", "gaussian"}
    names = {widths.NAMES[name.lower()]: name for name in ("Qdev", "dQl", "dQw") if name in group}
    names |= {"dq": own[0]} if len(own) == 1 and own[0] in group and not names else {}
    if asked is None and (kinds or not names):
        if kinds or own:
            warn(f"{file}: its resolution ({', '.join(own or names.values())}{'; ' if kinds else ''}{', '.join(sorted(kinds))}) is left out\n"
                 '  help: resolution="dq" says that it is sigma of q, "none" that it is not')
        return {}
    found: dict[str, Any] = {}
    for key, name in names.items():
        if asked is None or key in asked:
            quantity = _quantity(_item(group, name, file))
            if quantity.values.shape != left_out.shape:
                raise Error(f"{file}: its '{name}' has the shape {quantity.values.shape}, the curve {left_out.shape}\n"
                            '  help: resolution="none" reads it without')
            of = quantity.unit or _quantity(_item(group, "Q", file)).unit
            found |= widths.of_file({key: quantity.values}, factor(of, str(file)) if of else factor(unit or "1/nm", "unit"), left_out, file)
    return found


def _left_out(group: Any, item: Any, values: Any, counts: bool, file: Path) -> Any:
    """True where a value is NaN or masked, and of pixels where the file or their type says that there is no value."""
    masked = ~np.isfinite(values) | _masked(group, values.shape)
    pixels = LeftOut(values.shape)
    whole = values.dtype.kind in "iu"
    if values.ndim > 1:
        for detector in _detectors(group.parent):
            _add_detector(pixels, detector, values, file)
    for mark in ("_FillValue", "missing_value"):
        if np.size(item.attrs.get(mark, [])) == 1 and not isinstance(item.attrs[mark], (str, bytes)):
            pixels.add(values == np.ravel(item.attrs[mark])[0], f"of {np.ravel(item.attrs[mark])[0]:g}, its {mark}")
    if values.ndim > 1 and (counts or whole):  # what is no whole number has been corrected, and may be below 0
        pixels.add(values < 0, "below 0")
    if values.dtype.kind in "iuf":
        add_markers(pixels, values, str(file), next((bits for at in _detectors(group.parent) if (bits := int(_single(at, "bit_depth_image")))), 0))
    pixels.say(str(file))
    return masked | pixels.mask


def _detectors(entry: Any) -> Iterator[Any]:
    """Groups of an entry that describe a detector: those of its instrument, and Dectris' own within."""
    instrument = entry.get("instrument") if isinstance(entry, h5py.Group) else None
    items: dict[str, Any] = dict(instrument.items()) if isinstance(instrument, h5py.Group) else {}
    for found in items.values():
        if isinstance(found, h5py.Group):
            yield found
            inner = found.get("detectorSpecific")
            if isinstance(inner, h5py.Group):
                yield inner


def _single(group: Any, name: str) -> float:
    """A positive number of that name; 0 where there is none."""
    item = group.get(name)
    if not isinstance(item, h5py.Dataset) or item.size != 1 or item.dtype.kind not in "iuf":
        return 0.0
    value = float(np.ravel(item[()])[0])
    return value if np.isfinite(value) and value > 0 else 0.0


def _add_detector(pixels: LeftOut, detector: Any, values: Any, file: Path) -> None:
    """Leaves out what a detector's group says of its pixels."""
    if isinstance(detector.get("pixel_mask"), h5py.Dataset):
        mask = _item(detector, "pixel_mask", file)[()]
        if mask.shape[-2:] != values.shape[-2:] or mask.ndim not in (2, values.ndim):
            raise Error(f"{file}: its pixel_mask has the shape {mask.shape}, the image {values.shape}\n  help: write one for each pixel")
        pixels.add(mask != 0, "by its pixel_mask")
    if cutoff := _single(detector, "countrate_correction_count_cutoff"):
        pixels.add(values >= cutoff, f"at the countrate cutoff {cutoff:g} or above")
    if most := _single(detector, "saturation_value"):
        pixels.add(values > most, f"above the saturation_value {most:g}")


def _masked(group: Any, shape: tuple[int, ...]) -> Any:
    """What the mask of NXcanSAS leaves out, where it is not 0."""
    names = (_text(group.attrs.get("mask", "")), "Mask", "mask")
    found = next((group[name][()] for name in names if name and isinstance(group.get(name), h5py.Dataset)), np.zeros(shape))
    return np.reshape(found, shape) != 0


def _q_of(axes: dict[str, Quantity], shape: tuple[int, ...], file: Path, unit: str) -> Any:
    """q of a curve, nm^-1; ``unit`` is for a file that does not say its own."""
    name, q = next(((name, axis) for name, axis in [("Q", axes.get("Q")), *axes.items()] if axis is not None), ("", None))
    if q is None or q.values.shape != shape:
        raise Error(f"{file}: the curve has no q\n  help: NXcanSAS has Q, of the shape of I")
    if is_no_q(q.unit):
        raise Error(f"{file}: the curve is over '{name}' in {q.unit}, which is no q\n  help: give its q: Data.curve(q, values, errors)")
    return q.values if q.unit else q.values * told([], unit, file)


def _in_nm(axis: Quantity, file: Path) -> Quantity:
    if axis.unit in ("", "1", "arbitrary") or is_no_q(axis.unit):
        return axis
    size = factor(axis.unit.translate({ord(c): None for c in "{}"}), str(file))  # "nm^{-1}"
    return axis if size == 1 else Quantity(axis.values * size, "1/nm", axis.label)
