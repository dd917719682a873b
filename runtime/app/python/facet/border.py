"""The border of the package: what goes wrong inside because of what a caller gave is an Error that names the argument.

All that a package lists in ``__all__`` is wrapped once, methods and properties of classes too; nothing asks for it by itself.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import typing
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType, TracebackType
from typing import Any

import numpy as np

from . import _core
from .errors import Error

#: what Python and libraries raise of arguments, and of what a machine lacks (exit code 2)
OF_ARGUMENTS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
OF_MACHINES = (OSError, MemoryError, ImportError, RuntimeError)
#: special methods that callers reach; others answer to protocols of Python's own
SPECIAL = {"__new__", "__init__", "__call__", "__getitem__", "__setstate__"}
#: whose frames are no caller's: what they raise is of arguments
LIBRARIES = {"facet", "numpy", "h5py", "scipy", "lmfit", "bumps", "matplotlib", "xarray", "tqdm", "tomli", "tomli_w", "trimesh", "pyvista",
             "vtk", "vtkmodules", "meshio", "gemmi", "fabio", "PIL", "jax", "jaxlib", "torch", "sasmodels"} | set(sys.stdlib_module_names)


def close(package: ModuleType) -> None:
    """Wraps what the package lists, in the module that has it too, so that it can be pickled."""
    for name in package.__all__:
        found = getattr(package, name)
        if isinstance(found, ModuleType):
            continue
        if isinstance(found, type):
            for cls in found.__mro__:
                if cls.__module__.startswith("facet.") and not cls.__module__.startswith("facet._core"):
                    _close_class(cls, found.__name__)
        elif isinstance(found, FunctionType):
            made = wrapped(found, _called(found))
            for module in {package.__name__, found.__module__}:
                setattr(sys.modules[module], name, made)


def _called(function: FunctionType) -> str:
    """As callers know it: "facet.run", "facet.fit.lbfgs"."""
    module = function.__module__.split(".")
    return ".".join([*module[:2 if "fit" in module or "autodiff" in module else 1], function.__qualname__])


def _close_class(cls: type, known: str) -> None:
    if issubclass(cls, BaseException) or getattr(cls, "_is_protocol", False):
        return
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name not in SPECIAL:
            continue
        called = known if name in ("__new__", "__init__") else f"{known}.{name}"
        if isinstance(member, FunctionType):
            setattr(cls, name, wrapped(member, called))
        elif isinstance(member, (classmethod, staticmethod)):
            setattr(cls, name, type(member)(wrapped(member.__func__, called)))
        elif isinstance(member, property) and member.fget is not None:
            setattr(cls, name, property(wrapped(member.fget, called), member.fset, member.fdel, member.__doc__))
        elif isinstance(member, functools.cached_property):
            member.func = wrapped(member.func, called)


def wrapped(function: Callable[..., Any], called: str) -> Callable[..., Any]:
    """The same function, whose every failure is an Error; what a caller's own function raises stays what it is."""
    if hasattr(function, "_facet_closed"):
        return function

    @functools.wraps(function)
    def inside(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except Error:
            raise
        except (*OF_ARGUMENTS, *OF_MACHINES) as failure:
            if isinstance(failure, Warning) or getattr(failure, "_facet_of_a_caller", False) or _of_a_caller(failure.__traceback__):
                raise
            raise _error(function, called, given, named, failure) from failure

    inside._facet_closed = True  # type: ignore[attr-defined]
    return inside


def _of_a_caller(trace: TracebackType | None) -> bool:
    """Whether a function that the caller gave was on the way."""
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] not in LIBRARIES:
            return True
        trace = trace.tb_next
    return False


def _error(function: Callable[..., Any], called: str, given: tuple[Any, ...], named: dict[str, Any], failure: Exception) -> Error:
    """What is said of a failure: the argument, if its type tells, else what Python says."""
    exit = 2 if isinstance(failure, OF_MACHINES) else 1
    signature = inspect.signature(function)
    takes = ", ".join(name for name in signature.parameters if name not in ("self", "cls"))
    try:
        arguments = signature.bind(*given, **named).arguments
    except TypeError as unbound:
        strange = [name for name in named if name not in signature.parameters]
        help = _core.suggestion(strange[0], takes.split(", "), "arguments") if strange and takes else f"it takes {takes or 'no arguments'}"
        return Error(f"{called}: {unbound}\n  help: {help}")
    arguments = {name: value for name, value in arguments.items() if name not in ("self", "cls")}
    for name, value in arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) or _fits(value, parameter.annotation, function):
            continue
        wanted = re.sub(r"(npt\.|Sequence\[npt\.)?ArrayLike\]?", "array", str(parameter.annotation)).replace(" | ", " or ")
        return Error(f"{called}: {name}: is {_shown(value)}\n  help: give {wanted}")
    said = str(failure).strip().splitlines()
    reason = said[0] if said and "incompatible function arguments" not in said[0] and "std::bad_cast" not in said[0] else \
        "an argument is of another type, or too large: " + ", ".join(f"{name} is {_shown(value)}" for name, value in arguments.items())
    if isinstance(failure, ModuleNotFoundError):
        return Error(f"{called}: needs the package {failure.name}, which is not installed\n  help: pip install {failure.name}", exit)
    kind = "" if isinstance(failure, (TypeError, ValueError)) else f"{type(failure).__name__}: "
    return Error(f"{called}: {kind}{reason}\n  help: help(facet) says what its functions take" + (f"; this one: {takes}" if takes else ""), exit)


def _shown(value: Any) -> str:
    """A short value as it is, of others the type."""
    if type(value) in (list, tuple) and value:
        return f"{type(value).__name__} of {_shown(value[0])}, ..."
    text = repr(value) if isinstance(value, (bool, int, float, complex, str, bytes, type(None))) else ""
    return text if text and len(text) <= 40 else type(value).__name__


def _fits(value: Any, annotation: Any, function: Callable[..., Any]) -> bool:
    """Whether a value may be what an annotation says; True where that cannot be told."""
    if annotation is inspect.Parameter.empty:
        return True
    if "ArrayLike" in str(annotation) and isinstance(annotation, str):
        return _is_array(value) or "None" in annotation and value is None
    try:
        hint = eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation  # of the package's own source
    except Exception:
        return True
    return _is(value, hint)


def _is_array(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "biufcV"
    except Exception:
        return False


def _is(value: Any, hint: Any) -> bool:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, None, type(None)):
        return hint is Any or value is None
    if hint is float:
        return _is_number(value) and not isinstance(value, complex)
    if hint is int:
        return isinstance(value, (int, np.integer))
    if origin is not None and inner and not isinstance(origin, type):
        return any(_is(value, of) for of in inner) if type(None) in inner or origin is typing.Union else True
    if origin is None or not isinstance(origin, type):
        return not isinstance(hint, type) or getattr(hint, "_is_protocol", False) or isinstance(value, hint)
    if origin.__name__ == "UnionType":
        return any(_is(value, of) for of in inner)
    if origin in (list, tuple) or origin.__module__ != "collections.abc":
        return isinstance(value, (list, tuple, origin))
    if not isinstance(value, origin):
        return False
    if isinstance(value, (list, tuple)) and inner:
        return all(_is(v, inner[0]) for v in value)
    return not isinstance(value, Mapping) or len(inner) != 2 or all(_is(k, inner[0]) for k in value)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return False
    except Exception:
        return isinstance(value, (int, np.number))
    return not isinstance(value, str)
