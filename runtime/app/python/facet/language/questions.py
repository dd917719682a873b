"""Who asked a value whether it is true: told by the instruction that was executed, for the help of one message."""

from __future__ import annotations

import dis
from types import FrameType


def asked(place: tuple[FrameType | None, int], condition: str) -> str:
    """What to write for what asks, an ``if``, ``not``, or a function of Python's such as max."""
    frame, at = place
    name, before, after = _around(frame.f_code.co_code, at) if frame is not None else ("", "", "")
    if name.startswith(("CALL", "PRECALL")):
        return "write facet.max, facet.min or facet.where, not Python's max, min, any, all, sorted or bool"
    if name == "UNARY_NOT" or after == "UNARY_NOT":
        return f"write ~({condition})"
    if name.startswith("JUMP_IF") or before == "COPY":
        return f"write ({condition}) & b for and, ({condition}) | b for or, (a < b) & (b < c) for a < b < c"
    return f"write facet.where({condition}, a, b) for if; (a) & (b), (a) | (b), ~(a) for and, or, not; (a < b) & (b < c) for a < b < c"


def _around(code: bytes, at: int) -> tuple[str, str, str]:
    """The instruction, the one before it, and the one behind it if it makes True or False of a comparison, as from Python 3.13 on."""
    name = dis.opname[code[at]]
    after = (dis.opname[op] for op in code[at + 2::2])
    return name, dis.opname[code[at - 2]] if at else "", next((op for op in after if op != "CACHE"), "") if name in ("TO_BOOL", "COMPARE_OP") else ""
