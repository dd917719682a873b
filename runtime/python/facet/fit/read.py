"""Measured data from files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-untyped]
import numpy as np

from .. import _core, arguments
from ..errors import Error, warn
from ..results import Quantity, _quantity, _text
from .data import Data
from .packages import needed

NO_Q = (_core.Dimension.ANGLE, _core.Dimension.LENGTH, _core.Dimension.ENERGY)  # of axes of images
HDF5 = (".h5", ".hdf5", ".hdf", ".nxs", ".nx5", ".nexus")
COMMENT = ("#", "%", "!")
TEXT = (".txt", ".dat", ".csv", ".asc", ".abs", ".xye")


def read(path: str | Path, unit: str, counts: bool, group: str) -> Data:
    """Data.read."""
    file = arguments.path(path, "data")
    if not file.is_file():
        raise Error(f"{file}: no such file\n  help: give one of NeXus, of text, or an image")
    if file.suffix.lower() in HDF5:
        return _hdf5(file, unit, counts, group)
    if file.suffix.lower() in TEXT:
        return _columns(file, unit, counts)
    return _image(file, counts)


def _factor(unit: str, where: str) -> float:
    """nm^-1 of one of a unit of q."""
    found = _core.unit_size(unit, _core.Dimension.INVERSE_LENGTH)
    if found is None:
        raise Error(f"{where}: the unit of q is '{unit}'\n  help: {_core.suggestion(unit, ['1/nm', '1/angstrom'])}")
    return found


def _is_no_q(unit: str) -> bool:
    return unit.lower() in ("pixel", "pixels", "px") or any(_core.unit_size(unit, of) is not None for of in NO_Q)


def _told(headings: list[str], unit: str, file: Path) -> float:
    """nm^-1 of one of the unit of q: what ``unit`` or else a heading states; an Error where they, or two of them, disagree."""
    found = [stated for line in headings for stated in _core.units_of_q(line)]
    bound = {text: size for text, size, is_of_q in found if is_of_q}
    own = _factor(unit, "unit") if unit else None
    for text, size in bound.items():
        if own is None and size == 0:
            raise Error(f"{file}: a heading states q in '{text}', which is no unit of q that facet knows\n"
                        '  help: unit="1/nm" or unit="1/angstrom" says what q is in')
        if size and not np.isclose(size, next(iter(bound.values())) if own is None else own):
            other = f"another in '{next(iter(bound))}'" if own is None else f'unit is "{unit}"'
            raise Error(f"{file}: a heading states q in '{text}', and {other}\n  help: let both say what q is in")
    if own is not None or bound:
        return own if own is not None else next(iter(bound.values()))
    others = {text: size for text, size, _ in found}
    if any(not np.isclose(size, 1) for size in others.values()):
        raise Error(f"{file}: a heading speaks of {' and '.join(map(repr, others))}, and does not say that q is in it\n"
                    '  help: unit="1/nm" or unit="1/angstrom" says what q is in')
    if not others:
        warn(f"{file}: states no unit of q, which is taken as 1/nm\n  help: unit=\"1/nm\" says so, unit=\"1/angstrom\" reads it otherwise")
    return 1.0


def _hdf5(file: Path, unit: str, counts: bool, group: str) -> Data:
    try:
        with h5py.File(file) as opened:
            return _signal(_group(opened, group, file), file, unit, counts)
    except (OSError, KeyError, ValueError) as failure:
        raise Error(f"{file}: no image or curve that can be read ({failure})\n  help: give NXdata or NXcanSAS") from None


def _group(opened: Any, name: str, file: Path) -> Any:
    """The group of that name in the first entry, or "ENTRY/GROUP"; without a name the default one, else the first with data."""
    entries = {key: g for key, g in opened.items() if isinstance(g, h5py.Group)}
    entry = opened[_text(opened.attrs["default"])] if "default" in opened.attrs else next(iter(entries.values()), opened)
    within, _, rest = name.partition("/")
    if within in entries:
        entry, name = entries[within], rest
    found = {key: g for key, g in entry.items() if isinstance(g, h5py.Group) and ("signal" in g.attrs or "I" in g)}
    if name and name not in found:
        raise Error(f"{file}: has no group '{name}'\n  help: {_core.suggestion(name, [*found, *entries])}")
    if not found:
        raise Error(f"{file}: has no image or curve\n  help: give NXdata or NXcanSAS")
    default = _text(entry.attrs.get("default", ""))
    return found[name or (default if default in found else next(iter(found)))]


def _signal(group: Any, file: Path, unit: str, counts: bool) -> Data:
    """The signal of a group with its axes; with their values in nm^-1 where they are q in another unit."""
    signal = _text(group.attrs.get("signal", "I"))
    item = group[signal]
    values = item[()]
    if values.ndim == 3 and len(values) == 1:
        values = values[0]
    left_out = ~np.isfinite(values) | _masked(group, values.shape)
    errors = None if counts else next((group[key][()].reshape(values.shape) for key in (
        _text(item.attrs.get("uncertainties", "")), f"{signal}_errors", "Idev") if key and key in group), None)
    stated = group.attrs.get("I_axes", group.attrs.get("axes", []))
    names = [part.strip() for name in np.atleast_1d(stated) for part in _text(name).split(",")]
    axes = {name: _in_nm(_quantity(group[name]), file) for name in names if name in group and group[name].ndim == 1}
    if values.ndim == 1:
        q = _q_of(axes, values.shape, file, unit)
        return Data.curve(q, values, errors, left_out, counts=counts, name=file.name)
    if counts or values.dtype.kind in "iu":  # what is no whole number has been corrected, and may be below 0
        left_out |= values < 0
    if errors is not None:
        known = errors > 0
        errors, left_out = (errors, left_out | ~known) if known.any() else (None, left_out)
    return Data(values, errors, left_out, counts=counts, axes=axes, name=file.name)


def _masked(group: Any, shape: tuple[int, ...]) -> Any:
    """Of NXcanSAS: what its mask leaves out, where it is not 0."""
    names = (_text(group.attrs.get("mask", "")), "Mask", "mask")
    found = next((group[name][()] for name in names if name and isinstance(group.get(name), h5py.Dataset)), np.zeros(shape))
    return np.reshape(found, shape) != 0


def _q_of(axes: dict[str, Quantity], shape: tuple[int, ...], file: Path, unit: str) -> Any:
    """Of a curve, nm^-1; ``unit`` is that of a file that does not say its own."""
    name, q = next(((name, axis) for name, axis in [("Q", axes.get("Q")), *axes.items()] if axis is not None), ("", None))
    if q is None or q.values.shape != shape:
        raise Error(f"{file}: the curve has no q\n  help: NXcanSAS has Q, of the shape of I")
    if _is_no_q(q.unit):
        raise Error(f"{file}: the curve is over '{name}' in {q.unit}, which is no q\n  help: give its q: Data.curve(q, values, errors)")
    return q.values if q.unit else q.values * _told([], unit, file)


def _in_nm(axis: Quantity, file: Path) -> Quantity:
    if axis.unit in ("", "1", "arbitrary") or _is_no_q(axis.unit):
        return axis
    factor = _factor(axis.unit, str(file))
    return axis if factor == 1 else Quantity(axis.values * factor, "1/nm", axis.label)


def _columns(file: Path, unit: str, counts: bool) -> Data:
    """q, I and, where there is a third column, dI; an Error if a heading calls the columns otherwise."""
    rows: list[list[float]] = []
    headings: list[list[str]] = []
    lines: list[str] = []  # of the headings
    for number, line in enumerate(file.read_text("utf-8-sig", errors="replace").splitlines(), 1):
        words, where = _words(line), f"{file}:{number}"
        if not words or line.lstrip()[:1] in COMMENT or (not rows and _is_heading(words)):
            headings.append(words)
            lines.append(line)
            continue
        try:
            row = [float(word) for word in words[:3]]
        except ValueError:
            raise Error(f"{where}: no numbers: {line.strip()[:60]}\n  help: give columns q I dI, and begin headings with #") from None
        if not rows:
            _check_headings(headings, len(words), file)
        rows.append(row)
        if len(row) != len(rows[0]) or len(row) < 2:
            raise Error(f"{where}: {len(row)} columns, {len(rows[0])} in the first row\n  help: give columns q I dI")
    if not rows:
        raise Error(f"{file}: no numbers\n  help: give columns q I dI")
    table = np.array(rows)
    errors = table[:, 2] if table.shape[1] > 2 and not counts else None
    return Data.curve(table[:, 0] * _told(lines, unit, file), table[:, 1], errors, counts=counts, name=file.name)


def _words(line: str) -> list[str]:
    """Of a line, between semicolons, commas or spaces; where semicolons part them, a comma is that of a decimal."""
    if ";" in line:
        line = line.replace(",", ".")
    mark = next((mark for mark in ";," if mark in line), None)
    words = [word.strip().strip('"') for word in line.split(mark)]
    while words and not words[-1]:
        words.pop()
    return words


def _is_heading(words: list[str]) -> bool:
    """Whether a line begins with no number; but without a letter, amid numbers, its first is one that is absent."""
    others = [word for word in words if not _is_number(word)]
    return not _is_number(words[0]) and (len(others) == len(words) or any(c.isalpha() for c in "".join(others)))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _check_headings(headings: list[list[str]], columns: int, file: Path) -> None:
    """An Error if one has as many names as there are columns, of which q, I, dI are others than the first."""
    for words in headings:
        told = [word.lstrip("#%! ") for word in words if not word or word.strip("#%!")]
        names = [re.split(r"[(\[/\s]", word)[0].lower() for word in told if word[:1] not in ("(", "[")]  # without units
        at = [names.index(name) for name in ("q", "i", "di") if name in names]
        if len(names) == columns and (at != list(range(len(at))) or not names[0] or {"qx", "dq"} & set(names[:3])):
            raise Error(f"{file}: its columns are called {', '.join(words)}\n"
                        "  help: give q I dI as the first columns (of pandas: to_csv(columns=[\"q\", \"I\", \"dI\"], index=False))")


def _image(file: Path, counts: bool) -> Data:
    fabio = needed("fabio", f"{file}: an image")
    try:
        opened = fabio.open(str(file))
        values, frames = np.asarray(opened.data, dtype=np.float64), int(opened.nframes)
    except Exception as failure:  # fabio's readers raise what they like
        raise Error(f"{file}: fabio cannot read it ({failure})\n  help: give EDF, TIFF, NeXus or text") from None
    if values.ndim != 2 or frames != 1:  # without a shape: a reader of fabio's found none that it understands
        found = f"{frames} images" if frames > 1 else f"an array of the shape {values.shape}" if values.ndim else "none"
        raise Error(f"{file}: is to hold one image, and fabio finds {found}\n  help: save one alone, or give arrays: Data(values, errors)")
    return Data(values, mask=~np.isfinite(values) | (values < 0), counts=counts, name=file.name)
