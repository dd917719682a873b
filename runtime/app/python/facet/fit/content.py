"""What a file of data holds, as its reader found it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..results import Quantity

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Content:
    """The arguments of Data; with q those of Data.curve."""

    values: Any
    errors: Any = None
    mask: Mask | None = None
    counts: bool = False
    name: str = "data"
    axes: dict[str, Quantity] | None = None
    q: Any = None
    resolution: dict[str, Any] | None = None  # widths by the keys of [resolution], nm^-1
