"""What is wrong in a kernel of Python: one exception, of Python's kind, at its line, that ends with what to write."""
import math
import pickle
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import facet
from facet.language import Record, Triangle, cplx, dot, exp, param, per, product, real, vec3, where

FACET = str(Path(facet.__file__).resolve().parent)


class Bond(Record):
    place: facet.position3
    length = facet.scaled(1)


@dataclass
class Pair:
    a: cplx
    b: real


@dataclass
class Strange:
    a: str


# Name: a term of q, t, p; Python's kind of exception; what is wrong; what to write.
TERMS = {
    "if": (lambda q, t, p: t.area if t.normal.z > 0 else 0, TypeError, "whether t.normal.z > 0 holds is not known", "facet.where(t.normal.z > 0, a, b) for if"),
    "and": (lambda q, t, p: (t.area > 1) and t.area, TypeError, "whether t.area > 1 holds", "& b"),
    "not": (lambda q, t, p: not t.area > 1, TypeError, "whether t.area > 1 holds", "write ~(t.area > 1)"),
    "max": (lambda q, t, p: __builtins__["max"](t.area, 0), TypeError, "whether 0 > t.area holds|whether t.area < 0 holds", "facet.max, facet.min"),
    "math": (lambda q, t, p: math.exp(t.area), TypeError, "t.area is no number yet", "facet.exp(t.area)"),
    "column": (lambda q, t, p: t.nromal.z, AttributeError, "Triangle has no column 'nromal'", "did you mean 'normal'"),
    "parameter": (lambda q, t, p: p.kapa, AttributeError, "no parameter 'kapa'", "did you mean 'kappa'"),
    "component": (lambda q, t, p: q.w, AttributeError, "q is a complex vector and has no 'w'", "components: x, y, z"),
    "number's": (lambda q, t, p: t.area.z, AttributeError, "t.area is a real number and has no 'z'", "no components"),
    "name": (lambda q, t, p: ciss(q), NameError, "the name 'ciss' is not known", "did you mean 'cis'"),  # noqa: F821
    "word": (lambda q, t, p: mean_cis(q, t), NameError, "the name 'mean_cis' is not known", "write facet.mean_cis"),  # noqa: F821
    "vectors": (lambda q, t, p: t.normal * t.centroid, TypeError, "multiplies two vectors", "dot(t.normal, t.centroid), a number, or cross"),
    "sum": (lambda q, t, p: t.normal + t.area, TypeError, r"'\+' does not take t.normal, a real vector, and t.area", "vectors to vectors"),
    "divisor": (lambda q, t, p: 1 / t.normal, TypeError, "'/' does not take", "divide by a number"),
    "order": (lambda q, t, p: where(q.z > 0, 1, 0), TypeError, "q.z > 0 compares complex numbers", "compare re, im, abs or norm2"),
    "condition": (lambda q, t, p: t.area * (t.area > 1), TypeError, "the condition t.area > 1 is used as a number", "facet.where(t.area > 1, 1, 0)"),
    "logic": (lambda q, t, p: where(t.area, 1, 0), TypeError, "'where' takes conditions, and t.area is a real number", "t.area > 0"),
    "power": (lambda q, t, p: t.area ** p.kappa, TypeError, "exponent of t.area \\*\\* p.kappa is no constant", "exp(p.kappa * facet.log(t.area))"),
    "base": (lambda q, t, p: 2 ** t.area, TypeError, "exponent of 2 \\*\\* t.area", "facet.exp"),
    "modulo": (lambda q, t, p: t.area % 2, TypeError, "'%' is not in the language", "sin or cos"),
    "numpy": (lambda q, t, p: np.tanh(t.area), TypeError, "numpy.tanh is not in the language", "1 - 2 / (exp"),
    "numpy's sinc": (lambda q, t, p: np.sinc(t.area), TypeError, "numpy.sinc", "facet.sinc(facet.pi * a)"),
    "complex argument": (lambda q, t, p: facet.erf(q.z), TypeError, "erf does not take q.z, a complex number", "re, im or abs of it"),
    "vector argument": (lambda q, t, p: exp(t.normal), TypeError, "exp does not take t.normal", "exp of a number"),
    "norm": (lambda q, t, p: abs(t.normal), TypeError, "abs does not take t.normal", "abs of a number"),
    "dot": (lambda q, t, p: dot(q, t.area), TypeError, "dot does not take t.area", "dot of a vector"),
    "phases": (lambda q, t, p: facet.mean_cis(q), TypeError, "mean_cis does not take 1 arguments", "mean_cis(q, t)"),
    "branches": (lambda q, t, p: where(t.area > 1, t.normal, 1), TypeError, "chooses between t.normal, a real vector, and 1", "two numbers, two vectors"),
    "text": (lambda q, t, p: t.area * "a", TypeError, "'a' is str", "write numbers"),
    "infinite": (lambda q, t, p: t.area * math.inf, ValueError, "inf is not a finite number", "facet.where"),
    "index": (lambda q, t, p: t.normal[3], AttributeError, "components 0, 1 and 2, and not 3", "write .x, .y or .z"),
    "nothing": (lambda q, t, p: None, TypeError, "returns None, NoneType", "return a number"),
    "condition as sum": (lambda q, t, p: t.area > 1, TypeError, "returns t.area > 1, a condition", "return a number"),
    "member": (lambda q, t, p: Pair(q.x, q.z), TypeError, "'b' of what .* returns is q.z, a complex number", "give it a real number"),
    "member's type": (lambda q, t, p: Strange("a"), TypeError, "is declared as str", "write real, cplx"),
    "changed": (lambda q, t, p: setattr(t, "area", 1), AttributeError, "'area' of the record is changed", "a name of its own"),
}


