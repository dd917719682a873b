"""Values of a kernel before they are numbers: what operators and functions make of q, records and parameters.

A value knows its operation, its operands and the place in Python that made it. Its class is its type in a kernel file.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Iterator
from typing import Any, TYPE_CHECKING, TypeVar

import numpy as np

from .expressions import Constant, shown
from .mistakes import mistake, nearest
from .places import Spot, asking, spot
from .questions import asked

_serial = itertools.count()
keep = object.__setattr__


class Value:
    """A number, a vector or a condition that each record and each q has."""

    __slots__ = ("_op", "_args", "_spot", "_serial")
    __hash__ = object.__hash__
    #: "a number"
    _called = "a value"
    _op: str
    _args: tuple[Any, ...]
    _spot: Spot
    _serial: int

    if TYPE_CHECKING:  # what a value may have: a vector its components
        @property
        def x(self) -> Value: ...
        @property
        def y(self) -> Value: ...
        @property
        def z(self) -> Value: ...
        @property
        def real(self) -> Value: ...
        @property
        def imag(self) -> Value: ...
        def __iter__(self) -> Iterator[Value]: ...

    def __getattr__(self, name: str) -> Any:
        raise mistake("component", shown(self), self._called, name, self._instead(name))

    def _instead(self, name: str) -> str:
        return "write facet.norm, dot or a function of docs/language.md" if name not in ("x", "y", "z") else "write it without: it has no components"

    def __setattr__(self, name: str, value: object) -> None:
        if name not in Value.__slots__:
            raise mistake("frozen", name, shown(self))
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return shown(self)

    # Arithmetic.
    def __add__(self, other: Any) -> Value:
        return arithmetic("+", self, other)

    def __radd__(self, other: Any) -> Value:
        return arithmetic("+", other, self)

    def __sub__(self, other: Any) -> Value:
        return arithmetic("-", self, other)

    def __rsub__(self, other: Any) -> Value:
        return arithmetic("-", other, self)

    def __mul__(self, other: Any) -> Value:
        return arithmetic("*", self, other)

    def __rmul__(self, other: Any) -> Value:
        return arithmetic("*", other, self)

    def __truediv__(self, other: Any) -> Value:
        return arithmetic("/", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return arithmetic("/", other, self)

    def __matmul__(self, other: Any) -> Value:
        return product(self, other)

    def __rmatmul__(self, other: Any) -> Value:
        return product(other, self)

    def __neg__(self) -> Value:
        return negative(self)

    def __pos__(self) -> Value:
        return self

    def __pow__(self, exponent: Any) -> Value:
        return power(self, exponent)

    def __rpow__(self, base: Any) -> Value:
        raise mistake("power", base, shown(self))

    def __abs__(self) -> Value:
        return unary("abs", real, number(self, "abs"))

    # Conditions.
    def __lt__(self, other: Any) -> Value:
        return comparison("<", self, other)

    def __le__(self, other: Any) -> Value:
        return comparison("<=", self, other)

    def __gt__(self, other: Any) -> Value:
        return comparison(">", self, other)

    def __ge__(self, other: Any) -> Value:
        return comparison(">=", self, other)

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return comparison("==", self, other)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return comparison("!=", self, other)

    def __and__(self, other: Any) -> Value:
        return logical("&&", self, other)

    def __rand__(self, other: Any) -> Value:
        return logical("&&", other, self)

    def __or__(self, other: Any) -> Value:
        return logical("||", self, other)

    def __ror__(self, other: Any) -> Value:
        return logical("||", other, self)

    def __invert__(self) -> Value:
        return logical("!", self)

    # What Python asks of numbers that are known.
    def __bool__(self) -> bool:
        raise mistake("truth", shown(self), asked(asking(), shown(self)))

    def __float__(self) -> float:
        raise mistake("number", shown(self))

    __complex__ = __int__ = __index__ = __round__ = __float__
    __trunc__ = __floor__ = __ceil__ = __float__

    def __floordiv__(self, other: Any) -> Value:
        raise mistake("operator", "//", "write /: kernels have no whole numbers")

    def __mod__(self, other: Any) -> Value:
        raise mistake("operator", "%", "write sin or cos for what repeats")

    def __xor__(self, other: Any) -> Value:
        raise mistake("operator", "^", f"write {shown(self)} ** 2 for a power, (a | b) & ~(a & b) for conditions")

    def __lshift__(self, other: Any) -> Value:
        raise mistake("operator", "<<", "write a product with a power of two")

    __rfloordiv__, __rmod__, __rxor__, __rlshift__, __rshift__, __rrshift__ = __floordiv__, __mod__, __xor__, __lshift__, __lshift__, __lshift__

    def __getitem__(self, key: Any) -> Value:
        raise mistake("operator", "[]", f"write it without: {shown(self)} is {self._called}")


class boolean(Value):
    """A condition, true or false for each record and q."""

    __slots__ = ()
    _called = "a condition"


class Scalar(Value):
    """A number, real or complex."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            return PARTS[name](self)
        return super().__getattr__(name)


