"""A computed image or curve beside what was measured: residuals, chi2, scale and background by least squares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from ..errors import Error
from ..results import Quantity, Result
from .content import Numbers
from .data import Data
from .picture import picture
from .problem import check_axes


@dataclass(frozen=True, repr=False)
class Comparison:
    """What data and a theory, scale * computed + background, have in common.

    Attributes:
        data: what was measured.
        theory: in the shape and the unit of the data; NaN where nothing was computed.
        residuals: (theory - data) / sigma, in the shape of the data; NaN where a value is left out or not computed. sigma are the
            data's errors; of counts the root of the count, 1 at least.
        scale, background: as they were found, 1 and 0 if they were not asked for.
        errors: one standard deviation of those that were found, by name.
        chi2: the sum of the squared residuals.
        points: how many values were compared.
    """

    data: Data = field(repr=False)
    theory: Numbers = field(repr=False)
    residuals: Numbers = field(repr=False)
    scale: float
    background: float
    errors: dict[str, float]
    chi2: float
    points: int

    @property
    def per_point(self) -> float:
        """chi2 over the number of points: about 1 where theory and errors are right."""
        return self.chi2 / self.points

    def plot(self, figure: Any = None) -> Any:
        """Draws data, theory and residuals with matplotlib: an image three panels, a curve two; returns the figure."""
        return picture(self.data, self.theory, self.residuals, figure)

    def __repr__(self) -> str:
        found = "".join(f"{name} {getattr(self, name):.6g} +- {error:.2g}, " for name, error in self.errors.items())
        return f"{found}chi2 {self.chi2:.5g} of {self.points} points, {self.per_point:.3g} each"


def compare(computed: Union[Result, Quantity], data: Data, *, scale: bool = False, background: bool = False) -> Comparison:
    """Compares a result of facet.run, or an intensity of a Simulation, with what was measured.

    Args:
        computed: of the data's shape; axes that both have must be the same.
        data: with errors, or counts.
        scale, background: whether to find these by least squares.
    """
    of = computed.intensity if isinstance(computed, Result) else computed
    if not isinstance(of, Quantity) or not isinstance(data, Data):
        raise Error(f"compare: is given {type(computed).__name__} and {type(data).__name__}\n  help: give a Result, or its intensity, and a facet.fit.Data")
    values = np.asarray(of.values, dtype=np.float64)
    if values.shape != data.shape:
        raise Error(f"{data.name}: has the shape {data.shape}, and {values.shape} was computed\n  help: compute on the data's pixels or q")
    check_axes(data, of.axes)
    if data.errors is None and not data.counts:
        raise Error(f"{data.name}: has no errors\n  help: give errors, or counts=True")
    used = ~data.left_out & np.isfinite(values)
    if not used.any():
        raise Error(f"{data.name}: nothing to compare: all is left out, or was not computed\n  help: mask is True where a value is left out")
    sigma = data.errors if data.errors is not None else np.sqrt(np.maximum(data.values, 1))
    found, errors = _fitted(values[used], data.values[used], sigma[used], {"scale": scale, "background": background}, data.name)
    theory = found["scale"] * values + found["background"]
    residuals = np.where(used, (theory - np.where(used, data.values, 0)) / np.where(used, sigma, 1), np.nan)
    return Comparison(data, theory, residuals, found["scale"], found["background"], errors, float(np.nansum(residuals**2)), int(used.sum()))


def _fitted(computed: Numbers, measured: Numbers, sigma: Numbers, asked: dict[str, bool], name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Scale and background, and the errors of those that are asked for."""
    known = {"scale": 1.0, "background": 0.0}
    columns = {"scale": computed, "background": np.ones_like(computed)}
    free = [key for key in known if asked[key]]
    if not free:
        return known, {}
    fixed = sum(known[key] * columns[key] for key in known if key not in free)
    matrix = np.stack([columns[key] for key in free], axis=1) / sigma[:, None]
    size = np.linalg.norm(matrix, axis=0)
    if not size.all() or np.linalg.cond(matrix / size) > 1e8:
        raise Error(f"{name}: {' and '.join(free)} cannot be found: what was computed is 0, or the same everywhere\n  help: leave one out")
    solved = np.linalg.lstsq(matrix / size, (measured - fixed) / sigma, rcond=None)[0] / size
    spread = np.sqrt(np.linalg.inv((matrix / size).T @ (matrix / size)).diagonal()) / size
    return known | dict(zip(free, solved.tolist())), dict(zip(free, spread.tolist()))
