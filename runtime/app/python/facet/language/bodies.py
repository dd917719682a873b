"""The body of a function as text: locals where a value is used twice or has a name in Python, and one return.

1. Values are numbered by what they are, so that equal ones are one.
2. A value is a local if it is used twice, if Python's function has a variable for it, or if a statement grows too long.
3. Each statement is the text of a value, down to locals, columns, parameters and numbers.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from .expressions import LEAVES, PRIMARY, Text, leaf, operation
from .mistakes import mistake
from .names import letter, unused
from .tracing import Traced, kind_of
from .values import Value, boolean

#: operations in one statement, and how deep
MOST_SIZE, MOST_DEPTH = 40, 12
MOST_VALUES = 8000
WIDTH = 100
#: behind these a line is broken
BREAKS = "+-*/<>=&|?:,({"
CANCELLING = {"-", "/", "?:"}
#: around the text of each value while places are looked for: its serial number between the first two
BEGIN, AFTER, END = "\x01", "\x02", "\x03"


@dataclasses.dataclass(eq=False)
class Numbered:
    """A value of those that are equal: how often it is used, its text and what that text holds."""

    value: Value
    args: list[Numbered]
    uses: int = 0
    apart: bool = False  # written wherever it is used: x - x of one local would be simplified to other bits
    name: str = ""  # of its local
    text: Text = Text("", PRIMARY)
    size: int = 0
    depth: int = 0

    @property
    def is_leaf(self) -> bool:
        """What a local would only rename."""
        return self.value._op in LEAVES or self.value._op.startswith((".", "neg")) and (self.args[0].is_leaf or bool(self.args[0].name))


def numbered(roots: list[Value]) -> tuple[list[Numbered], dict[int, Numbered]]:
    """The values that the roots are made of, each once, operands before what is made of them; and which one each value is."""
    seen: dict[int, Value] = {}
    stack = list(roots)
    while stack:
        value = stack.pop()
        if id(value) not in seen:
            seen[id(value)] = value
            if value._op not in LEAVES:
                stack += value._args
    if len(seen) > MOST_VALUES:
        raise mistake("long", MOST_VALUES)
    of: dict[int, Numbered] = {}
    known: dict[Any, Numbered] = {}
    for value in sorted(seen.values(), key=lambda value: value._serial):
        args = [] if value._op in LEAVES else [of[id(arg)] for arg in value._args]
        key = (value._op, leaf(value).text) if value._op in LEAVES else (value._op, *map(id, args))
        of[id(value)] = known.setdefault(key, Numbered(value, args))
    return list(known.values()), of


@dataclasses.dataclass
class Body:
    """Statements of a function, without indentation."""

    statements: list[str]
    names: set[str]  # columns, parameters and arguments that are read


def body(traced: Traced, taken: set[str], marked: bool = False) -> Body:
    """The body of a function; `taken`: names that mean something there. `marked`: with the serial number of each value around its text."""
    roots = list(traced.returned.values())
    all_of, of = numbered(roots)
    for one in all_of:
        for arg in one.args:
            arg.uses += 1
            arg.apart = arg.apart or one.value._op in CANCELLING and one.args.count(arg) > 1
    for root in roots:
        of[id(root)].uses += 1
    taken = {*taken, *traced.arguments}
    own = _called(traced.own, of)
    others = _called(traced.others, of)
    returned = {id(of[id(root)]) for root in roots}
    statements = []
    for one in all_of:
        _write(one, marked)
        named = id(one) in own and not (one.uses == 1 and id(one) in returned)
        if one.is_leaf or not (named or one.uses > 1 and not one.apart or one.size > MOST_SIZE or one.depth > MOST_DEPTH):
            continue
        python = own.get(id(one)) or (others.get(id(one)) if one.uses > 1 else None)
        one.name = unused(python, taken) if python else letter(taken)
        taken.add(one.name)
        kind = kind_of(one.value)
        statements.append(f"const {'bool' if kind is boolean else kind.__name__} {one.name} = {one.text.text};")
        one.text, one.size, one.depth = Text(one.name, PRIMARY), 0, 0
    texts = [of[id(root)].text.text for root in roots]
    statements.append(f"return {texts[0] if traced.kind is None else '{' + ', '.join(texts) + '}'};")
    return Body(statements, {str(one.value._args[0]) for one in all_of if one.value._op == "name"})


def _called(names: dict[int, str], of: dict[int, Numbered]) -> dict[int, str]:
    """By the numbered value: what Python calls one of those that are equal."""
    found: dict[int, str] = {}
    for value, name in names.items():
        if value in of:
            found.setdefault(id(of[value]), name)
    return found


def _write(one: Numbered, marked: bool) -> None:
    """Its text, of the texts of its operands."""
    one.text = operation(one.value._op, [arg.text for arg in one.args]) if one.args else leaf(one.value)
    one.size = 1 + sum(arg.size for arg in one.args)
    brackets = one.args and any("(" in arg.text.text or arg.text.level < PRIMARY for arg in one.args)
    one.depth = max((arg.depth for arg in one.args), default=0) + bool(brackets)
    if marked and one.args:  # names and numbers have the place of what is made of them
        one.text = Text(f"{BEGIN}{one.value._serial}{AFTER}{one.text.text}{END}", one.text.level)


def wrapped(statement: str, indent: str) -> str:
    """A statement in lines that fit, broken behind operators and commas, where fewest brackets are open."""
    lines, rest = [], statement
    room = WIDTH - len(indent)
    while len(rest) > room:
        best, least, open_ = 0, (1 << 30, True), 0
        for at, character in enumerate(rest[:room + 1]):
            open_ += (character in "({") - (character in ")}")
            if character == " " and rest[at - 1] in BREAKS and at > room // 3 and (open_, rest[at - 1] in "*/") <= least:
                best, least = at, (open_, rest[at - 1] in "*/")
        if best == 0:
            best = rest.rfind(" ", 0, room + 1) if " " in rest[:room + 1].strip() else len(rest)
        lines.append(rest[:best])
        rest, room = rest[best:].strip(), WIDTH - len(indent) - 4
    return "\n".join(indent + "    " * bool(k) + line for k, line in enumerate([*lines, rest]) if line)
