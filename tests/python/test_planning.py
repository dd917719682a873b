"""What a plan decides by: records that stand for others, and max|F| of a few q."""
import numpy as np
import pytest

import facet


def test_a_few_large_triangles_among_many_small_ones(born):
    """As meshes of CAD have them. What F's errors are by is in the large ones: without them no q near 0 was summed again in double."""
    small = facet.Mesh.sphere(3, n=60).triangles + np.array([400.0, 0, 130])
    mesh = facet.Mesh(np.concatenate([small[:30000], facet.Mesh.box((300, 300, 300)).triangles, small[30000:]]))
    plan = born.plan(mesh, qy="-1e-4:1e-4:40", qz="1.3e-6:1e-4:31", accuracy=1e-5, algorithm="direct")
    plan()
    assert plan.measured.met, plan.error


NARROW = """
#include <facet/dsl.h>
using namespace facet;
struct R { real w; position3 r; real a, b, e; };
struct FACET_KERNEL narrow {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const R &t) {
    const real d = norm2(q) - t.e, h = (t.a - t.b) * (t.a - t.b) + 1e-5;
    return t.w * cis(dot(q, t.r)) * (h / (d * d + h));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""


@pytest.mark.parametrize("seed", range(4))
def test_one_record_of_thousands_with_a_narrow_line(seed):
    """Each of its columns is like those of the others: its strength is not, which as many nodes as those need would lose."""
    random, n = np.random.default_rng(seed), 3000
    a = random.uniform(-5, 5, n)
    columns = {"w": np.full(n, 1.0), "a": a, "b": a + 3 + random.uniform(0, 1, n), "e": random.uniform(0.2, 1.8, n)}
    columns |= {f"r.{k}": random.uniform(-10, 10, n) for k in "xyz"}
    columns["a"][1234] = columns["b"][1234] = 0.5
    kernel, mesh, q = facet.compile(NARROW), facet.Mesh.records(columns), {"qy": "-1:1:151", "qz": "0:1:150"}
    F = kernel.plan(mesh, **q)()
    wanted = kernel(mesh, **q, algorithm="direct", precision="f64")
    assert abs(F - wanted).max() < 1e-5 * abs(wanted).max()


CHOSEN = """
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL chosen {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return re(q.z) < 0.5 ? t.area * cis(dot(q, t.centroid)) : t.normal.z * t.area * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""


def test_of_q_that_were_not_summed_nothing_is_known():
    """A kernel that has only direct sums on a grid is summed at eight q for max|F|, of every group of Im q.z one: the others' F is not 0."""
    qz = np.linspace(0.05, 1, 30) + 1j * np.linspace(0.01, 0.3, 30)
    plan = facet.compile(CHOSEN).plan(facet.Mesh.torus(major=4, minor=2), qx=0.2, qy="-1:1:31", qz=qz)
    assert "no way" not in plan.reason, plan.reason
    plan()
    assert plan.error < 1e-6
