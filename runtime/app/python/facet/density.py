"""Densities of orientations that are functions, as the table that an experiment has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import Error, warn

Array = npt.NDArray[np.float64]
MOST = 0.01  # of the largest density, that lines between its values may be off without a word


def tabulated(how: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The orientation with its density, a function, at each theta and phi, degrees: every one and every five where they are not given.

    The function takes unit vectors, shape (n, 3), z along the director, and returns n densities a steradian, of any sum.
    """
    theta, phi = (np.asarray(how.get(name, default), np.float64) for name, default in (("theta", np.arange(181.0)), ("phi", np.arange(0, 360, 5.0))))
    if theta.ndim != 1 or phi.ndim != 1 or len(theta) < 2 or not len(phi):
        raise Error(f"{path}: theta and phi are lists of degrees\n  help: theta from 0 to 180, phi from 0, or leave them out")
    at = _values(how["density"], theta, phi, path)
    closed = np.append(phi, phi[0] + 360)
    between = _values(how["density"], (theta[1:] + theta[:-1]) / 2, (closed[1:] + closed[:-1]) / 2, path)
    corners = np.column_stack([at, at[:, :1]])
    off = abs(between - (corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1] + corners[:-1, :-1]) / 4).max()
    if off > MOST * at.max(initial=0):
        warn(f"{path}: lines between its values are off by {off / max(at.max(), 1e-300):.1%} of the largest\n  help: give theta and phi in finer steps")
    made = {name: value for name, value in how.items() if name not in ("theta", "phi", "density")} | {"theta": theta.tolist()}
    if np.ptp(at, axis=1).max() <= 1e-12 * abs(at).max():
        return made | {"density": at[:, 0].tolist()}
    return made | {"phi": phi.tolist(), "density": at.ravel().tolist()}


def _values(density: Callable[[Array], Any], theta: Array, phi: Array, path: str) -> Array:
    t, p = np.radians(theta)[:, None], np.radians(phi)[None, :]
    u = np.stack(np.broadcast_arrays(np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)), axis=-1).reshape(-1, 3)
    found = np.asarray(density(u), np.float64)
    if found.shape != (len(u),):
        raise Error(f"{path}: gives the shape {found.shape} for {len(u)} unit vectors\n"
                    "  help: it takes an array of the shape (n, 3), and returns n densities: density=lambda u: np.exp(5 * u[:, 2] ** 2)")
    return found.reshape(len(theta), len(phi))