class real(Scalar):
    """A real number. As an annotation: a column that is one."""

    __slots__ = ()
    _called = "a real number"


class cplx(Scalar):
    """A complex number, ``cplx(a, b)`` of two reals. As an annotation: a member of a sum that is one."""

    __slots__ = ()
    _called = "a complex number"

    def __new__(cls, a: Any, b: Any = None) -> Any:
        parts = [number(a, "cplx")] if b is None else [number(part, "cplx", real) for part in (a, b)]
        return made(cplx, "cplx", *parts)


class Triple(Value):
    """Three of a kind: the components of a vector, the rows of a matrix."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in ("x", "y", "z"):
            return made(self._part(), "." + name, self)
        if name in PARTS:
            return PARTS[name](self)
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return ["x", "y", "z", *super().__dir__()]

    def __getitem__(self, key: Any) -> Value:
        if not isinstance(key, int) or not -3 <= key < 3:
            raise mistake("subscript", shown(self), repr(key))
        return made(self._part(), "." + "xyz"[key], self)

    def __iter__(self) -> Iterator[Value]:
        return iter([self[0], self[1], self[2]])

    def _part(self) -> type[Value]:
        return PART[type(self)]

    def _instead(self, name: str) -> str:
        return nearest(name, ("x", "y", "z"), "components")


class vec3(Triple):
    """A real vector, ``vec3(a, b, c)``. As an annotation: a column that is one."""

    __slots__ = ()
    _called = "a real vector"

    def __new__(cls, a: Any, b: Any, c: Any) -> Any:
        return made(vec3, "vec3", *(number(part, "vec3", real) for part in (a, b, c)))


class cvec3(Triple):
    """A complex vector, ``cvec3(a, b, c)``. As an annotation: a member of a sum that is one."""

    __slots__ = ()
    _called = "a complex vector"

    def __new__(cls, a: Any, b: Any, c: Any) -> Any:
        return made(cvec3, "cvec3", *(number(part, "cvec3") for part in (a, b, c)))


class mat3(Triple):
    """A real matrix of three rows, ``mat3(a, b, c)``."""

    __slots__ = ()
    _called = "a matrix"

    def __new__(cls, a: Any, b: Any, c: Any) -> Any:
        return made(mat3, "mat3", *(vector(row, "mat3", vec3) for row in (a, b, c)))


#: the type of a component, or of a row
PART: dict[type[Value], type[Value]] = {vec3: real, cvec3: cplx, mat3: vec3}
NUMBER = {True: cplx, False: real}
VECTOR = {True: cvec3, False: vec3}
INSTEAD = {"+": "add numbers to numbers, and vectors to vectors", "-": "subtract numbers from numbers, and vectors from vectors",
           "/": "divide by a number, as norm or .x of it"}


Kind = TypeVar("Kind", bound=Value)


def made(kind: type[Kind], op: str, *args: Any) -> Kind:
    """A value of this type, made at the place in Python that is executed."""
    self = object.__new__(kind)
    keep(self, "_op", op)
    keep(self, "_args", args)
    keep(self, "_spot", spot())
    keep(self, "_serial", next(_serial))
    return self


def is_complex(value: Value) -> bool:
    return isinstance(value, (cplx, cvec3))


def is_number(given: Any) -> bool:
    """Whether it is a number that Python knows."""
    return isinstance(given, (numbers.Number, np.number, np.bool_)) or (isinstance(given, np.ndarray) and given.ndim == 0 and given.dtype.kind in "biufc")


def literal(given: Any) -> Value:
    """A number that Python knows, as a value."""
    if isinstance(given, Constant):
        return made(real, "number", given)
    if isinstance(given, (numbers.Integral, np.bool_)):
        plain: complex = int(given)
    else:
        plain = complex(given)
        plain = plain if isinstance(given, (complex, np.complexfloating)) or plain.imag else plain.real
    try:
        finite = math.isfinite(plain.real) and math.isfinite(plain.imag)
    except OverflowError:
        finite = False
    if not finite:
        raise mistake("finite", given)
    return made(cplx if isinstance(plain, complex) else real, "number", plain)


def valued(given: Any) -> Value:
    """What a kernel computes with, of a value, a number, or three of these."""
    if isinstance(given, Value):
        return given
    if is_number(given):
        return literal(given)
    if isinstance(given, (list, tuple, np.ndarray)) and len(given) == 3:
        parts = [valued(part) for part in given]
        if all(isinstance(part, Scalar) for part in parts):
            kind = VECTOR[any(map(is_complex, parts))]
            return made(kind, kind.__name__, *parts)
        if all(isinstance(part, vec3) for part in parts):
            return made(mat3, "mat3", *parts)
    raise mistake("foreign", short(given), type(given).__name__)


def short(given: Any) -> str:
    text = shown(given) if isinstance(given, Value) else repr(given)
    return text if len(text) <= 60 and "\n" not in text else type(given).__name__


def number(given: Any, function: str, kind: type[Scalar] = Scalar) -> Value:
    """A number, of a function's arguments."""
    value = valued(given)
    if isinstance(value, boolean):
        raise mistake("condition", shown(value))
    if not isinstance(value, kind):
        raise mistake("arguments", function, f"{shown(value)}, {value._called}", f"{function} of {'a real number' if kind is real else 'a number'}")
    return value


