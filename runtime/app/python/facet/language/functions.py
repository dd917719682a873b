"""The functions of docs/language.md: numbers of numbers that Python knows, arrays of NumPy's arrays, values of a kernel's values."""

from __future__ import annotations

import builtins
import cmath
import dataclasses
import math
from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np

from .declarations import Record, Triangle
from .expressions import PRIMARY, Constant, Text, shown
from .mistakes import mistake
from .values import (NUMBER, VECTOR, Scalar, Triple, Value, boolean, conjugate, cplx, is_complex, is_number, made, mat3, negative, number, power, real,
                     short, valued, vec3, vector)
from .values import PARTS as _PARTS

T = TypeVar("T")
#: name: (rule of codegen/ir/ops.def, operands). tests/python/test_language.py compares the two.
FUNCTIONS: dict[str, tuple[str, int]] = {
    "min": ("Real", 2), "max": ("Real", 2), "dot": ("Dot", 2), "cross": ("Cross", 2), "norm2": ("Size", 1), "norm": ("Size", 1), "conj": ("Same", 1),
    "re": ("ToReal", 1), "im": ("ToReal", 1), "abs": ("ToReal", 1), "sqrt": ("Real", 1), "exp": ("Elementary", 1), "expm1": ("Real", 1),
    "sin": ("Elementary", 1), "cos": ("Elementary", 1), "sinc": ("Elementary", 1), "log": ("Real", 1), "pow": ("Real", 2), "erf": ("Real", 1),
    "erfc": ("Real", 1), "atan2": ("Real", 2), "cis": ("Cplx", 1), "cism1": ("Cplx", 1), "mean_cis": ("Cplx", 3), "mean_cism1": ("Cplx", 3),
    "select": ("Choose", 3),
}
#: the imaginary unit
i: Value = made(cplx, "name", "i")
#: the circle's number
pi: float = Constant(math.pi, Text("pi", PRIMARY))


#: the same of numbers that Python knows, reals and complex ones; None, or none here: written out, as cis(0.5), for the kernel to compute
KNOWN: dict[str, tuple[Callable[..., Any], Callable[..., Any] | None]] = {
    "min": (builtins.min, None), "max": (builtins.max, None), "norm2": (lambda a: a * a, lambda a: builtins.abs(a) ** 2),
    "re": (lambda a: a, lambda a: a.real), "im": (lambda a: 0.0, lambda a: a.imag), "conj": (lambda a: a, lambda a: a.conjugate()),
    "norm": (builtins.abs, builtins.abs), "abs": (builtins.abs, builtins.abs), "sqrt": (math.sqrt, cmath.sqrt), "exp": (math.exp, cmath.exp), "expm1": (math.expm1, None),
    "sin": (math.sin, cmath.sin), "cos": (math.cos, cmath.cos), "log": (math.log, None), "erf": (math.erf, None), "erfc": (math.erfc, None),
    "sinc": (lambda a: math.sin(a) / a if a else 1.0, None), "atan2": (math.atan2, None), "pow": (builtins.pow, None),
}


def _known(name: str, given: tuple[Any, ...]) -> Any:
    """The number of numbers; None where one is a value."""
    if name not in KNOWN or not all(is_number(a) for a in given):
        return None
    of_reals, of_complex = KNOWN[name]
    function = of_complex if any(isinstance(a, (complex, np.complexfloating)) for a in given) else of_reals
    if function is None:
        return None
    try:
        return function(*given)
    except (ArithmeticError, ValueError):
        raise mistake("finite", f"{name}({', '.join(map(repr, given))})") from None


def _mapped(function: Callable[..., Any], name: str, given: tuple[Any, ...]) -> Any:
    """An array of what the function makes of each element; None where no argument is an array of more than one number."""
    arrays = [a for a in given if isinstance(a, np.ndarray) and a.ndim > 0]
    if not arrays or name in ("dot", "cross", "norm", "norm2"):
        return None
    each = np.frompyfunc(function, len(given), 1)
    whole = each(*given)
    return whole if any(a.dtype == object for a in arrays) or name not in KNOWN else whole.astype(np.result_type(*arrays, float))


def called(name: str, *given: Any) -> Value:
    """The function of this name by its rule. To a type checker numbers and arrays, which it gives for such, are values."""
    known = _known(name, given)
    if known is not None:
        return known  # type: ignore[no-any-return]
    mapped = _mapped(lambda *some: called(name, *some), name, given)
    return RULES[FUNCTIONS[name][0]](name, *given) if mapped is None else mapped  # type: ignore[no-any-return]


def _complex(value: Value) -> bool:
    return isinstance(value, cplx)


