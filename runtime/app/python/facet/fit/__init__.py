"""Fits of models to measured images and curves.

>>> import numpy as np
>>> from facet import fit
>>> class Line:
...     names = ["slope"]
...     def __call__(self, values):
...         return values["slope"] * np.arange(1.0, 6.0)
>>> data = fit.Data([2.1, 3.9, 6.0, 8.1, 9.9], errors=np.full(5, 0.1))
>>> problem = fit.Problem(Line(), data, {"slope": (1.0, 0.0, 10.0)})
>>> found = fit.least_squares(problem)
>>> f"{found.values['slope']:.3f} +- {found.errors['slope']:.3f}"
'1.996 +- 0.013'

What fits by itself is imported when it is used: scipy, lmfit, bumps, sasmodels.
"""

from .comparison import Comparison, compare
from .data import Data
from .experiment import ExperimentModel
from .fitters import Fitness, bumps_fit, lbfgs, least_squares, lmfit_fit, lmfit_parameters
from .model import CurveModel, Model, PlanModel
from .problem import Parameter, Problem
from .result import Fit
from .sasview import plugin

__all__ = ["Comparison", "CurveModel", "Data", "ExperimentModel", "Fit", "Fitness", "Model", "Parameter", "PlanModel", "Problem",
           "bumps_fit", "compare", "lbfgs", "least_squares", "lmfit_fit", "lmfit_parameters", "plugin"]
