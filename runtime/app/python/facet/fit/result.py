"""What a fit has found: values with their uncertainties, and how good they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from .content import Numbers
from .picture import picture
from .problem import Problem


@dataclass(frozen=True, repr=False)
class Fit:
    """The best parameters of a problem.

    Attributes:
        problem: what was fitted.
        names: of the free parameters.
        values: of all parameters, by name, fixed ones too.
        errors: one standard deviation of each free parameter, by name, in its unit; NaN where the data do not say it.
        covariance: of the free parameters in the order of names, shape (n, n).
        chi2: the sum of the squared residuals: chi squared, or the deviance of counts.
        points: how many values were compared.
        evaluations: calls of the model, those for the covariance too.
        seconds: of the fit.
        message: why the fitter ended.
        found: what the fitter itself returned.
    """

    problem: Problem = field(repr=False)
    names: list[str]
    values: dict[str, float]
    errors: dict[str, float]
    covariance: Numbers = field(repr=False)
    chi2: float
    points: int
    evaluations: int
    seconds: float
    message: str
    found: Any = field(repr=False)

    @classmethod
    def of(cls, problem: Problem, vector: Numbers, *, evaluations: int, seconds: float, message: str, found: Any,
           covariance: Numbers | None = None) -> Fit:
        """At the best vector of a problem, shape (n,). Its covariance is that of the problem if none is given.

        evaluations: of the problem's before the fit.
        """
        residuals = problem.residuals(vector)
        spread = problem.covariance(vector) if covariance is None else np.atleast_2d(covariance)
        return cls(problem, list(problem.names), problem.values(vector), dict(zip(problem.names, np.sqrt(spread.diagonal()).tolist())),
                   spread, float(residuals @ residuals), problem.points, problem.evaluations - evaluations, seconds, message, found)

    @property
    def vector(self) -> Numbers:
        """The free parameters, shape (n,)."""
        return np.array([self.values[name] for name in self.names])

    @property
    def freedom(self) -> int:
        """Points less free parameters."""
        return self.points - len(self.names)

    @property
    def reduced(self) -> float:
        """chi2 over what is expected of it, a share freedom / points of Problem.expected: about 1 where model and errors are right."""
        expected = self.problem.expected(self.vector) * self.freedom / self.points
        return self.chi2 / expected if self.freedom > 0 and expected > 0 else np.nan

    @property
    def theory(self) -> Numbers:
        """In the shape and the unit of the data."""
        return self.problem.theory(self.vector)

    @property
    def residuals(self) -> Numbers:
        """(theory - data) / errors, or roots of deviances, in the shape of the data; NaN where masked."""
        return self.problem.image(self.vector)

    @property
    def at_bounds(self) -> list[str]:
        """Free parameters that ended at a bound, whose errors say little."""
        low, high = self.problem.bounds
        near = 1e-6 * np.where(np.isfinite(high - low), high - low, 0)
        return [n for n, v, a, b, d in zip(self.names, self.vector, low, high, near) if v <= a + d or v >= b - d]

    def plot(self, figure: Any = None) -> Any:
        """Draws data, model and residuals with matplotlib: an image three panels, a curve two; returns the figure."""
        return picture(self.problem.data, self.theory, self.residuals, figure)

    @property
    def table(self) -> str:
        """The values for people to read."""
        rows = [(name, value, error + note) for name, value, error, note in self._rows()]
        widths = [max(len(row[k]) for row in rows) for k in range(2)]
        lines = [f"{name:<{widths[0]}}  {value:>{widths[1]}}  {error}".rstrip() for name, value, error in rows]
        return "\n".join([*lines, self._summary()])

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Name, value, error, a note."""
        rows, at_bounds = [], self.at_bounds
        for name, value in self.values.items():
            if name not in self.errors:
                rows.append((name, f"{value:.6g}", "fixed", ""))
                continue
            error = self.errors[name]
            known = np.isfinite(error) and error > 0
            digits = max(0, 1 - int(np.floor(np.log10(error)))) if known else 0
            plain = known and abs(value) < 1e7 and 1e-5 < error
            rows.append((name, f"{value:.{digits}f}" if plain else f"{value:.6g}", "+- " + (f"{error:.2g}" if known else "unknown"),
                         " (at a bound)" if name in at_bounds else ""))
        return rows

    def _summary(self) -> str:
        poisson = self.problem.likelihood == "poisson"
        what, of = ("deviance", "of what is expected") if poisson else ("chi2", "a degree of freedom")
        return (f"{what} {self.chi2:.5g} of {self.points} points, {self.reduced:.3g} {of}; "
                f"{self.evaluations} evaluations, {self.seconds:.3g} s; {self.message}")

    def __repr__(self) -> str:
        return self.table

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (name, value, error + note)) + "</tr>"
                       for name, value, error, note in self._rows())
        return f"<table>{rows}</table><p>{escape(self._summary())}</p>"