def vector(given: Any, function: str, kind: type[Triple] | tuple[type[Triple], ...] = (vec3, cvec3)) -> Value:
    """A vector, of a function's arguments."""
    value = valued(given)
    if not isinstance(value, kind):
        raise mistake("arguments", function, f"{shown(value)}, {value._called}", f"{function} of {'a real vector' if kind is vec3 else 'a vector'}")
    return value


def unary(op: str, kind: type[Value], value: Value) -> Value:
    return made(kind, op, value)


def arithmetic(op: str, left: Any, right: Any) -> Value:
    """a + b, a - b, a * b, a / b; 0 + b is b, as Python's sums begin."""
    a, b = valued(left), valued(right)
    if op == "+" and type(left) is int and left == 0 and not isinstance(b, boolean):
        return b
    for side in (a, b):
        if isinstance(side, boolean):
            raise mistake("condition", shown(side))
    kind = _times(a, b) if op == "*" else _over(a, b) if op == "/" else _plus(a, b)
    if kind is None:
        if op == "*" and not isinstance(a, mat3) and not isinstance(b, mat3):
            raise mistake("vectors", shown(a), shown(b))
        raise mistake("operands", op, f"{shown(a)}, {a._called},", f"{shown(b)}, {b._called}", INSTEAD.get(op, "write a matrix before a vector"))
    return made(kind, op, a, b)


def _plus(a: Value, b: Value) -> type[Value] | None:
    mixed = is_complex(a) or is_complex(b)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return NUMBER[mixed]
    if isinstance(a, mat3) or isinstance(b, mat3):
        return mat3 if isinstance(a, mat3) and isinstance(b, mat3) else None
    return VECTOR[mixed] if isinstance(a, Triple) and isinstance(b, Triple) else None


