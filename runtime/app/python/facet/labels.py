"""Texts of matplotlib's pictures, written as facet's own pictures write them."""

from __future__ import annotations

import re
from typing import Any

from . import _core


def shown(text: str) -> str:
    """The text in the notation of pictures, "qy (1/nm)" as q_y (nm⁻¹) with y lowered, for matplotlib."""
    drawn = _core.notation(text).replace("$", r"\$")
    return re.sub(r"([_^])\{([^{}$]*)\}", r"$\1{\\mathregular{\2}}$", drawn)


def with_powers(axes: Any) -> None:
    """Writes what numbers of a linear axis are multiplied by as a power of ten, not as 1e6."""
    for axis in (axes.xaxis, axes.yaxis):
        form = axis.get_major_formatter()
        if hasattr(form, "set_useMathText"):
            form.set_useMathText(True)
