"""The words of kernels written in Python: ``from facet.language import *``, or each as ``facet.exp``.

Types (real, cplx, vec3, cvec3, mat3), what records, parameters and grids are made of, and the functions of docs/language.md.
"""

from . import arrays as _arrays  # noqa: F401  (what NumPy asks of values)
from .declarations import Params, Record, Triangle, direction3, fixed, fixed3, offset3, param, per, points, position3, product, scaled
from .functions import (abs, atan2, cis, cism1, conj, cos, cross, dot, erf, erfc, exp, expm1, i, im, log, max, mean_cis, mean_cism1, min, norm, norm2,
                        outer, pi, pow, re, select, sin, sinc, sqrt, transpose, where)
from .values import Value, boolean, cplx, cvec3, mat3, real, vec3

__all__ = ["Params", "Record", "Triangle", "Value", "abs", "atan2", "boolean", "cis", "cism1", "conj", "cos", "cplx", "cross", "cvec3", "direction3", "dot", "erf",
           "erfc", "exp", "expm1", "fixed", "fixed3", "i", "im", "log", "mat3", "max", "mean_cis", "mean_cism1", "min", "norm", "norm2", "offset3", "outer",
           "param", "per", "pi", "points", "position3", "pow", "product", "re", "real", "scaled", "select", "sin", "sinc", "sqrt", "transpose", "vec3",
           "where"]