def _times(a: Value, b: Value) -> type[Value] | None:
    mixed = is_complex(a) or is_complex(b)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return NUMBER[mixed]
    if isinstance(a, mat3) and isinstance(b, (vec3, cvec3)):
        return VECTOR[mixed]
    if isinstance(a, mat3) or isinstance(b, mat3):
        return None if mixed or isinstance(a, vec3) else mat3
    return VECTOR[mixed] if isinstance(a, Scalar) or isinstance(b, Scalar) else None


def _over(a: Value, b: Value) -> type[Value] | None:
    mixed = is_complex(a) or is_complex(b)
    if not isinstance(b, Scalar):
        return None
    if isinstance(a, mat3):
        return None if mixed else mat3
    return NUMBER[mixed] if isinstance(a, Scalar) else VECTOR[mixed]


def product(left: Any, right: Any) -> Value:
    """a @ b: the dot product of vectors, else of a matrix."""
    a, b = valued(left), valued(right)
    if isinstance(a, (vec3, cvec3)) and isinstance(b, (vec3, cvec3)):
        return made(NUMBER[is_complex(a) or is_complex(b)], "dot", a, b)
    return arithmetic("*", a, b)


def negative(of: Any) -> Value:
    value = valued(of)
    if isinstance(value, boolean):
        raise mistake("condition", shown(value))
    return made(_plain(type(value)), "neg", value)


def _plain(kind: type[Value]) -> type[Value]:
    """The type of the language itself: q is a vector."""
    return next(base for base in kind.__mro__ if base in (real, cplx, vec3, cvec3, mat3, boolean))


def power(base: Any, exponent: Any) -> Value:
    """a ** c: of reals pow; of complex numbers, small whole powers, the product."""
    a = number(base, "pow")
    if not is_number(exponent) or isinstance(exponent, complex):
        raise mistake("power", shown(a), short(exponent))
    if isinstance(a, cplx):
        if exponent not in (1, 2, 3, 4):
            raise mistake("power_complex", shown(a), exponent)
        whole: Value = a
        for _ in range(int(exponent) - 1):
            whole = arithmetic("*", whole, a)
        return whole
    if not -1000 <= float(exponent) <= 1000:
        raise mistake("power_range", shown(a), exponent)
    return made(real, "pow", a, literal(exponent))


def comparison(op: str, left: Any, right: Any) -> Value:
    a, b = valued(left), valued(right)
    for side in (a, b):
        if isinstance(side, boolean):
            raise mistake("condition", shown(side))
    if not isinstance(a, real) or not isinstance(b, real):
        raise mistake("order", shown(a), op, shown(b))
    return made(boolean, op, a, b)


def logical(op: str, *given: Any) -> Value:
    """&, | and ~ of conditions; those that Python knows are chosen by."""
    for side in given:
        if not isinstance(side, (boolean, bool, np.bool_)):
            raise mistake("conditions", {"&&": "&", "||": "|", "!": "~"}[op], short(side), side._called if isinstance(side, Value) else "no condition")
    known = [side for side in given if not isinstance(side, boolean)]
    if known:  # of two, one is a value
        other = next(side for side in given if isinstance(side, boolean))
        decides = bool(known[0]) == (op == "||")
        return known[0] if decides else other
    return made(boolean, op, *given)


def _part_of(op: str) -> Any:
    def part(value: Value) -> Value:
        kind = {real: real, cplx: real, vec3: vec3, cvec3: vec3}.get(_plain(type(value)))
        if kind is None:
            raise mistake("arguments", op, f"{shown(value)}, {value._called}", f"{op} of a number or a vector")
        return made(kind, op, value)
    return part


def conjugate(value: Value) -> Value:
    kind = _plain(type(value))
    if kind in (boolean, mat3):
        raise mistake("arguments", "conj", f"{shown(value)}, {value._called}", "conj of a number or a vector")
    return made(kind, "conj", value)


#: what NumPy's arrays and Python's numbers have, by the functions of the language
PARTS = {"real": _part_of("re"), "imag": _part_of("im"), "conjugate": lambda value: lambda: conjugate(value), "conj": lambda value: lambda: conjugate(value)}
