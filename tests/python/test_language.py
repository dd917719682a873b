"""Kernels written in Python: the text that they are, and the IR it has beside that of the examples."""
import re
import sys
from pathlib import Path

import ir_of_kernels
import kernels_in_python
import numpy as np
import pytest

import facet
from facet import language
from facet.language import cis, cplx, dot, exp, functions, max, mean_cis, names, norm2, real, vec3, where

SOURCE = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((SOURCE / "examples/kernels").glob("*.cpp"))
LAMP = """// lamp.cpp - a kernel that was written in Python.
#include <facet/dsl.h>
using namespace facet;

/// Surface form factor of the upward faces.
struct FACET_KERNEL lamp {
  using Grid = product<real, real, cplx>;
  struct Params {
    real kappa = 0.1;
  };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return t.area * max(t.normal.z, 0) * exp(p.kappa * t.centroid.z) * mean_cis(q, t);
  }
  static cplx finish(Grid::q, cplx s) { return s; }
};
"""


def made():
    @facet.kernel
    class lamp:
        """Surface form factor of the upward faces."""
        grid = facet.product(real, real, cplx)
        kappa = facet.param(0.1)
        def term(q, t, p): return t.area * max(t.normal.z, 0) * exp(p.kappa * t.centroid.z) * mean_cis(q, t)
        def finish(q, s): return s
    return lamp


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples(file):
    """The same grid, columns, parameters and operations as those of the file."""
    kernel = getattr(kernels_in_python, file.stem)
    assert ir_of_kernels.same(ir_of_kernels.ir(kernel._spec), ir_of_kernels.ir(file)), kernel.source


def test_others_are_told_apart():
    """What compares IR sees each change of one."""
    text = ir_of_kernels.ir(EXAMPLES[0])
    for old, new in (("exp", "sin"), ("t.a1", "t.a2"), ("a1: real", "a1: vec3"), ("16", "17"), ("product", "points")):
        assert old in text and not ir_of_kernels.same(text, text.replace(old, new, 1))
    assert ir_of_kernels.same(text, re.sub(r"%(\d+)", lambda m: f"%{int(m[1]) + 100}", text).replace("sum", "sum"))


def test_text(tmp_path):
    lamp = made()
    assert lamp.source == LAMP == str(lamp) and lamp.save(tmp_path / "lamp.cpp").read_text() == LAMP
    assert "lamp" in repr(lamp) and "nufft" in lamp.explain() and lamp.parameters == {"kappa": 0.1}


def test_the_saved_file_has_the_same_bits(tmp_path, sphere):
    lamp = made()
    again = facet.compile(lamp.save(tmp_path / "lamp.cpp"))
    q = {"qy": "-1:1:20", "qz": "0:1:20"}
    assert lamp(sphere, **q).tobytes() == again(sphere, **q).tobytes()


def test_names_and_common_values():
    @facet.kernel
    def named(q, t):
        σ = norm2(q)
        double = exp(-σ) + 1
        unused = t.area * 3  # noqa: F841
        return double * cis(dot(q, t.centroid)) * where(dot(q, t.centroid + t.centroid).real > 0, σ, dot(t.edge1, t.edge1) + dot(t.edge1, t.edge1))
    body = named.source[named.source.index("  static cplx term"):named.source.index("  static cplx finish")]
    assert body == """  static cplx term(Grid::q q, const Triangle &t) {
    const real sigma = norm2(q);
    const real double_ = exp(-sigma) + 1;
    const real a = dot(t.edge1, t.edge1);
    return double_ * cis(dot(q, t.centroid)) *
        (re(dot(q, t.centroid + t.centroid)) > 0 ? sigma : a + a);
  }
"""


