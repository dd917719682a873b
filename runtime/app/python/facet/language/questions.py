"""Who asked a value whether it is true: told by the instruction that was executed, for the help of one message."""

from __future__ import annotations

import dis
from types import FrameType


def asked(place: tuple[FrameType | None, int], condition: str) -> str:
    """What to write for what asks, an ``if``, ``not``, or a function of Python's such as max."""
    frame, at = place
    name = dis.opname[frame.f_code.co_code[at]] if frame is not None else ""
    if name.startswith(("CALL", "PRECALL")):
        return "write facet.max, facet.min or facet.where, not Python's max, min, any, all, sorted or bool"
    if name.startswith("UNARY_NOT"):
        return f"write ~({condition})"
    if name.startswith("JUMP_IF"):
        return f"write ({condition}) & b for and, ({condition}) | b for or, (a < b) & (b < c) for a < b < c"
    return f"write facet.where({condition}, a, b) for if; (a) & (b), (a) | (b), ~(a) for and, or, not; (a < b) & (b < c) for a < b < c"
