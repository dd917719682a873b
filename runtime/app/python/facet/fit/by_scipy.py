"""Fits by scipy.optimize: least_squares, L-BFGS."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..errors import Error
from .packages import needed
from .problem import Problem
from .result import Fit


def least_squares(problem: Problem, **options: Any) -> Fit:
    """The least sum of squared residuals within the bounds, by a trust region; derivatives are the problem's.

    options: what scipy.optimize.least_squares takes: max_nfev, xtol, ftol, loss, verbose, ...
    """
    optimize = needed("scipy.optimize", "least_squares")
    began, evaluations = time.perf_counter(), problem.evaluations
    checked_start(problem)
    found = optimize.least_squares(problem.residuals, problem.start, **{
        "jac": problem.jacobian, "bounds": tuple(problem.bounds), "x_scale": "jac", "xtol": 1e-6, "ftol": 1e-8, **options})
    message = found.message.rstrip(".") if found.success else f"did not converge: {found.message.rstrip('.')}"
    return Fit.of(problem, found.x, evaluations=evaluations, seconds=time.perf_counter() - began, message=message, found=found)


def lbfgs(problem: Problem, **options: Any) -> Fit:
    """The least nllf within the bounds, by L-BFGS: for many parameters, and for what has no residuals; derivatives are Problem.gradient.

    options: of scipy.optimize.minimize(method="L-BFGS-B"): maxiter, maxcor, ftol, gtol, ...
    """
    optimize = needed("scipy.optimize", "lbfgs")
    began, evaluations = time.perf_counter(), problem.evaluations
    checked_start(problem)
    size = np.maximum(np.abs(problem.start), 1e-3 * np.minimum(problem.bounds[1] - problem.bounds[0], 1e3))
    found = optimize.minimize(lambda x: problem.nllf(x * size), problem.start / size, jac=lambda x: problem.gradient(x * size) * size,
                              method="L-BFGS-B", bounds=(problem.bounds / size).T, options={"maxiter": 200, "ftol": 1e-12, **options})
    message = str(found.message).rstrip(".") if found.success else f"did not converge: {str(found.message).rstrip('.')}"
    return Fit.of(problem, found.x * size, evaluations=evaluations, seconds=time.perf_counter() - began,
                  message=message, found=found)


def checked_start(problem: Problem) -> None:
    """An Error if no derivative can be taken where a problem starts."""
    if not np.isfinite(problem.nllf(problem.start)):
        raise Error("start: the theory is 0 or below where there are counts\n  help: start with a background above 0")
