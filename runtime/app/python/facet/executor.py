"""A model at many sets of parameters on an executor: of concurrent.futures, a client of Dask, and what else has their ``submit``.

A model goes to the workers as a recipe, and each thread of a worker makes it once.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import threading
from collections import OrderedDict, deque
from collections.abc import Generator, Iterable
from concurrent.futures import BrokenExecutor
from itertools import islice
from typing import Any, Protocol

from .errors import Error
from .recipe import Pickled, Recipe

MOST = 1e9  # bytes of recipes and results that wait
MADE = 2  # models that a thread of a worker keeps


class Executor(Protocol):
    """What takes work: concurrent.futures.Executor, dask.distributed.Client, mpi4py.futures.MPIPoolExecutor, ..."""

    def submit(self, fn: Any, /, *args: Any) -> Any:
        """A future: it has ``result()``, which waits, and ``cancel()``."""
        ...


class Work(Recipe):
    """A model, of which each call goes on by given decisions: its result does not depend on the calls before."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def decisions(self) -> str:
        """What the model goes on by; "" of one that decides nothing, or has not been called."""
        found: str = getattr(self._model, "_decisions", "")
        return found

    def at(self, decisions: str, *given: Any) -> Any:
        """What the model gives."""
        if decisions:
            self._model._follow(decisions)
        return self._model(*given)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": Pickled(self._model, "model")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._model = state["model"].given


def checked(executor: Any) -> Executor:
    """An executor; an Error if it is none."""
    if not callable(getattr(executor, "submit", None)):
        raise Error(f"executor: is {type(executor).__name__}\n  help: give one of concurrent.futures, loky or mpi4py.futures, or a client of Dask")
    found: Executor = executor
    return found


def started(executor: Any) -> Executor:
    """The same at work: processes that it forks are there, and hold none of the files that are opened later."""
    found = checked(executor)
    with contextlib.suppress(BrokenExecutor):  # which will be said of the work
        found.submit(int)
    return found


def carried_out(executor: Executor, recipe: bytes, calls: Iterable[tuple[Any, ...]], batch: int = 1,
                size: float = 0) -> Generator[Any, None, None]:
    """What a pickled Work gives at each of the calls, in their order.

    Args:
        batch: how many calls a worker gets at once.
        size: of a result, bytes.

    Raises Error if workers die, and what the model raises. To be closed: what still waits is called off then.
    """
    ahead = int(min(max(MOST / (len(recipe) + batch * size), 16), 4096))
    rest, waiting = iter(calls), deque[Any]()
    try:
        while True:
            while len(waiting) < ahead and (some := list(islice(rest, batch))):
                waiting.append(executor.submit(_batch, recipe, some))
            if not waiting:
                return
            yield from _result(waiting.popleft())
    except BrokenExecutor as failure:
        raise Error(f"executor: a worker ended before its work was done ({failure})\n"
                    "  help: call again with another executor; with fewer workers if memory ran out", 2) from failure
    finally:
        for future in waiting:
            future.cancel()


def _result(future: Any) -> Any:
    """What a batch came to; what the model raised is the caller's, as if it had been called here."""
    try:
        return future.result()
    except (Error, BrokenExecutor):
        raise
    except Exception as failure:
        with contextlib.suppress(AttributeError):
            failure._facet_of_a_caller = True  # type: ignore[attr-defined]
        raise


_here = threading.local()


def _batch(recipe: bytes, calls: list[tuple[Any, ...]]) -> list[Any]:
    """In a worker: some of the calls."""
    made: OrderedDict[bytes, Work] = _here.__dict__.setdefault("made", OrderedDict())
    key = hashlib.sha256(recipe).digest()
    if key not in made:
        made[key] = pickle.loads(recipe)
    made.move_to_end(key)
    while len(made) > MADE:
        made.popitem(last=False)
    return [made[key].at(*call) for call in calls]
