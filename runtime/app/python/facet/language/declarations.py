"""What a kernel declares: its grid, parameters and records."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from .expressions import Constant
from .expressions import number as number_text
from .mistakes import mistake, nearest
from .places import Spot, asking, spot
from .values import Triple, Value, cplx, cvec3, is_number, keep, made, mat3, real, short, vec3

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
T = TypeVar("T", bound=Value)


def named(name: str, what: str) -> str:
    """A name that a kernel file may hold."""
    if not NAME.fullmatch(name):
        raise mistake("name", what, name, "sigma, say, for a letter of another alphabet")
    return name


class position3(vec3):
    """The type of a column that is a place: it turns, scales and moves with the particle."""


class offset3(vec3):
    """The type of a column that leads from one place to another: it turns and scales."""


class direction3(vec3):
    """The type of a column that is a direction, a moment or a director: it turns."""


class fixed3(vec3):
    """The type of a column that is of the lab: it stays."""


@dataclasses.dataclass(frozen=True)
class Column:
    """A column: what values of it are, and its type in a kernel file."""

    kind: type[Value]
    text: str


def scaled(power: int) -> Any:
    """The type of a column that grows as this power of a size: scaled(1) of a radius, scaled(3) of a volume."""
    if type(power) is not int:
        raise mistake("column_type", "scaled", "a record", short(power))
    return Column(real, f"scaled<{power}>")


def per(axis: str, kind: type[T] = real) -> T:  # type: ignore[assignment]
    """The type of a column with a number for each value of an axis too, per("Y", cplx): a table [values of the axis, records]."""
    if axis not in ("X", "Y", "Z"):
        raise mistake("axis", short(axis))
    if kind not in (real, cplx):
        raise mistake("column_type", "per", "a record", short(kind))
    return cast(T, Column(kind, f"per<{axis}, {kind.__name__}>"))


COLUMNS: dict[type[Value], Column] = {kind: Column(vec3 if issubclass(kind, vec3) else real, kind.__name__)
                                      for kind in (real, vec3, position3, offset3, direction3, fixed3)}


#: names that annotations of records may have, whatever is imported
TYPES: dict[str, Any] = {**{kind.__name__: kind for kind in COLUMNS}, "cplx": cplx, "cvec3": cvec3, "scaled": scaled, "per": per}


def annotations_of(cls: type, frame: FrameType | None = None) -> dict[str, Any]:
    """Those of a class, also where they are texts; names of types need no import."""
    scope = {**TYPES, **vars(sys.modules.get(cls.__module__, builtins)), **(frame.f_locals if frame is not None else {})}
    try:
        return inspect.get_annotations(cls, eval_str=True, locals=scope)
    except NameError as unknown:
        raise mistake("unknown", unknown.name, nearest(str(unknown.name), TYPES, "types")) from None


class Record:
    """What a kernel sums over: a class of columns, each an annotation, ``place: facet.position3``, or ``radius = facet.scaled(1)``."""

    _columns: dict[str, Column] = {}
    _spot: Spot
    _whole: Value

    def __init_subclass__(cls) -> None:
        cls._spot, frame = spot(), asking()[0]
        declared = annotations_of(cls, frame)
        given = {name: value for name, value in vars(cls).items() if isinstance(value, Column)}
        own: dict[str, Column] = {}
        for name, kind in {**{n: k for n, k in declared.items() if not n.startswith("_")}, **given}.items():
            column = kind if isinstance(kind, Column) else COLUMNS.get(kind) if isinstance(kind, type) else None
            if column is None:
                raise mistake("column_type", name, cls.__name__, getattr(kind, "__name__", short(kind)))
            own[named(name, "column")] = column
        cls._columns = {**cls._columns, **own}

    def _unknown(self, name: str) -> Any:
        raise mistake("column", type(self).__name__, name, nearest(name, type(self)._columns, "columns"))

    if not TYPE_CHECKING:  # types know which columns there are
        __getattr__ = _unknown

    def __setattr__(self, name: str, value: object) -> None:
        raise mistake("frozen", name, "the record")

    def __dir__(self) -> list[str]:
        return list(type(self)._columns)


class Triangle(Record):
    """A triangle of a mesh: lengths in nm, corners counter-clockwise seen from outside."""

    area: real
    normal: vec3
    centroid: vec3
    vertex0: vec3
    vertex1: vec3
    vertex2: vec3
    edge1: vec3
    edge2: vec3


def record(kind: type[Record], name: str) -> Record:
    """One record of a kernel, whose columns are values."""
    self = object.__new__(kind)
    columns = {column: made(of.kind, "name", f"{name}.{column}") for column, of in kind._columns.items()}
    self.__dict__.update(columns, _whole=made(real, "name", name))
    return self


@dataclasses.dataclass
class Param:
    """A parameter: its type, its default as a kernel file has it, and where it was declared."""

    kind: type[Value]
    text: str
    spot: Spot


PARAMETERS: dict[tuple[tuple[int, ...], bool], type[Value]] = {((), False): real, ((), True): cplx, ((3,), False): vec3, ((3,), True): cvec3, ((3, 3), False): mat3}


@overload
def param(default: type[T]) -> T: ...
@overload
def param(default: float = ..., kind: None = None) -> real: ...
@overload
def param(default: complex, kind: None = None) -> cplx: ...
@overload
def param(default: Sequence[float], kind: None = None) -> vec3: ...
@overload
def param(default: Sequence[complex], kind: None = None) -> cvec3: ...
@overload
def param(default: Sequence[Sequence[float]], kind: None = None) -> mat3: ...
@overload
def param(default: complex | npt.ArrayLike, kind: type[T]) -> T: ...
@overload
def param(default: npt.NDArray[Any], kind: None = None) -> Any: ...


def param(default: Any = real, kind: type[Value] | None = None) -> Any:
    """A number or vector known at run time: by its default, 0.1, 1j, [0, 0, 1], 3 x 3 numbers, or by its type, facet.cplx, which must then be given."""
    here = spot()
    if isinstance(default, type):
        if default not in PARAMETERS.values():
            raise mistake("default", short(default))
        return Param(default, "", here)
    try:
        numbers: Any = default if is_number(default) else np.asarray(default, complex if np.iscomplexobj(default) else float)
    except (TypeError, ValueError):
        raise mistake("default", short(default)) from None
    found = kind or PARAMETERS.get((np.shape(numbers), np.iscomplexobj(numbers)))
    if found is None or not np.isfinite(numbers).all():
        raise mistake("default", short(default))
    return Param(found, _braces(default if is_number(default) else numbers.tolist()), here)


def _braces(given: Any, inside: bool = False) -> str:
    if isinstance(given, list):
        return "{" + ", ".join(_braces(each, True) for each in given) + "}"
    if isinstance(given, complex):
        return f"{{{number_text(given.real).text}, {number_text(given.imag).text}}}"
    return number_text(given if isinstance(given, (int, Constant)) else int(given) if inside and float(given).is_integer() else float(given)).text


class Params:
    """The parameters of a kernel, p.NAME each."""

    def __init__(self, declared: Mapping[str, Param], name: str) -> None:
        self.__dict__.update({key: made(of.kind, "name", f"{name}.{key}") for key, of in declared.items()})

    def __getattr__(self, name: str) -> Value:
        raise mistake("parameter", name, nearest(name, [key for key in self.__dict__], "parameters"))

    def __setattr__(self, name: str, value: object) -> None:
        raise mistake("frozen", name, "the parameters")

    def __dir__(self) -> list[str]:
        return list(self.__dict__)


@dataclasses.dataclass(frozen=True)
class Axis:
    """A component of q: of N values, N known when compiling; 0: of any number."""

    kind: type[Value]
    n: int = 0

    @property
    def text(self) -> str:
        name = self.kind.__name__
        return name if not self.n else f"fixed<{self.n}>" if self.kind is real else f"fixed<{self.n}, {name}>"


def fixed(n: int, kind: type[Value] = real) -> Axis:
    """A component of exactly n values: fixed(1) for a slice."""
    if type(n) is not int or n < 1 or kind not in (real, cplx):
        raise mistake("grid_component", "fixed", f"of {short(n)} values")
    return Axis(kind, n)


@dataclasses.dataclass(frozen=True)
class GridKind:
    """What q is: "product" of three axes or a list of "points", and their components."""

    form: str
    axes: tuple[Axis, Axis, Axis]

    @property
    def text(self) -> str:
        return f"{self.form}<{', '.join(axis.text for axis in self.axes)}>"


def _grid(form: str, *given: Any) -> GridKind:
    axes = [axis if isinstance(axis, Axis) else Axis(axis) if axis in (real, cplx) else None for axis in given]
    for name, axis, of in zip("xyz", axes, given):
        if axis is None:
            raise mistake("grid_component", name, getattr(of, "__name__", short(of)))
    return GridKind(form, cast(tuple[Axis, Axis, Axis], tuple(axes)))


def product(x: Any = real, y: Any = real, z: Any = real) -> GridKind:
    """q of three axes whose values are all combined; each real, cplx or fixed(N)."""
    return _grid("product", x, y, z)


def points(x: Any = real, y: Any = real, z: Any = real) -> GridKind:
    """A list of q; each component real, cplx or fixed(N)."""
    return _grid("points", x, y, z)


def wavevector(grid: GridKind, name: str) -> Value:
    """q of a grid: a vector whose components may be real in a complex one."""
    kinds = tuple(axis.kind for axis in grid.axes)
    base = _RealQ if all(kind is real for kind in kinds) else _ComplexQ
    q = made(base, "name", name)
    keep(q, "_kinds", kinds)
    return cast(Value, q)


class _RealQ(vec3):
    __slots__ = ("_kinds",)

    def _of(self, k: int) -> Value:
        return cast(Value, made(self._kinds[k], "name", f"{self._args[0]}.{'xyz'[k]}"))

    def __getattr__(self, name: str) -> Any:
        return self._of("xyz".index(name)) if name in ("x", "y", "z") else Triple.__getattr__(self, name)

    def __getitem__(self, key: Any) -> Value:
        return self._of(key % 3) if isinstance(key, int) and -3 <= key < 3 else Triple.__getitem__(self, key)


class _ComplexQ(cvec3):
    __slots__ = ("_kinds",)
    _of, __getattr__, __getitem__ = _RealQ._of, _RealQ.__getattr__, _RealQ.__getitem__
