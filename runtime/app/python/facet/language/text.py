"""The text of a kernel file, as a person would write it, and where in Python each part of it comes from."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Mapping
from typing import Any

from .bodies import AFTER, BEGIN, END, Body, body, wrapped
from .declarations import GridKind, Param, Record, Triangle, named
from .places import Place, Spot
from .tracing import Traced, kind_of, members


@dataclasses.dataclass
class KernelParts:
    """What a kernel consists of, once its functions are traced."""

    name: str
    doc: str
    grid: GridKind
    of: type[Record]
    params: Mapping[str, Param]
    functions: dict[str, Traced]
    spot: Spot  # of the decorator


def comment(doc: str | None, indent: str = "") -> list[str]:
    """A docstring as the comment above."""
    lines = []
    for paragraph in inspect.cleandoc(doc or "").split("\n\n"):
        lines += textwrap.wrap(" ".join(paragraph.split()), 92 - len(indent)) + [""]
    return [f"{indent}/// {line}".rstrip(" \\") for line in lines[:-1] if doc]


def _records(of: type[Record]) -> list[str]:
    """The structs of a record and those it is built on."""
    lines: list[str] = []
    for kind in reversed([base for base in of.__mro__ if issubclass(base, Record) and base not in (Record, Triangle)]):
        base = next(base for base in kind.__bases__ if issubclass(base, Record))
        own = {name: column for name, column in kind._columns.items() if base._columns.get(name) is not column}
        lines += [*comment(vars(kind).get("__doc__")), f"struct {named(kind.__name__, 'record')}{'' if base is Record else f' : {base.__name__}'} {{"]
        lines += [*declared([(column.text, name) for name, column in own.items()]), "};"]
    return lines


def declared(members: list[tuple[str, str]]) -> list[str]:
    """Members of a struct, those of a type that follow one another in one line."""
    lines: list[str] = []
    before = ""
    for kind, name in members:
        if kind == before and len(lines[-1]) + len(name) < 96:
            lines[-1] = f"{lines[-1][:-1]}, {name};"
        else:
            lines.append(f"  {kind} {name};")
        before = kind
    return lines


def _structs(parts: KernelParts) -> list[str]:
    """The structs that functions return."""
    lines, seen = [], set()
    for name in ("term", "finish"):
        kind = parts.functions[name].kind
        if kind is None or kind in seen:
            continue
        seen.add(kind)
        doc = kind.__doc__ or ""
        lines += [*comment("" if doc.startswith(kind.__name__ + "(") else doc), f"struct {named(kind.__name__, 'dataclass')} {{"]
        lines += [*declared([(of.__name__, member) for member, of in members(kind, name).items()]), "};"]
    return lines


def _params(params: Mapping[str, Param]) -> list[str]:
    lines = [f"    {of.kind.__name__} {name}{' = ' * bool(of.text)}{of.text};" for name, of in params.items()]
    return ["  struct Params {", *lines, "  };"] if lines else []


def _type(traced: Traced) -> str:
    return str(kind_of(traced.returned[""]).__name__) if traced.kind is None else traced.kind.__name__


def _arguments(parts: KernelParts, name: str, made: Body) -> str:
    """The arguments of a function, without the names of those that it does not read."""
    traced = parts.functions[name]
    returned = _type(parts.functions["term"])
    whole = returned if parts.functions["term"].kind is None else f"const {returned} &"
    types = {"term": ["Grid::q", f"const {parts.of.__name__} &"], "finish": ["Grid::q", whole], "origin": [f"const {parts.of.__name__} &"]}[name]
    written = []
    for type_, argument in zip([*types, "const Params &"], traced.arguments):
        read = any(name == argument or name.startswith(argument + ".") for name in made.names)
        if read:
            written.append(type_ + " " * (not type_.endswith("&")) + argument)
        elif type_ != "const Params &":
            written.append(type_)
    return ", ".join(written)


def lines_of(parts: KernelParts, marked: bool = False) -> str:
    """The text of the file."""
    structs = [*_records(parts.of), *_structs(parts)]
    taken = {parts.name, parts.of.__name__}
    lines = [f"// {parts.name}.cpp - a kernel that was written in Python.", "#include <facet/dsl.h>", "using namespace facet;", "", *structs, ""]
    lines = lines[:-1] if not structs else lines
    lines += [*comment(parts.doc), f"struct FACET_KERNEL {parts.name} {{", f"  using Grid = {parts.grid.text};", *_params(parts.params)]
    for name in ("term", "finish", "origin"):
        if name not in parts.functions:
            continue
        made = body(parts.functions[name], taken, marked)
        head = f"static {_type(parts.functions[name])} {name}({_arguments(parts, name, made)}) {{"
        short = f"  {head} {made.statements[0]} }}"
        if len(made.statements) == 1 and len(short) <= 100 and not marked:
            lines.append(short)
        else:
            lines += [wrapped(head, "  "), *(wrapped(statement, "    ") for statement in made.statements), "  }"]
    return "\n".join([*lines, "};", ""])


class Places:
    """Where in Python the characters of a text come from, spaces left out."""

    def __init__(self, parts: KernelParts) -> None:
        self._parts = parts
        self._spots = {value._serial: value._spot for traced in parts.functions.values() for value in _values(traced)}
        self._at: list[Spot | None] = []
        text, open_ = iter(lines_of(parts, marked=True)), [None]
        for character in text:
            if character == BEGIN:
                digits = "".join(iter(lambda: next(text), AFTER))
                open_.append(self._spots.get(int(digits)) or open_[-1])
            elif character == END:
                open_.pop()
            elif not character.isspace():
                self._at.append(open_[-1])

    def of(self, text: str, line: int, column: int) -> Place | None:
        """The place of a character of the text; line and column count from 1. The decorator's where it is none of an expression's."""
        lines = text.split("\n")
        before = "".join(lines[:line - 1]) + lines[line - 1][:column - 1]
        index = sum(not character.isspace() for character in before)
        spot = self._at[index] if index < len(self._at) else None
        return (spot or self._declared(lines[line - 1]) or self._parts.spot).place

    def _declared(self, line: str) -> Spot | None:
        """Where a parameter or a record was declared."""
        words = line.replace(";", " ").split()
        if len(words) > 1 and line.startswith("    ") and words[1] in self._parts.params:
            return self._parts.params[words[1]].spot
        if len(words) > 1 and line.startswith("  ") and words[1] in self._parts.of._columns or words[:1] == ["struct"] and self._parts.of.__name__ in words:
            return getattr(self._parts.of, "_spot", None)
        return None


def _values(traced: Traced) -> list[Any]:
    from .bodies import numbered
    return [one.value for one in numbered(list(traced.returned.values()))[0]]
