"""Random kernels of tests/property, written in Python too: the same IR once all passes have run, and of some the same bits."""
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import ir_of_kernels
import numpy as np
import pytest

import facet
from facet.language import *  # noqa: F403

sys.path.insert(0, str(Path(__file__).parents[1] / "property"))
import expressions  # noqa: E402
import random_kernels  # noqa: E402

SEEDS = range(500) if os.environ.get("FACET_FULL_TESTS") == "1" else range(0, 500, 13)
#: what the templates of C++ are in Python, where these are none
PYTHON = {"({0} < 0.6875 && {1} > -0.4375 ? {2} : {3})": "where(({0} < 0.6875) & ({1} > -0.4375), {2}, {3})",
          "sqrt(cplx({0} < 0.4375 ? -1.5 : 1.5))": "sqrt(cplx(where({0} < 0.4375, -1.5, 1.5)))",
          "(t.depth < q.y ? {0} : t.pole)": "where(t.depth < q.y, {0}, t.pole)"}
HEAD = """
@facet.kernel
class random_kernel:
    grid = {grid}(real, real, cplx)
    kappa = param(real)
    record = Coated
    def term(q, t, p):
        a = {first}
        b = {second}
        return {summed}
    def finish(q, sum, p):
        f = {whole} * {finish}
        return {returned}
"""


@dataclass
class Sums:
    n: cplx
    w: real
    m: cvec3


@dataclass
class Outputs:
    whole: cplx
    size: real
    part: cplx


def python(tree):
    """The text of a tree in Python."""
    template, kind, children = tree
    body = PYTHON.get(template, template).format(*map(python, children)) if children else template
    return f"({body})" if children and kind != "l" else body


def axes(case):
    """Axis, type and name of each column with an axis."""
    return [column.strip().replace("per<", "").replace(">", "").replace(",", "").split() for column in case.columns.split(";") if column.strip()]


def record(case):
    """The record of a case."""
    members = {"__annotations__": {"contrast": real}}
    for axis, kind, name in axes(case):
        members[name] = per(axis, {"real": real, "cplx": cplx}[kind])
    return type("Coated", (Triangle,), members)


def in_python(case):
    first, second = case.trees
    components = case.text is random_kernels.COMPONENTS
    text = HEAD.format(grid=case.grid, first=PYTHON.get(case.first, case.first).format(f"({python(first)})"), second=python(second), finish=case.finish,
                       summed="Sums(b * a, b * t.contrast, a * t.normal)" if components else "b * a",
                       whole="(sum.n + i * sum.w + sum.m.x + p.kappa * sum.m.z)" if components else "sum",
                       returned="Outputs(f, re(f) + 2.0 * im(f), conj(f) * p.kappa)" if case.outputs else "f")
    scope = {**globals(), "Coated": record(case), "half": 0.5, "twice": lambda x: x + x, "turn": mat3([0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1])}
    exec(text, scope)
    return scope["random_kernel"]


def values(kernel, case):
    """F of a small ball, in the case's class, grid and kind of q, and the error that the reference measures."""
    ball, y, z = facet.Mesh.sphere(2, n=3), np.linspace(-1, 1, 8), np.linspace(0, 1, 8) + (0.1j if case.q == "cplx" else 0)
    x, n, rng = np.array([0.2, 0.3]), len(ball.triangles), np.random.default_rng(case.seed)
    columns = {"contrast": np.linspace(0, 1, n)}
    for axis, kind, name in axes(case):
        table = rng.uniform(0.5, 1, (2, {"X": x, "Y": y, "Z": z}[axis].size, n))
        columns[name] = table[0] + 1j * table[1] if kind == "cplx" else table[0]
    q = {"qx": x, "qy": y, "qz": z} if case.grid == "product" else {"q": np.stack([y * 0.3, y, z], axis=1)}
    plan = kernel.plan(facet.Mesh(ball.triangles, columns=columns), **q, algorithm="direct", precision=case.klass, accuracy=1e-3)
    return plan(kappa=0.3).tobytes(), plan.error


@pytest.mark.parametrize("seed", SEEDS)
def test_same_ir(seed, tmp_path, recwarn):
    """What sums are made of, each operation and its operands, as it is before records are packed in the order of the text."""
    case = random_kernels.Case(seed, ["avx2"])
    (tmp_path / "k.cpp").write_text(case.kernel(case.trees))
    kernel = in_python(case)
    options = [f"--grid={case.grid}", f"--q={case.q}", f"--class={case.klass}", "--targets=avx2", "--after=cse-3"]
    assert ir_of_kernels.same(ir_of_kernels.ir(kernel._spec, *options), ir_of_kernels.ir(tmp_path / "k.cpp", *options)), kernel.source


def test_same_bits(tmp_path, recwarn):
    """Compiled, by the sum kernel and by the reference that measures it."""
    case = random_kernels.Case(5, ["avx2"])
    (tmp_path / "k.cpp").write_text(case.kernel(case.trees))
    assert values(in_python(case), case) == values(facet.compile(tmp_path / "k.cpp"), case)
