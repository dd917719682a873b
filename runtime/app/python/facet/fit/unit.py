"""The unit of q that a file of data states."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .. import _core
from ..errors import Error, warn

NO_Q = (_core.Dimension.ANGLE, _core.Dimension.LENGTH, _core.Dimension.ENERGY)  # of axes of images


def factor(unit: str, where: str) -> float:
    """nm^-1 of one of a unit of q."""
    found = _core.unit_size(unit, _core.Dimension.INVERSE_LENGTH)
    if found is None:
        raise Error(f"{where}: the unit of q is '{unit}'\n  help: {_core.suggestion(unit, ['1/nm', '1/angstrom'])}")
    return found


def is_no_q(unit: str) -> bool:
    return unit.lower() in ("pixel", "pixels", "px") or any(_core.unit_size(unit, of) is not None for of in NO_Q)


def told(headings: list[str], unit: str, file: Path) -> float:
    """nm^-1 of one of the unit of q: what ``unit`` or else a heading states; an Error where they, or two of them, disagree."""
    found = [stated for line in headings for stated in _core.units_of_q(line)]
    bound = {text: size for text, size, is_of_q in found if is_of_q}
    own = factor(unit, "unit") if unit else None
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
