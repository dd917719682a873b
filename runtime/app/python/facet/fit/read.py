"""Measured data from files: which reader a file is for."""

from __future__ import annotations

from pathlib import Path

from .. import arguments
from ..errors import Error
from . import hdf5, image, text, widths
from .content import Content

HDF5 = (".h5", ".hdf5", ".hdf", ".nxs", ".nx5", ".nexus")
TEXT = (".txt", ".dat", ".csv", ".asc", ".abs", ".xye", ".tsv", ".grad", ".ses", ".int")


def read(path: str | Path, unit: str, counts: bool, group: str, resolution: str) -> Content:
    """For Data.read."""
    asked = widths.asked(resolution)
    file = arguments.path(path, "data")
    if not file.is_file():
        raise Error(f"{file}: no such file\n  help: give one of NeXus, of text, or an image")
    with file.open("rb") as opened:
        start = opened.read(512)
    if start.startswith(b"\x89HDF\r\n\x1a\n") or file.suffix.lower() in HDF5:
        return hdf5.read(file, unit, counts, group, asked)
    if start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"<?xml", b"<SASroot")):
        return text.xml(file, unit, counts, asked)
    if file.suffix.lower() in TEXT:
        return text.columns(file, unit, counts, asked)
    return image.read(file, counts)
