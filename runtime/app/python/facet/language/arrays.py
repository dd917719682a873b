"""NumPy on values: its ufuncs and functions by those of the language, ``np.exp(x)``; of arrays element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import functions
from .mistakes import mistake
from .values import PARTS, Triple, Value, is_number, logical, product, valued

#: ufuncs by name; scipy.special has erf and erfc
UFUNCS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "true_divide": operator.truediv,
    "negative": operator.neg, "positive": operator.pos, "power": operator.pow, "float_power": operator.pow, "square": lambda a: a * a,
    "reciprocal": lambda a: 1.0 / a, "exp": functions.exp, "expm1": functions.expm1, "log": functions.log, "sin": functions.sin, "cos": functions.cos,
    "sqrt": functions.sqrt, "absolute": functions.abs, "fabs": functions.abs, "conjugate": functions.conj, "minimum": functions.min,
    "maximum": functions.max, "fmin": functions.min, "fmax": functions.max, "arctan2": functions.atan2, "erf": functions.erf, "erfc": functions.erfc,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge, "equal": operator.eq,
    "not_equal": operator.ne, "logical_and": lambda a, b: logical("&&", a, b), "logical_or": lambda a, b: logical("||", a, b),
    "logical_not": lambda a: logical("!", a), "bitwise_and": lambda a, b: logical("&&", a, b), "bitwise_or": lambda a, b: logical("||", a, b),
    "invert": lambda a: logical("!", a), "matmul": product, "vecdot": lambda a, b: functions.dot(functions.conj(a), b),
}
#: functions that are none
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": functions.where, "dot": product, "inner": functions.dot, "vdot": lambda a, b: functions.dot(functions.conj(a), b), "cross": functions.cross,
    "real": functions.re, "imag": functions.im, "norm": functions.norm, "outer": functions.outer, "transpose": functions.transpose,
}
#: what to write for others
INSTEAD = {
    "tan": "sin(a) / cos(a)", "sinh": "(exp(a) - exp(-a)) / 2", "cosh": "(exp(a) + exp(-a)) / 2", "tanh": "1 - 2 / (exp(2 * a) + 1)",
    "arctan": "facet.atan2(a, 1)", "arcsin": "facet.atan2(a, facet.sqrt(1 - a * a))", "arccos": "facet.atan2(facet.sqrt(1 - a * a), a)",
    "log10": "facet.log(a) / math.log(10)", "log2": "facet.log(a) / math.log(2)", "log1p": "facet.log(1 + a)", "exp2": "facet.exp(a * math.log(2))",
    "cbrt": "a ** (1 / 3)", "hypot": "facet.sqrt(a * a + b * b)", "sign": "facet.where(a < 0, -1, 1)", "heaviside": "facet.where(a < 0, 0, 1)",
    "sinc": "facet.sinc(facet.pi * a): numpy.sinc has pi in it", "clip": "facet.min(facet.max(a, least), most)", "angle": "facet.atan2(im(a), re(a))",
    "arctan2": "facet.atan2(y, x)", "deg2rad": "a * facet.pi / 180", "rad2deg": "a * 180 / facet.pi", "sum": "Python's sum, or +",
}


def ufunc(self: Value, function: Any, method: str, *given: Any, **named: Any) -> Any:
    """What NumPy's function of numbers is of values."""
    if method != "__call__" or named or function.__name__ not in UFUNCS:
        _refuse(function.__name__)
    return _each(UFUNCS[function.__name__], given)


def array_function(self: Value, function: Any, types: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What NumPy's other functions are."""
    if named or function.__name__ not in FUNCTIONS:
        _refuse(function.__name__)
    return FUNCTIONS[function.__name__](*given)


def _refuse(name: str) -> None:
    raise mistake("numpy", name, INSTEAD.get(name, "it with the functions of docs/language.md, or on numbers before"))


def _each(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """The function of its arguments; of an array of others than three numbers beside a vector, or nine beside one, element by element."""
    whole = [valued(a) if _is_vector(a, given) else a for a in given]
    if any(isinstance(a, np.ndarray) and a.ndim > 0 for a in whole):
        boxes = np.broadcast_arrays(*map(_boxed, whole))
        made = np.empty(boxes[0].shape, object)
        for at in np.ndindex(made.shape):
            made[at] = function(*(box[at] for box in boxes))
        return made
    if not any(isinstance(a, Value) for a in whole[:1]) and is_number(whole[0]):
        whole[0] = whole[0].item() if isinstance(whole[0], (np.generic, np.ndarray)) else whole[0]
    return function(*whole)


def _boxed(one: Any) -> Any:
    """An array, or one of a value alone."""
    if isinstance(one, np.ndarray):
        return one
    box = np.empty((), object)
    box[()] = one
    return box


def _is_vector(one: Any, given: tuple[Any, ...]) -> bool:
    beside = any(isinstance(a, Triple) for a in given)
    return isinstance(one, np.ndarray) and beside and (one.shape == (3,) or one.shape == (3, 3))


def attach() -> None:
    """Gives values what NumPy asks them for."""
    for name, function in (("__array_ufunc__", ufunc), ("__array_function__", array_function)):
        setattr(Value, name, function)
    for name in ("exp", "expm1", "log", "sin", "cos", "sqrt", "erf", "erfc"):  # arrays of values call these
        PARTS[name] = lambda value, function=UFUNCS[name]: lambda: function(value)


attach()