def _of_reals(name: str, *given: Any) -> Value:
    values = [number(a, name) for a in given]
    if name == "sqrt" and _complex(values[0]):
        return made(cplx, name, values[0])
    for value in values:
        if _complex(value):
            raise mistake("arguments", name, f"{shown(value)}, a complex number", f"{name} of real numbers: re, im or abs of it")
    return made(real, name, *values)


def _elementary(name: str, a: Any) -> Value:
    value = number(a, name)
    return made(NUMBER[_complex(value)], name, value)


def _waves(name: str, *given: Any) -> Value:
    return made(cplx, name, *(number(a, name) for a in given))


def _to_real(name: str, a: Any) -> Value:
    value = valued(a)
    if isinstance(value, Triple) and name != "abs":
        return _PARTS["real" if name == "re" else "imag"](value)  # type: ignore[no-any-return]
    if isinstance(value, Triple):
        raise mistake("arguments", name, f"{shown(value)}, {value._called}", f"norm({shown(value)})")
    return made(real, name, number(value, name))


def _dot(name: str, a: Any, b: Any) -> Value:
    left, right = vector(a, name), vector(b, name)
    return made(NUMBER[is_complex(left) or is_complex(right)], name, left, right)


def _cross(name: str, a: Any, b: Any) -> Value:
    left, right = vector(a, name), vector(b, name)
    return made(VECTOR[is_complex(left) or is_complex(right)], name, left, right)


def _size(name: str, a: Any) -> Value:
    value = valued(a)
    if isinstance(value, Scalar):
        return made(real, name if name == "norm2" else "abs", value)
    return made(real, name, vector(value, name))


def _same(name: str, a: Any) -> Value:
    return conjugate(valued(a))


