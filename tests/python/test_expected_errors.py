"""The error expected of f32 is near the measured one, whether arguments are phases of waves or not, and f32 is not lost."""
import numpy as np
import pytest

import facet

STEP = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL step {
  using Grid = product<real, real, real>;
  struct Params { real w = 2; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return t.area * (1 + q.y * q.y) * erf(t.centroid.z / p.w + q.z)%s;
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""


@pytest.mark.parametrize("kernel", [STEP % "", STEP % " * cis(dot(q, t.centroid))", "born", "exact"], ids=["step", "waves of steps", "born", "exact"])
@pytest.mark.parametrize("most", [2, 100])
def test_of_f32(kernel, most):
    plan = facet.compile(kernel).plan(facet.Mesh.sphere(radius=10, n=8), qx=0.5, qy=np.linspace(-1, 1, 60), qz=np.linspace(0.1, most, 60),
                                      algorithm="direct", precision="f32", accuracy=1e-2, threads=1)
    plan()
    expected = next(c.error for c in plan.choices if c.name == "direct, f32")
    assert plan.measured.error / 4 < expected < 30 * plan.measured.error
    if most == 2:
        assert expected < 1e-5
