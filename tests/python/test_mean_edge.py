"""mean_cis(a, b), the mean over an edge: in all algorithms and classes the closed form, and in derivatives."""
import numpy as np
import pytest

import facet

WIRE = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL wire {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const cplx a = dot(q, t.vertex0), b = dot(q, t.vertex1), c = dot(q, t.vertex2);
    return norm(t.edge1) * mean_cis(a, b) + t.area * mean_cism1(b, c);
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""
MESH = facet.Mesh.sphere(radius=5, n=4)
Y, Z = np.linspace(-1, 1, 7), np.linspace(0, 0.9, 5)


@pytest.fixture(scope="module")
def wire():
    return facet.compile(WIRE)


def edge(a, b):
    half = (b - a) / 2
    small = abs(half) < 1e-4
    safe = np.where(small, 1, half)
    return np.exp(0.5j * (a + b)) * np.where(small, 1 - half**2 / 6, np.sin(safe) / safe)


def closed(z, corners=MESH.triangles):
    q = np.stack(np.broadcast_arrays(0.2, Y[:, None], z[None, :]), -1)
    a, b, c = (np.tensordot(q, corners[:, k], (-1, -1)) for k in range(3))
    length = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=-1)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1) / 2
    return (length * edge(a, b) + area * (edge(b, c) - 1)).sum(-1)


@pytest.mark.parametrize("damping", [0, 0.1])
@pytest.mark.parametrize(("algorithm", "precision", "accuracy", "most"), [
    ("direct", "f32", 1e-5, 3e-6), ("direct", "f32-careful", 1e-5, 1e-6), ("direct", "f64", 1e-12, 1e-13),
    ("separable", None, 1e-8, 1e-8), ("nufft", None, 1e-10, 1e-10)])
def test_all_algorithms(wire, algorithm, precision, accuracy, most, damping):
    z = Z + 1j * damping
    plan = wire.plan(MESH, qx=0.2, qy=Y, qz=z if damping else Z, algorithm=algorithm, accuracy=accuracy, threads=1,
                     **({"precision": precision} if precision else {}))
    truth = closed(z)
    assert abs(plan().reshape(truth.shape) - truth).max() <= most * abs(truth).max()


@pytest.mark.parametrize("algorithm", ["direct", "nufft"])
def test_derivatives(wire, algorithm):
    change = np.random.default_rng(1).normal(size=MESH.triangles.shape)
    plan = wire.plan(MESH, qx=0.2, qy=Y, qz=Z, algorithm=algorithm, accuracy=1e-9, threads=1)
    plan()
    found, h = plan.jvp(change).reshape(7, 5), 1e-5
    truth = (closed(Z, MESH.triangles + h * change) - closed(Z, MESH.triangles - h * change)) / (2 * h)
    assert abs(found - truth).max() <= 1e-7 * abs(truth).max()


def test_an_edge_of_no_length_is_its_wave():
    rods = """#include <facet/dsl.h>
using namespace facet;
struct Rod { position3 a, b; };
struct FACET_KERNEL rods {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Rod &t) { return mean_cis(dot(q, t.a), dot(q, t.b)); }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""
    ends = np.random.default_rng(2).normal(size=(6, 3))
    others = ends + np.array([0, 0, 1e-9, 1e-4, 1e-2, 3])[:, None]
    for precision, most in (("f32", 1e-6), ("f64", 1e-14)):
        found = facet.compile(rods)(facet.Mesh.records({"a": ends, "b": others}), qx=0.2, qy=Y, qz=Z, algorithm="direct",
                                    precision=precision, accuracy=1e-5)
        q = np.stack(np.broadcast_arrays(0.2, Y[:, None], Z[None, :]), -1)
        truth = edge(q @ ends.T, q @ others.T).sum(-1)
        assert abs(found.reshape(truth.shape) - truth).max() <= most * abs(truth).max()