def _choose(name: str, condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    if not isinstance(condition, boolean):
        what = condition._called if isinstance(condition, Value) else "no condition"
        raise mistake("conditions", "where", short(condition), what)
    if dataclasses.is_dataclass(a) and type(a) is type(b) and not isinstance(a, type):
        return type(a)(**{f.name: _choose(name, condition, getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a)})
    return _chosen(condition, _branch(a, b), _branch(b, a))


def _branch(given: Any, other: Any) -> Value:
    if isinstance(given, (bool, np.bool_)) and isinstance(other, boolean):
        return made(boolean, "name", "true" if given else "false")
    whole = is_number(given) and is_number(other) and not isinstance(given, (complex, Constant))
    return valued(float(given) if whole else given)  # two whole numbers would be divided as such


def _chosen(condition: boolean, a: Value, b: Value) -> Value:
    mixed = is_complex(a) or is_complex(b)
    for kinds, kind in ((Scalar, NUMBER[mixed]), (mat3, mat3), (Triple, VECTOR[mixed]), (boolean, boolean)):
        if isinstance(a, kinds) and isinstance(b, kinds) and (kinds is mat3 or not isinstance(a, mat3) and not isinstance(b, mat3)):
            return made(kind, "?:", condition, a, b)
    raise mistake("branches", f"{shown(a)}, {a._called},", f"{shown(b)}, {b._called}")


RULES: dict[str, Callable[..., Any]] = {"Real": _of_reals, "Elementary": _elementary, "Cplx": _waves, "ToReal": _to_real, "Dot": _dot, "Cross": _cross,
                                        "Size": _size, "Same": _same, "Choose": _choose}


def dot(a: Any, b: Any) -> Value:
    """a.x b.x + a.y b.y + a.z b.z: nothing is conjugated."""
    return called("dot", a, b)


def cross(a: Any, b: Any) -> Value:
    """The vector product; nothing is conjugated."""
    return called("cross", a, b)


def norm2(a: Any) -> Value:
    """The sum of abs(component)^2, of a vector or a number."""
    return called("norm2", a)


def norm(a: Any) -> Value:
    """The root of norm2."""
    return called("norm", a)


def re(a: Any) -> Value:
    """The real part, of a number or a vector."""
    return called("re", a)


def im(a: Any) -> Value:
    """The imaginary part, of a number or a vector."""
    return called("im", a)


def conj(a: Any) -> Value:
    """The complex conjugate, of a number or a vector."""
    return called("conj", a)


def abs(a: Any) -> Value:
    """The absolute value or modulus, of a number."""
    return called("abs", a)


def sqrt(a: Any) -> Value:
    """The square root; of a negative real not a number: write sqrt(cplx(a))."""
    return called("sqrt", a)


def exp(a: Any) -> Value:
    """e^a."""
    return called("exp", a)


def expm1(a: Any) -> Value:
    """e^a - 1, exact near 0, of a real."""
    return called("expm1", a)


def sin(a: Any) -> Value:
    """The sine, radians."""
    return called("sin", a)


def cos(a: Any) -> Value:
    """The cosine, radians."""
    return called("cos", a)


def sinc(a: Any) -> Value:
    """sin(a) / a, 1 at 0."""
    return called("sinc", a)


def log(a: Any) -> Value:
    """The natural logarithm, of a real."""
    return called("log", a)


def pow(a: Any, c: Any) -> Value:
    """a^c of a real, c a constant from -1000 to 1000: a ** c."""
    return called("pow", a, c) if is_number(a) else power(a, c)


def erf(a: Any) -> Value:
    """The error function, of a real."""
    return called("erf", a)


def erfc(a: Any) -> Value:
    """1 - erf(a), exact in its tail, of a real."""
    return called("erfc", a)


def atan2(y: Any, x: Any) -> Value:
    """The angle of the point (x, y), -pi to pi."""
    return called("atan2", y, x)


def cis(a: Any) -> Value:
    """e^{ia}: a wave, as cis(dot(q, t.centroid))."""
    return called("cis", a)


def cism1(a: Any) -> Value:
    """e^{ia} - 1, exact near 0."""
    return called("cism1", a)


def _mean(name: str, given: tuple[Any, ...]) -> Value:
    if len(given) == 2 and isinstance(given[1], Record):
        if not isinstance(given[1], Triangle):
            raise mistake("arguments", name, f"the record {type(given[1]).__name__}", f"{name}(q, t) of a facet.Triangle, or {name} of 2 or 3 phases")
        return made(cplx, name, vector(given[0], name), given[1]._whole)
    if len(given) not in (2, 3):
        raise mistake("arguments", name, f"{len(given)} arguments", f"{name}(q, t), or {name} of the phases of 2 or 3 corners")
    return _waves(name, *given)


def mean_cis(*given: Any) -> Value:
    """mean_cis(q, t): the exact mean of e^{iq.r} over triangle t. With 2 or 3 phases: over an edge or a triangle of such corners."""
    return _mean("mean_cis", given)


def mean_cism1(*given: Any) -> Value:
    """mean_cism1(q, t): the exact mean of e^{iq.r} - 1 over triangle t. With 2 or 3 phases: likewise."""
    return _mean("mean_cism1", given)


@overload
def where(condition: Any, a: Value | complex, b: Value | complex) -> Value: ...
@overload
def where(condition: Any, a: T, b: T) -> T: ...


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b: numbers, vectors, or two of a dataclass. Both may be computed."""
    return called("select", condition, a, b)


def _extreme(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Python's own of what has no value in it, else of two or more reals."""
    if named or not any(isinstance(a, Value) for a in given) and not any(isinstance(a, np.ndarray) for a in given):
        every = given[0] if len(given) == 1 and not is_number(given[0]) else given
        if not any(isinstance(a, Value) for a in (every if isinstance(every, (list, tuple)) else ())):
            return getattr(builtins, name)(*given, **named)
        given = tuple(every)
    if len(given) == 1:
        raise mistake("arguments", name, short(given[0]), f"{name}(a, b)")
    whole = given[0]
    for other in given[1:]:
        whole = called(name, whole, other)
    return whole


@overload
def min(a: Value | float, b: Value | float, /, *more: Value | float) -> Value: ...
@overload
def min(*given: Any, **named: Any) -> Any: ...


def min(*given: Any, **named: Any) -> Any:
    """The smallest of reals; Python's own min of what is no value of a kernel."""
    return _extreme("min", given, named)


@overload
def max(a: Value | float, b: Value | float, /, *more: Value | float) -> Value: ...
@overload
def max(*given: Any, **named: Any) -> Any: ...


def max(*given: Any, **named: Any) -> Any:
    """The largest of reals; Python's own max of what is no value of a kernel."""
    return _extreme("max", given, named)


def transpose(m: Any) -> Value:
    """The matrix with its rows as columns."""
    return made(mat3, "transpose", vector(m, "transpose", mat3))


def outer(a: Any, b: Any) -> Value:
    """The matrix of a.x b.x, a.x b.y, ...; of real vectors."""
    return made(mat3, "outer", vector(a, "outer", vec3), vector(b, "outer", vec3))


select = where
__all__ = ["abs", "atan2", "cis", "cism1", "conj", "cos", "cross", "dot", "erf", "erfc", "exp", "expm1", "i", "im", "log", "max", "mean_cis", "mean_cism1",
           "min", "negative", "norm", "norm2", "outer", "pi", "pow", "re", "select", "sin", "sinc", "sqrt", "transpose", "where"]
