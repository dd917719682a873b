"""Widths that smear a curve, by the keys that [resolution] of an experiment has for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..arguments import named, word
from ..errors import Error
from .content import Numbers

KEYS = ("dq", "dq_over_q", "slit_length", "slit_width")
#: what files call them, in lower case
NAMES = {"dq": "dq", "qdev": "dq", "sigma_q": "dq", "sigmaq": "dq", "dql": "slit_length", "dxl": "slit_length", "dqw": "slit_width",
         "dxw": "slit_width"}


def checked(given: Any, points: int, where: str) -> dict[str, Numbers]:
    """Widths as a number or one for each point, nm^-1, dq_over_q without a unit; an Error for what is none."""
    if not isinstance(given, Mapping):
        raise Error(f"{where}: is {type(given).__name__}\n  help: give {{\"dq\": sigma}}, or slit_length and slit_width, nm^-1")
    made: dict[str, Numbers] = {}
    for name, value in named(given, where).items():
        if name not in KEYS:
            raise Error(f"{where}: unknown width '{name}'\n  help: {_core.suggestion(str(name), list(KEYS))}")
        try:
            own = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise Error(f"{where}: {name} is no array of real numbers\n  help: give a number, or one for each q") from None
        if own.ndim > 1 or own.size != 1 and own.size != points:
            raise Error(f"{where}: {name} has the shape {own.shape}, and there are {points} q\n  help: give a number, or one for each q")
        if not (np.isfinite(own) & (own >= 0)).all():
            raise Error(f"{where}: {name} is below 0, NaN or infinite\n  help: 0 where nothing is smeared")
        own.setflags(write=False)
        made[str(name)] = own
    if len({name[:4] if name.startswith("slit") else name for name in made}) > 1:
        raise Error(f"{where}: has {' and '.join(made)}\n  help: a curve is smeared in one way: dq, dq_over_q, or a slit")
    return made


def asked(resolution: str) -> list[str] | None:
    """What Data.read is asked to take: names of widths, in the order of columns; None: what the file itself says."""
    if word(resolution, "resolution") in ("", "none"):
        return None if resolution == "" else []
    found = [name.strip() for name in resolution.split(",")]
    for name in found:
        if name not in KEYS or found.count(name) > 1:
            raise Error(f"resolution: unknown '{name}'\n  help: {_core.suggestion(name, [*KEYS, 'none'])}")
    return found


def of_file(found: Mapping[str, Any], size: float, left_out: Any, file: Path) -> dict[str, Any]:
    """Widths of a file in nm^-1; where a row is left out they are 0. An Error with the first that is none."""
    made = {}
    for name, values in found.items():
        own = np.where(left_out, 0, np.asarray(values, np.float64)) * (1 if name == "dq_over_q" else size)
        bad = np.flatnonzero(~(np.isfinite(own) & (own >= 0)))
        if len(bad):
            raise Error(f"{file}: its resolution {name} number {bad[0] + 1} is {values[bad[0]]}\n  help: resolution=\"none\" reads it without")
        made[name] = own
    return made
