"""Where an error of an experiment lies that is in no file: the path of its key in a dict, the line of a text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .errors import Error, warn

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@contextmanager
def told(experiment: Any, text: str, name: str) -> Iterator[None]:
    """Errors of an experiment with this TOML, in words of what was given; of a file they have its name and line anyway."""
    try:
        yield
    except Error as error:
        raise Error(placed(str(error), experiment, text, name), error.exit) from None


def placed(said: str, experiment: Any, text: str, name: str) -> str:
    """The same of a message."""
    if isinstance(experiment, Mapping):
        return re.sub(re.escape(name) + r"(?::(\d+))?", lambda at: key_at(text, int(at[1] or 0)) or "experiment", said)
    if isinstance(experiment, str) and "\n" in experiment:
        return re.sub(re.escape(name) + r"(?::(\d+))?", lambda at: f"line {at[1]} of the experiment" if at[1] else "experiment", said)
    return said


class Given:
    """An experiment as it was given last, of which warnings are; it holds nothing that holds it."""

    def __init__(self, tables: Any, text: str, name: str) -> None:
        self.take(tables, text, name)

    def take(self, tables: Any, text: str, name: str) -> None:
        """Another in its place."""
        self.tables, self.text, self.name = tables, text, name

    def warn(self, said: str) -> None:
        """A line of facet's, if it is a warning."""
        if said.startswith("warning: "):
            warn(placed(said.removeprefix("warning: "), self.tables, self.text, self.name))


def key_at(text: str, line: int) -> str:
    """The path of the key in a line, from 1, of TOML as tomli_w writes it: "particle.0.beta"; of line 0 none.

    >>> key_at("[[particle]]\\n[particle.shape]\\nsize = [\\n    1,\\n    2,\\n]\\n", 5)
    'particle.0.shape.size.1'
    """
    table: list[str] = []
    key: list[str] = []
    lists: dict[tuple[str, ...], int] = {}
    for row in text.splitlines()[:line]:
        if row.startswith("["):
            table, key = _table(row, lists), []
        elif row.startswith("    ") and key:
            key = [key[0], str(int(key[1]) + 1 if len(key) > 1 else 0)]
        elif (found := re.match(r"""("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*=""", row)) is not None:
            key = [next(iter(tomllib.loads(found[1] + " = 0")))]
    return ".".join([*table, *key])


def _table(header: str, lists: dict[tuple[str, ...], int]) -> list[str]:
    """The path that a header begins; `lists`: how many tables each list has had."""
    at: Any = tomllib.loads(header)
    path: list[str] = []
    while at and isinstance(at, dict):
        path.append(next(iter(at)))
        at = at[path[-1]]
        if isinstance(at, list):  # the header of a list's own table
            lists[tuple(path)] = lists.get(tuple(path), -1) + 1
            at = {}
        if tuple(path) in lists:
            path.append(str(lists[tuple(path)]))
    return path
