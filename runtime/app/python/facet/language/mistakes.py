"""What a kernel written in Python may have wrong: one message each, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _core
from ..errors import Error
from .places import Spot, head, spot


class Mistake(Error):
    """What a kernel written in Python has wrong. Its kind is Python's own too: TypeError, AttributeError, ..."""


class TypeMistake(Mistake, TypeError):
    """A value of another type than is asked for."""


class AttributeMistake(Mistake, AttributeError):
    """A name that a record, q or the parameters do not have."""


class NameMistake(Mistake, NameError):
    """A name that Python does not know."""


class ValueMistake(Mistake, ValueError):
    """A value that cannot be in a kernel."""


#: id: kind, what is wrong, what to write. {0}, {1}: what was written.
MISTAKES: dict[str, tuple[type[Mistake], str, str]] = {
    # Values.
    "truth": (TypeMistake, "whether {0} holds is not known yet: it differs from record to record and from q to q", "{1}"),
    "number": (TypeMistake, "{0} is no number yet: it differs from record to record and from q to q", "write a function of facet for one of math, as facet.exp({0})"),
    "vectors": (TypeMistake, "{0} * {1} multiplies two vectors", "write dot({0}, {1}), a number, or cross({0}, {1}), a vector"),
    "operands": (TypeMistake, "'{0}' does not take {1} and {2}", "{3}"),
    "condition": (TypeMistake, "the condition {0} is used as a number", "write facet.where({0}, 1, 0)"),
    "conditions": (TypeMistake, "'{0}' takes conditions, and {1} is {2}", "compare it with something, as in {1} > 0, in brackets"),
    "order": (TypeMistake, "{0} {1} {2} compares complex numbers or vectors", "compare re, im, abs or norm2 of them"),
    "power": (TypeMistake, "the exponent of {0} ** {1} is no constant number", "write facet.exp({1} * facet.log({0}))"),
    "power_range": (ValueMistake, "the exponent {1} of {0} ** {1} is not from -1000 to 1000", "write facet.exp({1} * facet.log({0}))"),
    "power_complex": (TypeMistake, "{0} is complex, and powers are of real numbers", "write it as a product, or facet.exp({1} * ...) of its logarithm's parts"),
    "operator": (TypeMistake, "'{0}' is not in the language", "{1}"),
    "subscript": (AttributeMistake, "{0} has the components 0, 1 and 2, and not {1}", "write .x, .y or .z"),
    "finite": (ValueMistake, "{0} is not a finite number", "write one that is, and facet.where for branches without end"),
    "foreign": (TypeMistake, "{0} is {1}, which kernels do not compute with", "write numbers, lists of three numbers, and what is made of q, the record and parameters"),
    "component": (AttributeMistake, "{0} is {1} and has no '{2}'", "{3}"),
    "frozen": (AttributeMistake, "'{0}' of {1} is changed", "give the new value a name of its own: values are given once"),
    # Functions.
    "arguments": (TypeMistake, "{0} does not take {1}", "write {2}"),
    "branches": (TypeMistake, "facet.where chooses between {0} and {1}", "give two numbers, two vectors or two of the same dataclass"),
    "numpy": (TypeMistake, "numpy.{0} is not in the language", "write {1}"),
    # Declarations.
    "column": (AttributeMistake, "{0} has no column '{1}'", "{2}"),
    "parameter": (AttributeMistake, "the kernel has no parameter '{0}'", "{1}"),
    "sum": (AttributeMistake, "the sum has no '{0}'", "{1}"),
    "unknown": (NameMistake, "the name '{0}' is not known here", "{1}"),
    "name": (ValueMistake, "{0} '{1}' is no name of letters a to z, digits and _", "write {2}"),
    "column_type": (TypeMistake, "column '{0}' of {1} has the type {2}", "write real, vec3, position3, offset3, direction3, fixed3, scaled(1) or per(\"Y\", cplx)"),
    "record": (TypeMistake, "{0} is no record", "write class {1}(facet.Record), or (facet.Triangle), with its columns"),
    "record_empty": (ValueMistake, "record {0} has no columns", "write at least one, as place: facet.position3"),
    "axis": (ValueMistake, "{0} is no axis of a grid", "write per(\"X\"), per(\"Y\") or per(\"Z\")"),
    "grid": (TypeMistake, "the grid is {0}", "write grid = facet.product(real, real, cplx), or facet.points(...)"),
    "grid_component": (TypeMistake, "component {0} of the grid is {1}", "write real, cplx or fixed(N)"),
    "default": (TypeMistake, "{0} is no default of a parameter", "write facet.param(0.1), a list of 3 numbers or of 3 x 3, or facet.param(cplx)"),
    "member": (AttributeMistake, "kernel {0} has a member '{1}', which is no part of a kernel", "{2}"),
    "missing": (TypeMistake, "kernel {0} has no term", "write def term(q, t): return ..., what one record adds to the sum"),
    "takes": (TypeMistake, "{0} takes {1}", "write def {0}({2}), and p behind it for parameters; no self"),
    "returns": (TypeMistake, "{0} returns {1}", "return {2}"),
    "returned_member": (TypeMistake, "'{0}' of what {1} returns is {2}", "give it {3}"),
    "returned_type": (TypeMistake, "'{0}' of what {1} returns is declared as {2}", "write real, cplx, vec3 or cvec3 (an output: real or cplx)"),
    "kernel": (TypeMistake, "facet.kernel is given {0}", "give it a class with term, or a function of q and the record"),
    "nameless": (ValueMistake, "a lambda has no name that the kernel could have", "write facet.kernel(lambda q, t: ..., name=\"shell\")"),
    "long": (ValueMistake, "the kernel makes more than {0} operations", "write the sum over many nodes as columns or records, or take fewer"),
}


def mistake(name: str, *written: object, at: Spot | None = None) -> Mistake:
    """The exception, to be raised: at a place, else at the line of the caller's that is executed."""
    place = (at or spot()).place
    kind, text, help = MISTAKES[name]
    words = [str(word) for word in written]
    said = text.format(*words)
    return kind(f"{head(place, said) if place is not None else said}\n  help: {help.format(*words)}")


def nearest(name: str, names: Iterable[str], what: str) -> str:
    """"write 'normal'", or all names where none is near; what: "columns"."""
    known = sorted(names)
    return str(_core.suggestion(name, known, what)) if known else f"there are no {what}: declare it"
