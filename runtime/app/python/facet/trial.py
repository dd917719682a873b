"""HDF5 files that others may have written: what crashes the library of h5py, which is not facet's own, crashes a child process first."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import signal
import warnings
from pathlib import Path
from typing import Any

import h5py  # type: ignore[import-untyped]

from .errors import Error

LONGEST = 30  # s
LITTLE = 100_000  # numbers that are read of a dataset in any case
MOST = 4096  # objects: one may be below itself

_tried: set[tuple[int, ...]] = set()


def opened(path: str | Path, mode: str = "r") -> h5py.File:
    """The file, open; an Error if its damage crashes HDF5. Tried once for a file that stays as it is.

    Raises:
        OSError: it is no HDF5 file, as of h5py.File
    """
    if _key(path) not in _tried:
        _try(path)
        trust(path)
    return h5py.File(path, mode)


def trust(path: str | Path) -> None:
    """Takes a file for sound, as long as it stays as it is: this process has written it, or tried it."""
    _tried.add(_key(path))


def _key(path: str | Path) -> tuple[int, ...]:
    seen = os.stat(path)
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _try(path: str | Path) -> None:
    source, target = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's and JAX's of fork beside threads: the child starts none
        try:
            child = os.fork()
        except OSError:  # the system gives no child: nothing is tried
            child = -1
    if child == 0:
        _child(path, target)
    os.close(target)
    said = b""
    with os.fdopen(source, "rb") as listening:
        said = listening.read() if child > 0 else b"\1\0"
    status = os.waitpid(child, 0)[1] if child > 0 else 0
    last = said.split(b"\0")[-2] if b"\0" in said else b""
    if last.startswith(b"\2"):
        raise Error(f"{path}: HDF5 cannot list what is in {last[1:].decode(errors='replace')}\n"
                    "  help: the file is damaged: write it again, or copy it without this part")
    if last != b"\1" and not os.WIFEXITED(status):
        how = "comes to no end" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM else "crashes"
        raise Error(f"{path}: HDF5 {how} when it reads {last.decode(errors='replace')} of it\n"
                    "  help: the file is damaged, or made to do so: write it again, or copy it without this part")


def _child(path: str | Path, target: int) -> None:
    """Reads some of all that is in the file, and ends the process; who reads it in earnest says what failed."""
    try:
        faulthandler.disable()
        for one in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT, signal.SIGALRM, signal.SIGINT):
            with contextlib.suppress(ValueError):  # of a thread that is not the main one
                signal.signal(one, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.alarm(LONGEST)
        os.write(target, b"the beginning\0")
        with h5py.File(path) as file:
            _read(file, target, [MOST], 0)
    finally:
        os.write(target, b"\1\0")
        os._exit(0)


def _listed(names: Any, item: Any, target: int) -> list[str]:
    """The names; what cannot be listed is damage, since nobody tries what is opened by its name then."""
    try:
        return list(names)
    except Exception:
        os.write(target, f"\2{item.name}\0".encode())
        os._exit(0)


def _read(item: Any, target: int, left: list[int], depth: int) -> None:
    os.write(target, f"{item.name}\0".encode())
    for name in _listed(item.attrs, item, target):
        with contextlib.suppress(Exception):
            item.attrs[name]
    if isinstance(item, h5py.Dataset) and item.shape is not None:
        item[() if item.size <= LITTLE else (slice(0, 1),) * item.ndim]
    for name in _listed(item, item, target) if isinstance(item, h5py.Group) and depth < 32 else ():
        left[0] -= 1
        if left[0] < 0:
            return
        with contextlib.suppress(Exception):  # the next may crash
            _read(item[name], target, left, depth + 1)
