"""Runs the functions of a kernel once, with values for q, records and parameters: what they return, and how Python names it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

from .declarations import GridKind, Param, Params, Record, annotations_of, named, record, wavevector
from .mistakes import mistake
from .places import Spot, frames
from .values import Value, boolean, cplx, cvec3, is_complex, made, mat3, real, short, valued, vec3

MOST_MEMBERS = 8
WIDER: dict[type[Value], tuple[type[Value], ...]] = {cplx: (real, cplx), real: (real,), cvec3: (vec3, cvec3), vec3: (vec3,)}


@dataclasses.dataclass
class Traced:
    """A function as it was traced: the names of its arguments, what it returns, and what Python calls the values in it."""

    arguments: list[str]
    returned: dict[str, Value]  # "" of a number or vector itself
    kind: type[Any] | None  # the dataclass that is returned
    own: dict[int, str]  # id of a value: its name in the function itself
    others: dict[int, str]  # and in functions that it calls


def arguments_of(function: FunctionType, takes: tuple[str, ...]) -> list[str]:
    """The names of a function's arguments, without or with that of the parameters."""
    code = function.__code__
    names = list(code.co_varnames[:code.co_argcount])
    if code.co_flags & 0x0C or code.co_kwonlyargcount or len(names) not in (len(takes), len(takes) + 1):
        raise mistake("takes", function.__name__, f"({', '.join(names)})", ", ".join(takes), at=Spot(code, 0))
    return names


def traced(function: FunctionType, takes: Mapping[str, Callable[[str], Any]], params: Mapping[str, Param], outputs: bool) -> Traced:
    """Calls a function with values; `takes`: how to make those, by what they are called. `outputs`: it returns F."""
    names = arguments_of(function, tuple(takes))
    given = [make(name) for make, name in zip(takes.values(), names)]
    if len(names) > len(takes):
        given.append(Params(params, names[-1]))
    seen = frames.set({})
    try:
        result = function(*given)
        found = _names(function.__code__, names)
    finally:
        frames.reset(seen)
    returned, kind = _returned(function.__name__, result, outputs, Spot(function.__code__, 0))
    return Traced(names, returned, kind, *found)


def _names(code: CodeType, arguments: list[str]) -> tuple[dict[int, str], dict[int, str]]:
    """Names of values, by the variables of the frames in which values were made."""
    own: dict[int, str] = {}
    others: dict[int, str] = {}
    for frame in (frames.get() or {}).values():
        into = own if frame.f_code is code else others
        for name, value in frame.f_locals.items():
            if isinstance(value, Value) and name not in arguments and not name.startswith("_"):
                into.setdefault(id(value), name)
    return own, others


def _returned(name: str, result: Any, outputs: bool, at: Spot) -> tuple[dict[str, Value], type[Any] | None]:
    kinds = (real, cplx) if outputs else (real, cplx, vec3, cvec3)
    wanted = "a number, or a dataclass of 1 to 8 numbers" if outputs else "a number, a vector, or a dataclass of 1 to 8 of these"
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        fields = members(type(result), name, outputs, at)
        if not 1 <= len(fields) <= MOST_MEMBERS:
            raise mistake("returns", name, f"{len(fields)} members", wanted, at=at)
        return {key: _member(name, key, getattr(result, key), kind, at) for key, kind in fields.items()}, type(result)
    try:
        value = valued(result)
    except TypeError:
        raise mistake("returns", name, f"{short(result)}, {type(result).__name__}", wanted, at=at) from None
    if not isinstance(value, kinds):
        raise mistake("returns", name, f"{short(value)}, {value._called}", wanted, at=at)
    return {"": value}, None


def members(kind: type[Any], name: str, outputs: bool = False, at: Spot | None = None) -> dict[str, type[Value]]:
    """The fields of a dataclass and their types."""
    declared = annotations_of(kind)
    found: dict[str, type[Value]] = {}
    for field in dataclasses.fields(kind):
        type_: Any = declared.get(field.name)
        if type_ not in ((real, cplx) if outputs else WIDER):
            raise mistake("returned_type", field.name, name, getattr(type_, "__name__", short(type_)), at=at)
        found[named(field.name, "member")] = type_
    return found


def _member(function: str, name: str, given: Any, kind: type[Value], at: Spot) -> Value:
    value = valued(given)
    if not isinstance(value, WIDER[kind]):
        raise mistake("returned_member", name, function, f"{short(value)}, {value._called}", kind._called, at=at)
    return value


def sum_of(term: Traced, name: str) -> Any:
    """The finished sum of what a term returns."""
    if term.kind is None:
        return made(kind_of(term.returned[""]), "name", name)
    kinds = members(term.kind, "term")
    return term.kind(**{key: made(kind, "name", f"{name}.{key}") for key, kind in kinds.items()})


def kind_of(value: Value) -> type[Value]:
    """The type in a kernel file."""
    mixed = is_complex(value)
    if isinstance(value, (real, cplx)):
        return cplx if mixed else real
    if isinstance(value, (boolean, mat3)):
        return boolean if isinstance(value, boolean) else mat3
    return cvec3 if mixed else vec3


def functions(term: FunctionType, finish: FunctionType | None, origin: FunctionType | None, grid: GridKind, of: type[Record],
              params: Mapping[str, Param]) -> dict[str, Traced]:
    """The functions of a kernel, traced."""
    found = {"term": traced(term, {"q": lambda name: wavevector(grid, name), "t": lambda name: record(of, name)}, params, False)}
    if finish is None:
        whole = sum_of(found["term"], "sum")
        found["finish"] = Traced(["q", "sum"], *_returned("finish", whole, True, Spot(term.__code__, 0)), {}, {})
    else:
        found["finish"] = traced(finish, {"q": lambda name: wavevector(grid, name), "s": lambda name: sum_of(found["term"], name)}, params, True)
    if origin is not None:
        found["origin"] = traced(origin, {"t": lambda name: record(of, name)}, params, True)
    return found
