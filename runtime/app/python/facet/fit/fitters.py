"""Fits by other packages: scipy.optimize, lmfit, bumps with its DREAM, its other fitters, its web view."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..arguments import word
from ..errors import Error
from ..executor import Executor
from .content import Numbers
from .data import Data
from .packages import needed
from .picture import picture
from .problem import Problem
from .result import Fit


def least_squares(problem: Problem, *, executor: Executor | None = None, **options: Any) -> Fit:
    """The least sum of squared residuals within the bounds, by a trust region; derivatives are the problem's.

    executor: of concurrent.futures, or a client of Dask: computes columns of Jacobians, one a worker.
    options: what scipy.optimize.least_squares takes: max_nfev, xtol, ftol, loss, verbose, ...
    """
    optimize = needed("scipy.optimize", "least_squares")
    began, evaluations = time.perf_counter(), problem.evaluations
    checked_start(problem)
    with problem.on(executor):
        found = optimize.least_squares(problem.residuals, problem.start, **{
            "jac": problem.jacobian, "bounds": tuple(problem.bounds), "x_scale": "jac", "xtol": 1e-6, "ftol": 1e-8, **options})
        message = found.message.rstrip(".") if found.success else f"did not converge: {found.message.rstrip('.')}"
        return Fit.of(problem, found.x, evaluations=evaluations, seconds=time.perf_counter() - began, message=message, found=found)


def lbfgs(problem: Problem, *, executor: Executor | None = None, **options: Any) -> Fit:
    """The least nllf within the bounds, by L-BFGS: for many parameters, and for what has no residuals; derivatives are Problem.gradient.

    executor: as of least_squares, of a model without ``pull``; the gradient of one that has it takes no Jacobian.
    options: of scipy.optimize.minimize(method="L-BFGS-B"): maxiter, maxcor, ftol, gtol, ...
    """
    optimize = needed("scipy.optimize", "lbfgs")
    began, evaluations = time.perf_counter(), problem.evaluations
    checked_start(problem)
    size = np.maximum(np.abs(problem.start), 1e-3 * np.minimum(problem.bounds[1] - problem.bounds[0], 1e3))
    with problem.on(executor):
        found = optimize.minimize(lambda x: problem.nllf(x * size), problem.start / size, jac=lambda x: problem.gradient(x * size) * size,
                                  method="L-BFGS-B", bounds=(problem.bounds / size).T, options={"maxiter": 200, "ftol": 1e-12, **options})
        message = str(found.message).rstrip(".") if found.success else f"did not converge: {str(found.message).rstrip('.')}"
        return Fit.of(problem, found.x * size, evaluations=evaluations, seconds=time.perf_counter() - began,
                      message=message, found=found)


def checked_start(problem: Problem) -> None:
    """An Error if no derivative can be taken where a problem starts."""
    if not np.isfinite(problem.nllf(problem.start)):
        raise Error("start: the theory is 0 or below where there are counts\n  help: start with a background above 0")


def lmfit_parameters(problem: Problem) -> Any:
    """All parameters of a problem as lmfit.Parameters, to be tied by expressions or given other bounds; lmfit.minimize and
    lmfit.Minimizer take them, with ``lambda p: problem.residuals([p[name].value for name in problem.names])``."""
    lmfit = needed("lmfit", "lmfit_parameters")
    parameters = lmfit.Parameters()
    for name, p in problem.parameters.items():
        parameters.add(name, value=p.value, vary=not p.fixed, min=p.low, max=p.high)
    return parameters


def lmfit_fit(problem: Problem, method: str = "least_squares", *, executor: Executor | None = None, **options: Any) -> Fit:
    """The best parameters by a method of lmfit: "least_squares", "leastsq", "nelder", "differential_evolution", ...

    executor: as of least_squares; other methods call the model once after another.
    options: what lmfit.Minimizer.minimize hands to the method. Errors are those of the likelihood, not scaled by chi2;
    lmfit's own result is Fit.found, for lmfit.conf_interval and reports.
    """
    lmfit = needed("lmfit", "lmfit_fit")
    began, evaluations = time.perf_counter(), problem.evaluations
    checked_start(problem)

    def vector(parameters: Any) -> Numbers:
        return np.array([parameters[name].value for name in problem.names])

    minimizer = lmfit.Minimizer(lambda p: problem.residuals(vector(p)), lmfit_parameters(problem), scale_covar=False, calc_covar=False)
    own: dict[str, dict[str, Any]] = {"least_squares": {"jac": lambda p: problem.jacobian(vector(p))}, "leastsq": {"epsfcn": problem.step**2}}
    with problem.on(executor):
        found = minimizer.minimize(method=method, **{**own.get(method, {}), **options})
        return Fit.of(problem, vector(found.params), evaluations=evaluations, seconds=time.perf_counter() - began,
                      message=f"{method}: {str(found.message).rstrip('.')}", found=found)


class Fitness:
    """A problem as bumps takes it: ``bumps.fitproblem.FitProblem(Fitness(problem))``.

    Attributes:
        problem: what is fitted.
        pars: {name: bumps.parameter.Parameter}, to be tied to those of other models, or given other priors.
    """

    def __init__(self, problem: Problem) -> None:
        parameter = needed("bumps.parameter", "Fitness")
        self.problem = problem
        self.name = problem.data.name
        self.pars: dict[str, Any] = {}
        for name, p in problem.parameters.items():
            self.pars[name] = parameter.Parameter(p.value, name=name)
            if not p.fixed:
                self.pars[name].range(p.low, p.high)
        self._measured: Data = problem.data

    def parameters(self) -> list[Any]:
        """All of them."""
        return list(self.pars.values())

    def _vector(self) -> Numbers:
        return np.array([self.pars[name].value for name in self.problem.names], dtype=np.float64)

    def update(self) -> None:
        """Parameters have changed: what they do not touch is kept by the problem."""

    def numpoints(self) -> int:
        """How many values are compared."""
        return self.problem.points

    def nllf(self) -> float:
        """Half of chi2, or of the deviance."""
        return self.problem.nllf(self._vector())

    def residuals(self) -> Numbers:
        """Shape (points,)."""
        return self.problem.residuals(self._vector())

    def theory(self) -> Numbers:
        """In the shape of the data."""
        return self.problem.theory(self._vector())

    def plot(self, view: str = "linear") -> None:
        """Data, model and residuals in matplotlib's current figure."""
        import matplotlib.pyplot as plt

        picture(self.problem.data, self.theory(), self.problem.image(self._vector()), plt.gcf())

    def resynth_data(self) -> None:
        """Other data that the same likelihood could have given."""
        old, random = self._measured, np.random.default_rng()
        left_out = old.left_out
        if self.problem.likelihood == "poisson":
            drawn = random.poisson(np.where(left_out, 0, old.values)).astype(np.float64)
        else:
            assert old.errors is not None
            drawn = random.normal(old.values, np.where(left_out, 0, old.errors))
        self.problem.data = with_values(old, np.where(left_out, old.values, drawn))

    def restore_data(self) -> None:
        """The data that were measured."""
        self.problem.data = self._measured

    def save(self, basename: str) -> None:
        """Nothing beside what bumps saves."""


