"""Derivatives of F by the corners of a mesh: both ways agree, vertices that are shared add up, bad input is refused."""
import numpy as np
import pytest

import facet

VERTICES = np.array([[0, 0, 0], [3, 0.2, 0], [0.1, 4, 0], [0.3, 0.5, 5]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


@pytest.fixture(scope="module")
def plan(exact):
    return exact.plan(facet.Mesh(VERTICES, FACES), qy=np.linspace(-1, 1, 6), qz=np.linspace(0.1, 1, 5), accuracy=1e-10, threads=1)


def test_both_ways_agree(plan):
    draw = np.random.default_rng(1)
    g = draw.normal(size=(6, 5)) + 1j * draw.normal(size=(6, 5))
    v = draw.normal(size=VERTICES.shape)
    by_vertex = np.zeros_like(VERTICES)
    np.add.at(by_vertex, FACES, plan.vjp(g))
    forward, back = 2 * (g.conj() * plan.jvp(v[FACES])).real.sum(), (by_vertex * v).sum()
    assert abs(forward - back) < 1e-9 * abs(by_vertex * v).sum()


def test_by_vertices_is_the_sum_by_corners(plan):
    g = np.random.default_rng(2).normal(size=(6, 5)) + 1j
    by_vertex = np.zeros_like(VERTICES)
    np.add.at(by_vertex, FACES, plan.vjp(g))
    assert abs(plan.by_vertices(g) - by_vertex).max() <= 1e-14 * abs(by_vertex).max()
    soup = facet.compile("exact").plan(facet.Mesh(VERTICES[FACES]), qz=[0.1, 0.5], threads=1)
    with pytest.raises(facet.Error, match="share no vertices"):
        soup.by_vertices(np.zeros(2))


def test_a_moved_mesh_is_a_new_one(exact):
    mesh, other = facet.Mesh(VERTICES, FACES, columns={"own": [1, 2, 3, 4]}), VERTICES * [1, 1.1, 0.9]
    moved, new = mesh.moved(other), facet.Mesh(other, FACES, columns={"own": [1, 2, 3, 4]})
    assert np.array_equal(moved.triangles, new.triangles) and np.array_equal(moved.columns["own"], new.columns["own"])
    plan = exact.plan(mesh, qz=[0.1, 0.5], threads=1)
    made = []
    for of in (moved, new):
        plan.set_mesh(of)
        made.append((plan(), plan.by_vertices([1, 1j])))
    assert np.array_equal(made[0][0], made[1][0]) and np.array_equal(made[0][1], made[1][1])
    with pytest.raises(facet.Error, match="there are 3, and the mesh has 4"):
        mesh.moved(VERTICES[:3])
    with pytest.raises(facet.Error, match="share no vertices"):
        facet.Mesh(VERTICES[FACES]).moved(VERTICES)
    with pytest.raises(facet.Error, match="share no vertices"):  # one face has no area, and is left out
        facet.Mesh(VERTICES, np.vstack([FACES, [0, 0, 1]])).moved(VERTICES)


def test_what_moves_is_looked_at_again_where_it_may_tear_or_turn(exact, recwarn):
    def told(mesh, vertices):
        plan = exact.plan(mesh, qz=[0.1, 0.5], threads=1)
        recwarn.clear()
        plan.set_mesh(mesh.moved(vertices))
        return [str(w.message) for w in recwarn]

    twice = VERTICES[FACES].reshape(-1, 3), np.arange(12).reshape(4, 3)  # closed by places alone
    torn = twice[0].copy()
    torn[0] += 0.5
    assert told(facet.Mesh(VERTICES, FACES), 1.1 * VERTICES) == []
    assert told(facet.Mesh(*twice), 1.1 * twice[0]) == []
    assert any("the mesh is open" in text for text in told(facet.Mesh(*twice), torn))
    assert any("inside out" in text for text in told(facet.Mesh(VERTICES, FACES), VERTICES * [1, 1, -1]))


@pytest.mark.parametrize("derivative", [lambda plan: plan.vjp(np.ones((6, 5))), lambda plan: plan.jvp(np.ones((4, 3, 3)))], ids=["vjp", "jvp"])
def test_an_array_that_changes_does_not_change_derivatives(plan, exact, derivative):
    wanted, array, other = derivative(plan), VERTICES[FACES], 3 * VERTICES[FACES]
    mine = exact.plan(facet.Mesh(array), qy=np.linspace(-1, 1, 6), qz=np.linspace(0.1, 1, 5), accuracy=1e-10, threads=1)
    array *= 2
    assert np.allclose(derivative(mine), wanted, rtol=0, atol=1e-9 * abs(wanted).max())
    mine.set_mesh(facet.Mesh(other))
    wanted = derivative(mine)
    other *= 2
    assert np.array_equal(derivative(mine), wanted)


def test_is_the_difference_of_an_intensity(plan, exact):
    f = plan()
    by_vertex = np.zeros_like(VERTICES)
    np.add.at(by_vertex, FACES, plan.vjp(f))
    h, moved = 1e-4, VERTICES.copy()

    def total(by):
        moved[3, 2] = VERTICES[3, 2] + by
        return (abs(exact(facet.Mesh(moved, FACES), qy=np.linspace(-1, 1, 6), qz=np.linspace(0.1, 1, 5), accuracy=1e-10)) ** 2).sum()

    assert abs((total(h) - total(-h)) / (2 * h) - by_vertex[3, 2]) < 1e-6 * abs(by_vertex).max()
    assert abs(by_vertex.sum(axis=0)).max() < 1e-9 * abs(by_vertex).max()  # a shift of all leaves abs(F)


KERNEL = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL damped {
  using Grid = product<real, real, real>;
  struct Params { real kappa = 0.5; cplx shift = {1, 0}; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return t.area * exp(-p.kappa * norm2(q)) * cis(dot(q, t.centroid)) * p.shift;
  }
  static cplx finish(Grid::q, cplx sum, const Params &p) { return sum * norm2(p.shift); }
};
"""


def test_parameters_change_too():
    plan = facet.compile(KERNEL).plan(facet.Mesh(VERTICES, FACES), qy=np.linspace(-1, 1, 6), qz=np.linspace(0.1, 1, 5), accuracy=1e-10, threads=1)
    for at in (0.3, 0.7):  # the tangent is planned once
        near = plan(kappa=at + 1e-4, shift=1 + 1j), plan(kappa=at - 1e-4, shift=1 + 1j)
        plan(kappa=at, shift=1 + 1j)
        by_kappa = plan.jvp(kappa=1)
        assert abs((near[0] - near[1]) / 2e-4 - by_kappa).max() < 1e-6 * abs(by_kappa).max()
    h = 1e-4 * (0.3 - 0.2j)
    near = plan(shift=1 + 1j + h), plan(shift=1 + 1j - h)
    plan(shift=1 + 1j)
    by_shift, by_both = plan.jvp(shift=h), plan.jvp(VERTICES[FACES], kappa=2)
    assert abs((near[0] - near[1]) / 2 - by_shift).max() < 1e-6 * abs(by_shift).max()
    assert abs(plan.jvp(VERTICES[FACES]) + 2 * plan.jvp(kappa=1) - by_both).max() < 1e-9 * abs(by_both).max()
    with pytest.raises(facet.Error, match="gamma"):
        plan.jvp(gamma=1)


def test_refusals(plan, exact):
    with pytest.raises(facet.Error, match=r"cotangent: has the shape \(3,\), and F has \(6, 5\)"):
        plan.vjp(np.zeros(3))
    with pytest.raises(facet.Error, match=r"change: has the shape \(4, 3\), and the mesh has 4 triangles"):
        plan.jvp(VERTICES)
    turned = exact.plan(facet.Mesh(VERTICES, FACES), qz=[0.1, 0.5], threads=1)
    turned.set_rotation([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    with pytest.raises(facet.Error, match="the plan's mesh is turned"):
        turned.vjp(np.zeros(2))


NAMES = """#include <facet/dsl.h>
using namespace facet;
struct Own : Triangle { real %(a)s, %(b)s; };
struct Sums { real %(a)s; cvec3 v; real %(b)s; };
struct FACET_KERNEL names {
  using Grid = points<real, real, real>;
  struct Params { real %(a)s = 0.5; };
  static Sums term(Grid::q q, const Own &t, const Params &p) {
    return {t.area * cos(p.%(a)s * dot(q, t.centroid)), t.%(a)s * cis(dot(q, t.vertex0)) * t.normal, t.%(b)s * p.%(a)s};
  }
  static cplx finish(Grid::q q, const Sums &s, const Params &p) { return s.%(a)s * p.%(a)s + dot(s.v, q) + s.%(b)s; }
};
"""


@pytest.mark.parametrize("a,b", [("f", "v_x"), ("facet_each", "v_x_"), ("sum", "q")])
def test_names_of_a_kernel_are_its_own(a, b):
    mesh = facet.Mesh.shape("sphere", radius=2, n=4)
    own = {name: np.linspace(1, 2, len(mesh)) for name in (a, b)}
    kernel = facet.compile(NAMES % {"a": a, "b": b})
    q = np.random.default_rng(3).normal(size=(9, 3))
    plan = kernel.plan(facet.Mesh(mesh.triangles, columns=own), q=q, accuracy=1e-9)
    step = 1e-4
    apart = (plan(**{a: 0.5 + step}) - plan(**{a: 0.5 - step})) / (2 * step)
    plan(**{a: 0.5})
    assert np.abs(plan.jvp(**{a: 1.0}) - apart).max() < 1e-6 * np.abs(apart).max()


def test_names_that_derivatives_take():
    mesh = facet.Mesh.shape("sphere", radius=2, n=4)
    own = {name: np.ones(len(mesh)) for name in ("x", "d_x")}
    plan = facet.compile(NAMES % {"a": "x", "b": "d_x"}).plan(facet.Mesh(mesh.triangles, columns=own), q=np.eye(3))
    assert np.isfinite(plan()).all()
    with pytest.raises(facet.Error, match="'x' and 'd_x'.*name one of them otherwise"):
        plan.jvp(x=1.0)


RECORDS = """#include <facet/dsl.h>
using namespace facet;
struct Pole { per<Y, cplx> strength; position3 r; };
struct FACET_KERNEL poles {
  using Grid = product<real, real, real>;
  struct Params { real g = 0.3; };
  static cplx term(Grid::q q, const Pole &t, const Params &p) { return t.strength * cis(p.g * dot(q, t.r)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""


def test_records_and_columns_with_an_axis():
    rng = np.random.default_rng(4)
    r, strength = rng.normal(size=(5, 3)), rng.normal(size=(4, 5)) + 1j * rng.normal(size=(4, 5))
    mesh = facet.Mesh.records({"r.x": r[:, 0], "r.y": r[:, 1], "r.z": r[:, 2], "strength": strength})
    x, y, z = np.linspace(0, 1, 3), np.linspace(0, 2, 4), np.linspace(-1, 1, 5)
    plan = facet.compile(RECORDS).plan(mesh, qx=x, qy=y, qz=z, accuracy=1e-8)
    along = x[:, None, None, None] * r[:, 0] + y[:, None, None] * r[:, 1] + z[:, None] * r[:, 2]
    want = (strength[None, :, None] * 1j * along * np.exp(0.3j * along)).sum(-1)
    plan()
    assert np.abs(plan.jvp(g=1.0) - want).max() < 1e-7 * np.abs(want).max()
    with pytest.raises(facet.Error, match="has the axis y: there is no adjoint of it"):
        plan.vjp(np.ones(want.shape, complex))
    with pytest.raises(facet.Error, match=r"the mesh has 0 triangles"):
        plan.jvp(np.zeros((5, 3, 3)))
