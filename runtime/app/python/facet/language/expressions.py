"""The text of an expression: what binds how tightly, and numbers as a kernel file has them. A value is any object with _op and _args."""

from __future__ import annotations

from typing import Any, NamedTuple

# How tightly a text binds, as C++ has it.
PRIMARY, UNARY, PRODUCT, SUM, ORDER, EQUALITY, AND, OR, CHOICE = 9, 8, 7, 6, 5, 4, 3, 2, 1
BINARY = {"*": PRODUCT, "/": PRODUCT, "+": SUM, "-": SUM, "<": ORDER, "<=": ORDER, ">": ORDER, ">=": ORDER, "==": EQUALITY, "!=": EQUALITY,
          "&&": AND, "||": OR}
#: operations whose arguments are the text itself: a column, a parameter, a constant
LEAVES = {"number", "name"}
MOST_INT = 2**31 - 1


class Text(NamedTuple):
    """A text and how tightly it binds."""

    text: str
    level: int


class Constant(float):
    """A number of the language by its name, and what Python computes of it with numbers: ``16 * pi * pi`` stays this text."""

    text: Text

    def __new__(cls, value: float, text: Text) -> Constant:
        self = super().__new__(cls, value)
        self.text = text
        return self

    def __reduce__(self) -> tuple[type[Constant], tuple[float, Text]]:
        return Constant, (float(self), self.text)

    def __repr__(self) -> str:
        return self.text.text

    def _with(self, op: str, left: Any, right: Any, value: Any) -> Any:
        if value is NotImplemented or not all(type(side) in (int, float, Constant) for side in (left, right)):
            return value
        return Constant(value, binary(op, number(left), number(right)))

    def __add__(self, other: Any) -> Any:
        return self._with("+", self, other, float.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return self._with("+", other, self, float.__radd__(self, other))

    def __sub__(self, other: Any) -> Any:
        return self._with("-", self, other, float.__sub__(self, other))

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, self, float.__rsub__(self, other))

    def __mul__(self, other: Any) -> Any:
        return self._with("*", self, other, float.__mul__(self, other))

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, self, float.__rmul__(self, other))

    def __truediv__(self, other: Any) -> Any:
        return self._with("/", self, other, float.__truediv__(self, other))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("/", other, self, float.__rtruediv__(self, other))

    def __neg__(self) -> Any:
        return Constant(-float(self), unary("-", self.text))


def bracketed(of: Text, least: int) -> str:
    """In brackets where it binds less tightly."""
    return of.text if of.level >= least else f"({of.text})"


def unary(op: str, of: Text) -> Text:
    inner = bracketed(of, UNARY)
    return Text(f"{op}({inner})" if inner.startswith(op) else op + inner, UNARY)


def binary(op: str, left: Text, right: Text) -> Text:
    """Two texts and the operator between them; compilers ask for brackets where && stands in ||."""
    level = BINARY[op]
    above = EQUALITY if level in (AND, OR) else level
    return Text(f"{bracketed(left, level if left.level == level else above)} {op} {bracketed(right, above + 1)}", level)


def real(value: float) -> str:
    """A real number that is not negative, in the fewest letters."""
    plain, short = repr(float(value)), f"{value:g}"
    mantissa, e, exponent = short.partition("e")
    short = f"{mantissa}e{int(exponent)}" if e else plain
    return short if float(short) == value and len(short) < len(plain) else plain


def number(value: complex | Constant) -> Text:
    """A number as a kernel file has it; whole ones stay whole as far as an int goes."""
    if isinstance(value, Constant):
        return value.text
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, int):
        shown = str(abs(value)) if abs(value) <= MOST_INT else real(abs(value))
        return unary("-", Text(shown, PRIMARY)) if value < 0 else Text(shown, PRIMARY)
    size = Text(real(abs(value)), PRIMARY)
    return unary("-", size) if str(float(value)).startswith("-") else size


def _complex(value: complex) -> Text:
    if value.real != 0:
        return Text(f"cplx({number(value.real).text}, {number(value.imag).text})", PRIMARY)
    unit = Text("i", PRIMARY)
    if abs(value.imag) == 1:
        return unary("-", unit) if value.imag < 0 else unit
    return binary("*", number(value.imag), unit)


def operation(op: str, args: list[Text]) -> Text:
    """An operation's text from those of its operands: a function by its name, a component by ".x"."""
    if op in BINARY:
        return binary(op, *args)
    if op in ("neg", "!"):
        return unary("-" if op == "neg" else "!", args[0])
    if op.startswith("."):
        return Text(bracketed(args[0], PRIMARY) + op, PRIMARY)
    if op == "?:":
        a, b, c = args
        return Text(f"{bracketed(a, OR)} ? {bracketed(b, OR)} : {bracketed(c, CHOICE)}", CHOICE)
    return Text(f"{op}({', '.join(arg.text for arg in args)})", PRIMARY)


def leaf(value: Any) -> Text:
    """The text of a number or a name."""
    return number(value._args[0]) if value._op == "number" else Text(value._args[0], PRIMARY)


def shown(value: Any, most: int = 60) -> str:
    """A value in one line, its inner parts left out where it is long."""
    return _shown(value, 6).text if len(_shown(value, 6).text) <= most else _shown(value, 2).text


def _shown(value: Any, depth: int) -> Text:
    if value._op in LEAVES:
        return leaf(value)
    if depth == 0:
        return Text("...", PRIMARY)
    return operation(value._op, [_shown(arg, depth - 1) for arg in value._args])