def with_values(data: Data, values: Numbers) -> Data:
    """The same with other values."""
    return Data(values, data.errors, data.mask, counts=data.counts, axes=data.axes, name=data.name)


def bumps_fit(problem: Problem, method: str = "dream", *, executor: Executor | None = None, **options: Any) -> Fit:
    """The best parameters by a fitter of bumps: "dream", "amoeba", "de", "newton", "lm", ...

    executor: as of least_squares; computes populations, of "dream" and "de".
    options: what bumps.fitters.fit takes: samples, burn, pop, steps, ... Errors and covariance are those of DREAM's
    samples, else of the likelihood; bumps' own result is Fit.found: of DREAM, bumps.dream.views.plot_all(fit.found.state)
    draws all it knows.
    """
    fitters, fitproblem = needed("bumps.fitters", "bumps_fit"), needed("bumps.fitproblem", "bumps_fit")
    if word(method, "method") not in fitters.FIT_AVAILABLE_IDS:
        raise Error(f"method: bumps has no '{method}'\n  help: it has {', '.join(sorted(fitters.FIT_AVAILABLE_IDS))}")
    began, evaluations = time.perf_counter(), problem.evaluations
    whole = fitproblem.FitProblem(Fitness(problem))
    order = whole.labels()
    back = [order.index(name) for name in problem.names]
    with problem.on(executor):
        found = fitters.fit(whole, method=method, **options) if executor is None else _bumps_on(problem, whole, back, method, options)
        covariance = None
        if method == "dream":
            covariance = np.atleast_2d(np.cov(found.state.draw().points.T))[np.ix_(back, back)]
        return Fit.of(problem, np.asarray(found.x)[back], evaluations=evaluations, seconds=time.perf_counter() - began,
                      message=f"bumps, {method}", found=found, covariance=covariance)


def _bumps_on(problem: Problem, whole: Any, back: list[int], method: str, options: dict[str, Any]) -> Any:
    """What bumps.fitters.fit does, which takes no mapper: its populations are fetched together. ``back``: where our parameters are."""
    fitters, optimize = needed("bumps.fitters", "bumps_fit"), needed("scipy.optimize", "bumps_fit")
    low, high = problem.bounds

    def mapper(points: Any) -> list[float]:
        own = [np.asarray(point, np.float64)[back] for point in points]
        problem.fetch(vector for vector in own if ((low <= vector) & (vector <= high)).all())
        return [whole.nllf(point) for point in points]

    driver = fitters.FitDriver(next(one for one in fitters.FITTERS if one.id == method), whole, monitors=[], mapper=mapper, **options)
    driver.clip()
    x, nllf = driver.fit()
    return optimize.OptimizeResult(x=x, fun=nllf, dx=driver.stderr(), success=True, labels=whole.labels(), state=driver.fitter.state)
