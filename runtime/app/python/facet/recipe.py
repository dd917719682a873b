"""What is pickled as a recipe: what it was made of and how it decided to compute, with facet's version; unpickled it is made anew.

A function travels as pickle takes it, by its module and name. One that has none there, a lambda, one of a notebook or of a
script, travels by cloudpickle if that is installed.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from .errors import Error

Made = TypeVar("Made")


class Recipe:
    """An object whose pickle has the version of facet that made it, and is refused by another."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], Any]:
        return _made, (_core.version, type(self)), self.__getstate__()  # type: ignore[attr-defined, unused-ignore]


def _made(version: str, cls: type[Made]) -> Made:
    """An empty object, that takes its state next."""
    if version != _core.version:
        raise Error(f"{cls.__name__}: was pickled by facet {version}, and this is facet {_core.version}\n"
                    f"  help: make it anew, or unpickle it with facet {version}: workers need the same version", 1)
    return cls.__new__(cls)


class Pickled:
    """A function, or another object of a caller's, as it travels."""

    def __init__(self, given: Any, what: str) -> None:
        self.given, self._what = given, what

    def __deepcopy__(self, memo: dict[int, Any]) -> Pickled:
        return Pickled(copy.deepcopy(self.given, memo), self._what)

    def __getstate__(self) -> dict[str, Any]:
        return {"bytes": _bytes(self.given, self._what), "what": self._what}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.given, self._what = pickle.loads(state["bytes"]), state["what"]


def _bytes(given: Any, what: str) -> bytes:
    """By pickle, else by cloudpickle."""
    try:
        if getattr(given, "__module__", None) != "__main__":
            return pickle.dumps(given)
        missing = "is of the program itself, which other processes may not find"
    except Error:
        raise
    except Exception as failure:  # what pickle raises depends on what it meets
        missing = f"cannot be pickled ({failure})"
    try:
        import cloudpickle  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ModuleNotFoundError:
        if "cannot" not in missing:
            return pickle.dumps(given)
        raise Error(f"{what}: {missing}\n  help: define it with def in a module that others can import, or pip install cloudpickle") from None
    try:
        found: bytes = cloudpickle.dumps(given)
    except Exception as failure:
        raise Error(f"{what}: cannot be pickled ({failure})\n  help: define it with def in a module, of values that can be pickled") from None
    return found
