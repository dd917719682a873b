"""Fits by lmfit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .by_scipy import checked_start
from .content import Numbers
from .packages import needed
from .problem import Problem
from .result import Fit


def lmfit_parameters(problem: Problem) -> Any:
    """All parameters of a problem as lmfit.Parameters, to be tied by expressions or given other bounds; lmfit.minimize and
    lmfit.Minimizer take them, with ``lambda p: problem.residuals([p[name].value for name in problem.names])``."""
    lmfit = needed("lmfit", "lmfit_parameters")
    parameters = lmfit.Parameters()
    for name, p in problem.parameters.items():
        parameters.add(name, value=p.value, vary=not p.fixed, min=p.low, max=p.high)
    return parameters


def lmfit_fit(problem: Problem, method: str = "least_squares", **options: Any) -> Fit:
    """The best parameters by a method of lmfit: "least_squares", "leastsq", "nelder", "differential_evolution", ...

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
    found = minimizer.minimize(method=method, **{**own.get(method, {}), **options})
    return Fit.of(problem, vector(found.params), evaluations=evaluations, seconds=time.perf_counter() - began,
                  message=f"{method}: {str(found.message).rstrip('.')}", found=found)
