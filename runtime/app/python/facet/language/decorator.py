"""``facet.kernel``: a class or a function of Python as a kernel file, compiled as every kernel is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FrameType, FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, overload

from .. import _core
from ..kernel_file import Kernel
from .checks import checked
from .declarations import TYPES, GridKind, Param, Record, Triangle, named, product
from .functions import __all__ as FUNCTION_WORDS
from .mistakes import NameMistake, mistake, nearest
from .places import FOLDER, asking, head, place_of, spot
from .text import KernelParts
from .tracing import functions
from .values import cplx, real, short

#: members of a kernel that are no parameters
MEMBERS = ("grid", "term", "finish", "origin", "record")
WORDS = sorted({*FUNCTION_WORDS, *TYPES, "Record", "Triangle", "param", "points", "product", "fixed"})


def _make(made: Any = None, /, **members: Any) -> Any:
    """A kernel of a class, or of a function that is its term; without either a decorator."""
    if made is None:
        return functools.partial(kernel, **members)
    if not isinstance(made, (type, FunctionType)):
        raise mistake("kernel", short(made))
    caller = asking()[0]
    try:
        parts = _parts(made, members, caller)
    except NameError as unknown:
        if isinstance(unknown, (NameMistake, UnboundLocalError)):
            raise
        raise _unknown(unknown) from None
    return checked(parts)


def _parts(made: type | FunctionType, members: dict[str, Any], caller: FrameType | None) -> KernelParts:
    name = members.pop("name", made.__name__)
    if name == "<lambda>":
        raise mistake("nameless")
    given = dict(members)
    if isinstance(made, type):
        given |= {key: value for key, value in vars(made).items() if not key.startswith("_") or isinstance(value, Param)}
    else:
        given["term"] = made
    parts = {key: _function(given.get(key)) for key in ("term", "finish", "origin")}
    if parts["term"] is None:
        raise mistake("missing", name)
    params = _params(name, given)
    grid = given.get("grid", product(real, real, cplx))
    if not isinstance(grid, GridKind):
        raise mistake("grid", short(grid))
    of = _record(given.get("record"), parts["term"], caller)
    traced = functions(parts["term"], parts["finish"], parts["origin"], grid, of, params)
    return KernelParts(named(name, "kernel"), made.__doc__ or "", grid, of, params, traced, spot())


def _function(given: Any) -> Any:
    return given.__func__ if isinstance(given, staticmethod) else given


def _params(kernel: str, given: Mapping[str, Any]) -> dict[str, Param]:
    """Members that are parameters; one that is nothing of a kernel is refused."""
    params: dict[str, Param] = {}
    for name, value in given.items():
        if isinstance(value, Param):
            params[named(name, "parameter")] = value
        elif name not in MEMBERS:
            constant = not callable(value) and not isinstance(value, staticmethod)
            raise mistake("member", kernel, name, f"write {name} = facet.param({short(value)}), or a constant above the class" if constant else
                          nearest(name, MEMBERS, "members") + "; helpers are functions above the class")
        elif name in ("term", "finish", "origin") and not isinstance(_function(value), FunctionType):
            raise mistake("takes", name, short(value), "q, t" if name == "term" else "q, s" if name == "finish" else "t")
    return params


def _record(given: Any, term: FunctionType, caller: FrameType | None) -> type[Record]:
    """The record of a kernel: as a member, or as the type of the term's second argument."""
    if given is None:
        names = term.__code__.co_varnames[:term.__code__.co_argcount]
        given = term.__annotations__.get(names[1]) if len(names) > 1 else None
        if isinstance(given, str):
            given = eval(given, term.__globals__, caller.f_locals if caller is not None else {})  # of the user's own program
        if given is None or given is Any:
            return Triangle
    if not isinstance(given, type) or not issubclass(given, Record) or given is Record:
        raise mistake("record", short(given), getattr(given, "__name__", "Atom"))
    if not given._columns:
        raise mistake("record_empty", given.__name__)
    return given


def _unknown(error: NameError) -> NameMistake:
    """The name that Python does not know, at its line."""
    trace, name = error.__traceback__, str(error.name)
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    help = f"write facet.{name}, or from facet.language import {name}" if name in WORDS else nearest(name, WORDS, "words of the language")
    text = f"the name '{name}' is not known"
    found = NameMistake(f"{head(place_of(trace.tb_frame.f_code, trace.tb_lasti), text) if trace else text}\n  help: {help}")
    return found.with_traceback(error.__traceback__)


def outside(error: BaseException) -> TracebackType | None:
    """The traceback of an exception without facet's own frames."""
    kept, trace = [], error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
            kept.append(trace)
        trace = trace.tb_next
    whole: TracebackType | None = None
    for trace in reversed(kept):
        whole = TracebackType(whole, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
    return whole


PACKAGE = FOLDER.removesuffix("language")
DOC = """A kernel written in Python: a class with ``term(q, t)``, or a function that is the term.

The class may have ``finish(q, s)``, ``origin(t)``, a ``grid``, a ``record`` and parameters, ``kappa = facet.param(0.1)``, which functions take as a last
argument ``p``. Of a function they are arguments of facet.kernel. The functions are called once, with values for q, t and p; what they return is
written as a kernel file: ``kernel.source``.

>>> import facet
>>> @facet.kernel
... def shell(q, t):
...     return t.area * facet.cis(facet.dot(q, t.centroid))
>>> shell(facet.Mesh.sphere(10), qz=[0.0, 0.3]).shape
(2,)
"""
if TYPE_CHECKING:
    @overload
    def kernel(made: type | Callable[..., Any], /, **members: Any) -> Kernel: ...
    @overload
    def kernel(made: None = None, /, **members: Any) -> Callable[[type | Callable[..., Any]], Kernel]: ...
    def kernel(made: Any = None, /, **members: Any) -> Any: ...
else:
    # Called by the module of C++, which has no frame, so that none of facet's is in a traceback.
    kernel = functools.partial(_core.called, _make, outside)
    kernel.__doc__ = DOC
