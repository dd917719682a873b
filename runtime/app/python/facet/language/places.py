"""Places in Python: the frame and the instruction that made a value, shown as a line of source with a caret."""

from __future__ import annotations

import linecache
import sys
from contextvars import ContextVar
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

FOLDER = str(Path(__file__).parent)


class Place(NamedTuple):
    """Columns count from 0; 0 and 0 where Python does not tell."""

    file: str
    line: int
    begin: int
    end: int


class Spot(NamedTuple):
    """An instruction: what a value keeps of the frame that made it."""

    code: CodeType | None
    at: int

    @property
    def place(self) -> Place | None:
        return None if self.code is None else place_of(self.code, self.at)


#: frames in which values are made, while a kernel is traced: their variables have the names
frames: ContextVar[dict[int, FrameType] | None] = ContextVar("frames", default=None)


def spot() -> Spot:
    """Where the nearest frame outside this folder is."""
    frame, at = asking()
    if frame is None:
        return Spot(None, 0)
    if (seen := frames.get()) is not None:
        seen[id(frame)] = frame
    return Spot(frame.f_code, at)


def asking() -> tuple[FrameType | None, int]:
    """The nearest frame outside this folder and NumPy, and the instruction it is at."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_code.co_filename.startswith(FOLDER) or frame.f_globals.get("__name__", "").startswith("numpy.")):
        frame = frame.f_back
    return frame, frame.f_lasti if frame is not None else 0


def place_of(code: CodeType, at: int) -> Place:
    """Where an instruction stands."""
    if sys.version_info >= (3, 11):
        line, last, begin, end = next(islice(code.co_positions(), at // 2, None), (None,) * 4)
        if line is not None:
            return Place(code.co_filename, line, begin or 0, (end or 0) if last == line else 0)
    line = next((line for first, after, line in code.co_lines() if first <= at < after and line), code.co_firstlineno)
    return Place(code.co_filename, line, 0, 0)


def underlined(place: Place) -> str:
    """The line of source with a caret below, indented; "" where there is no source, as in frozen programs."""
    source = linecache.getline(place.file, place.line).rstrip()
    if not source:
        return ""
    text = source.lstrip()
    cut = len(source) - len(text)
    encoded = source.encode()
    begin, end = (len(encoded[:column].decode(errors="ignore")) for column in (place.begin, place.end or len(encoded)))
    begin, end = max(begin - cut, 0), max(end - cut, 1)
    return f"    {text}\n    {' ' * begin}^{'~' * (end - begin - 1)}"


def head(place: Place, text: str) -> str:
    """A message at a place, "lamp.py:7: text", with the line."""
    name = "cell" if "ipykernel_" in place.file or "<ipython" in place.file else Path(place.file).name
    return "\n".join(filter(None, [f"{name}:{place.line}: {text}", underlined(place)]))
