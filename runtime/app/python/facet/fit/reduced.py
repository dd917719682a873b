"""What programs that reduce images say of theirs: axes of pyFAI's fiber integration, numbers of pixels in NXazint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-untyped]
import numpy as np

from ..errors import Error
from ..results import Quantity, _text
from .content import Mask

FIBER = {"in-plane": ("qip", "q_ip"), "out-of-plane": ("qoop", "q_oop")}  # pyFAI's axis, what it says that it is, facet's name


def named(axes: dict[str, Quantity], group: Any) -> dict[str, Quantity]:
    """Axes of pyFAI's fiber integration by facet's names."""
    return {_name(name, group): axis for name, axis in axes.items()}


def _name(name: str, group: Any) -> str:
    said, ours = FIBER.get(name, ("", name))
    return ours if said and _text(group[name].attrs.get("name", "")) == said else name


def empty(group: Any, values: Any, axes: dict[str, Quantity], file: Path) -> Mask:
    """True where no pixel of the detector was in a bin: of none (NXazint), or with the value that pyFAI was told to give it."""
    norm = group["norm"][()] if isinstance(group.get("norm"), h5py.Dataset) else None
    if norm is not None and norm.shape[-values.ndim:] == values.shape[-norm.ndim:]:  # one for all images
        return np.broadcast_to(np.reshape(norm == 0, norm.shape[-values.ndim:]), values.shape)
    if not {"q_ip", "q_oop"} <= set(axes):
        return np.zeros(values.shape, bool)
    dummy = _dummy(group.parent.get("configuration/data"))
    if dummy is None and np.any(values == 0):
        raise Error(f"{file}: {np.sum(values == 0)} bins are 0, which pyFAI gives to those without a pixel (the missing wedge, gaps), and to dark ones\n"
                    "  help: integrate with a value for empty bins (val_dummy), or give Data(values, mask=values == 0, axes=...)")
    return np.asarray(values == dummy)


def _dummy(configuration: Any) -> float | None:
    if not isinstance(configuration, h5py.Dataset):
        return None
    value = json.loads(_text(configuration[()])).get("val_dummy")
    return None if value is None else float(value)
