"""facet: form factors of triangle meshes, F(q) = finish(q, sum over t of term(q, t)), to an accuracy that is measured.

>>> import facet
>>> F = facet.kernels.exact(facet.Mesh.sphere(10), qy="-1:1:5", qz=0.5)
>>> F.shape
(5,)

Lengths are nm, q is nm^-1, angles of experiments are degrees.
"""

import sys as _sys

from . import autodiff, border, fit, kernels
from ._core import best_target as _best_target
from ._core import version as _version
from .errors import Error
from .grid import Grid
from .kernel_file import Explanation, Kernel, compile, explain
from .language import *  # noqa: F403  (its words, each of which is facet.WORD too)
from .language.decorator import kernel
from .material import material
from .mesh import Mesh
from .noise import poisson
from .notebook import load_ipython_extension
from .plan import Plan
from .results import Quantity, Result, run
from .sample import Samples, sample
from .simulation import Simulation


def version() -> str:
    """facet's version, "0.1.0"."""
    return _version


def machine() -> str:
    """The best target that this machine runs, "avx512"."""
    return _best_target()


__all__ = ["Error", "Explanation", "Grid", "Kernel", "Mesh", "Plan", "Quantity", "Result", "Samples", "Simulation", "autodiff", "compile", "explain",
           "fit", "kernel", "kernels", "machine", "material", "poisson", "run", "sample", "version"]

__version__ = _version

for _package in (_sys.modules[__name__], fit, autodiff):
    border.close(_package)