def test_numpy_and_python():
    """NumPy's functions, arrays and Python's loops are those of the language."""
    @facet.kernel
    def by_numpy(q, t):
        phases = np.array([0.0, 0.5, 1.0]) * dot(q, t.centroid)
        turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
        x, _, z = turn @ t.normal
        return np.float64(2) * np.exp(1j * phases).sum() * np.where(np.maximum(x, z) > 0, np.sqrt(t.area), abs(x)) + np.dot([0, 0, 1], t.normal) * 2j

    @facet.kernel
    def by_words(q, t):
        phase = dot(q, t.centroid)
        turn = facet.mat3([0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
        normal = turn * t.normal
        waves = exp(1j * (0.0 * phase)) + exp(1j * (0.5 * phase)) + exp(1j * (1.0 * phase))
        return 2.0 * waves * where(max(normal.x, normal.z) > 0, facet.sqrt(t.area), facet.abs(normal.x)) + dot(vec3(0, 0, 1), t.normal) * 2j
    first, second = (ir_of_kernels.ir(kernel._spec) for kernel in (by_numpy, by_words))
    assert ir_of_kernels.same(first, second), by_numpy.source + by_words.source


def test_of_numbers_they_are_numbers():
    for name, (rule, operands) in functions.FUNCTIONS.items():
        if name in functions.KNOWN:
            found = getattr(language, name)(*[0.5] * operands)
            assert isinstance(found, (float, complex)), name
            if rule in ("Elementary", "Real") and operands == 1:
                array = getattr(language, name)(np.array([0.5, 0.25]))
                assert array.shape == (2,) and array[0] == found
    assert language.max([1, 3, 2]) == 3 and language.max("ab", "b", key=len) == "ab" and 16 * language.pi == 16 * np.pi


def test_functions_are_those_of_the_table():
    """ops.def has the functions of a kernel file; so have language/functions.py and docs/language.md, with the same operands."""
    rows = re.findall(r'FACET_FUNCTION\(\w+, "(\w+)", (\d), (\w+),', (SOURCE / "codegen/ir/ops.def").read_text())
    assert {name: (rule, int(operands)) for name, operands, rule in rows} == functions.FUNCTIONS and len(rows) > 20
    columns = re.findall(r"FACET_TRIANGLE\((\w+), (\d)", (SOURCE / "dsl/facet/triangle.def").read_text())
    assert {name: vec3 if vector == "1" else real for name, vector in columns} == {name: c.kind for name, c in facet.Triangle._columns.items()}
    roles = re.findall(r"^FACET_ROLE\(\w+, (\w+)", (SOURCE / "dsl/facet/roles.def").read_text(), re.M)
    assert set(roles) < set(language.__all__) and set(functions.FUNCTIONS) < set(language.__all__)
    assert set(language.__all__) - {"Value", "boolean", "param", "where"} <= names.RESERVED


def test_a_kernel_is_traced_by_little_work():
    """About 0.4 ms, as calls of Python, which no other load changes; what the front end said is not asked for again."""
    made()
    calls = []
    sys.setprofile(lambda frame, event, argument: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        made()
    finally:
        sys.setprofile(None)
    assert 100 < len(calls) < 1500 and "_execute_child" not in calls, len(calls)


def test_in_exec_and_without_source():
    """Kernels are traced, not read: there need be no file."""
    scope = {"facet": facet}
    exec("@facet.kernel\ndef flat(q, t):\n  return t.area * facet.cis(t.centroid.x * q.x)", scope)
    assert "t.area * cis(t.centroid.x * q.x)" in scope["flat"].source
    with pytest.raises(facet.Error, match="<string>:3: Triangle has no column 'aera'\n  help: did you mean 'area'") as found:
        exec("@facet.kernel\ndef flat(q, t):\n  return t.aera", scope)
    assert len(str(found.value).splitlines()) == 2


def test_completion():
    """What dir says of q, t and p is what they have."""
    seen = {}

    @facet.kernel(kappa=facet.param(0.1))
    def listed(q, t, p):
        seen.update(q=dir(q), t=dir(t), p=dir(p))
        return t.area * p.kappa
    assert {"x", "y", "z"} <= set(seen["q"]) and set(seen["t"]) == set(facet.Triangle._columns) and seen["p"] == ["kappa"]