@pytest.mark.parametrize("name", TERMS)
def test_terms(name):
    term, kind, what, help = TERMS[name]
    with pytest.raises(facet.Error, match=what) as found:
        facet.kernel(term, name="wrong", kappa=param(0.1))
    line = term.__code__.co_firstlineno
    told(found, kind, help, line, f'    "{name}": (lambda q, t, p:')
    ended = what.startswith(("returns", "'b' of", "is declared"))  # the term has no frame any more
    assert ended or traceback.extract_tb(found.tb)[-1].lineno == line


def told(found, kind, help, line=None, source=""):
    """An exception of facet and of Python, whose last line says what to write; facet has no frame in it."""
    error, said = found.value, str(found.value).splitlines()
    assert isinstance(error, kind) and error.exit == 1
    assert said[-1].startswith("  help: ") and help in said[-1]
    assert not [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(FACET)]
    if line is not None:
        assert said[0].startswith(f"{Path(__file__).name}:{line}: ") and said[1] == source.strip().join(["    ", said[1][4 + len(source.strip()):]])
        assert said[2].lstrip()[0] == "^"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)


def made(**members):
    """A class of these members."""
    return facet.kernel(type("wrong", (), {"term": lambda q, t: t.area, **members}))


def test_members():
    for members, kind, what, help in (
        ({"kapa": 0.1}, AttributeError, "member 'kapa'", "kapa = facet.param(0.1)"),
        ({"finsh": lambda q, s: s}, AttributeError, "member 'finsh'", "did you mean 'finish'"),
        ({"grid": "product"}, TypeError, "the grid is 'product'", "facet.product(real, real, cplx)"),
        ({"term": None}, TypeError, "has no term", "def term(q, t)"),
        ({"term": lambda self, q, t, p: 1}, TypeError, r"takes \(self, q, t, p\)", "no self"),
        ({"finish": lambda s: s}, TypeError, r"takes \(s\)", "(q, s)"),
        ({"finish": lambda q, s: q}, TypeError, "returns q, a complex vector", "a dataclass of 1 to 8 numbers"),
        ({"record": Pair}, TypeError, "is no record", "facet.Record"),
        ({"record": Record}, TypeError, "is no record", "facet.Record"),
        ({"σ": param(0.1)}, ValueError, "parameter 'σ' is no name", "sigma"),
    ):
        with pytest.raises(facet.Error, match=what) as found:
            made(**members)
        told(found, kind, help)
    with pytest.raises(facet.Error, match="a lambda has no name") as found:
        facet.kernel(lambda q, t: t.area)
    told(found, ValueError, 'name="shell"')
    with pytest.raises(facet.Error, match="is given 3") as found:
        facet.kernel(3)
    told(found, TypeError, "a class with term, or a function")


def test_declarations():
    """These are refused where they are declared, before there is a kernel."""
    def wrong_column():
        class Wrong(Triangle):
            charge: int
        return Wrong

    for wrong, kind, what, help in ((wrong_column, TypeError, "'charge' of Wrong has the type int", "write real, vec3"),
                                    (lambda: per("W", real), ValueError, "'W' is no axis", 'per("X")'),
                                    (lambda: per("X", vec3), TypeError, "has the type", "write real"),
                                    (lambda: product(real, vec3), TypeError, "component y of the grid is vec3", "real, cplx or fixed"),
                                    (lambda: facet.fixed(0), TypeError, "of 0 values", "fixed"),
                                    (lambda: param("a"), TypeError, "'a' is no default", "facet.param(0.1)"),
                                    (lambda: param([1, 2]), TypeError, "no default", "list of 3 numbers")):
        with pytest.raises(facet.Error, match=what) as found:
            wrong()
        assert isinstance(found.value, kind) and help in str(found.value).splitlines()[-1]


class Pole(Record):
    weight: real
    w = per("Y", cplx)


def test_what_the_front_end_says_is_said_at_the_line_of_python():
    with pytest.raises(facet.Error) as found:
        @facet.kernel
        class pole:
            def term(q, t: Pole):
                return t.weight / (q.x - t.w)

            def origin(t):
                a = t.weight
                return a * t.w
    line = test_what_the_front_end_says_is_said_at_the_line_of_python.__code__.co_firstlineno + 9
    assert f"{Path(__file__).name}:{line}: " in str(found.value) and "return a * t.w" in str(found.value), found.value
    told(found, facet.Error, "take another column, or leave origin out")


def test_warnings_are_at_the_line_of_python():
    for _ in range(2):  # the second time from what the first one kept
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")

            @facet.kernel
            class growing:
                def term(q, t):
                    s = t.area
                    return s * facet.cis(-dot(q, t.centroid))
        line = test_warnings_are_at_the_line_of_python.__code__.co_firstlineno + 9
        assert [(w.filename, w.lineno) for w in heard] == [(__file__, line)]
        text = str(heard[0].message)
        assert "facet-growing-phase" in text and "return s * facet.cis(-dot(q, t.centroid))" in text and "^" in text


def test_remedies_of_the_front_end_are_in_python():
    with pytest.warns(UserWarning, match=r"divides by norm2\(q\) and has no origin: F at q = 0 will not be finite(.|\n)*help: write def origin\(t\)"):
        facet.kernel(lambda q, t: t.area, finish=lambda q, s: s / facet.norm2(q), name="without")


def test_exceptions_of_others_stay():
    with pytest.raises(ZeroDivisionError) as found:
        facet.kernel(lambda q, t: t.area / (1 // 0), name="divided")
    assert not isinstance(found.value, facet.Error)
    assert not [frame for frame in traceback.extract_tb(found.value.__traceback__) if frame.filename.startswith(FACET)]
