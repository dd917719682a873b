"""q = 0: F of kernels with several outputs by their origin, and NaN without one; F that is real. Plans, derivatives and files agree."""
import subprocess
import warnings

import numpy as np
import pytest
from conftest import BUILD

import facet

VERTICES = np.array([[0, 0, 0], [3, 0.2, 0], [0.1, 4, 0], [0.3, 0.5, 5]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
VOLUME = np.linalg.det(VERTICES[1:] - VERTICES[0]) / 6
KERNEL = """#include <facet/dsl.h>
using namespace facet;
struct Outputs {{ cplx f; real size; }};
struct FACET_KERNEL outputs {{
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {{ return t.area * dot(conj(q), t.normal) * mean_cism1(q, t); }}
  static Outputs finish(Grid::q q, cplx sum) {{ const cplx f = -i * sum / norm2(q); return {{f, norm2(f)}}; }}
  {origin}
}};
"""
ORIGIN = "static Outputs origin(const Triangle &t) { const real v = t.area * dot(t.centroid, t.normal) / 3; return {v, 2 * v}; }"
REAL = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL size {
  using Grid = product<real, real, cplx>;
  struct Params { real scale = 1; };
  static cplx term(Grid::q q, const Triangle &t) { return t.area * dot(conj(q), t.normal) * mean_cism1(q, t); }
  static real finish(Grid::q q, cplx sum, Params p) { return p.scale * norm2(sum) / (1 + norm2(q)) - 1; }
};
"""
AXES = dict(qy=[-0.5, 0, 0.5], qz=[-0.4, 0, 0.7])


def plan_of(folder, text, **options):
    path = folder / "kernel.cpp"
    path.write_text(text)
    return facet.compile(str(path)).plan(facet.Mesh(VERTICES, FACES), accuracy=1e-10, threads=1, **{**AXES, **options})


@pytest.mark.parametrize("algorithm", ["direct", "separable", "nufft"])
def test_origin_gives_all_outputs(tmp_path, algorithm):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = plan_of(tmp_path, KERNEL.format(origin=ORIGIN), algorithm=algorithm).to_contract()
    assert np.isclose(f.f[1, 1], VOLUME, rtol=1e-12) and np.isclose(f["size"][1, 1], 2 * VOLUME, rtol=1e-12)
    beside = np.delete(f.ravel(), 4)
    assert np.allclose(beside["size"], abs(beside["f"]) ** 2, rtol=1e-9)


def test_derivatives_take_all_outputs_of_origin(tmp_path):
    plan = plan_of(tmp_path, KERNEL.format(origin=ORIGIN))
    draw = np.random.default_rng(1)
    f = plan()
    v = draw.normal(size=VERTICES.shape)
    for only_zero in (False, True):
        g = np.zeros_like(f)
        g["f"], g["size"] = draw.normal(size=(3, 3)) + 1j * draw.normal(size=(3, 3)), draw.normal(size=(3, 3))
        if only_zero:
            g.ravel()[np.arange(9) != 4] = 0
        change = plan.jvp(v[FACES])
        forward = 2 * sum((g[name].conj() * change[name]).real.sum() for name in ("f", "size"))
        back = (plan.by_vertices(g) * v).sum()
        assert abs(forward - back) < 1e-9 * (1 + abs(back))
    step = 1e-5
    moved = [plan_of(tmp_path, KERNEL.format(origin=ORIGIN)) for _ in range(2)]
    for one, sign in zip(moved, (1, -1)):
        one.set_mesh(facet.Mesh(VERTICES + sign * step * v, FACES))
    for name in ("f", "size"):
        slope = (moved[0]()[name] - moved[1]()[name]) / (2 * step)
        assert abs(slope - change[name]).max() < 1e-6 * abs(slope).max()


@pytest.mark.parametrize("algorithm", ["direct", "separable", "nufft"])
def test_without_origin_that_q_is_nan(tmp_path, algorithm):
    plan = plan_of(tmp_path, KERNEL.format(origin=""), algorithm=algorithm)
    with pytest.warns(UserWarning, match=r"F \(f, size\) is not finite at q = 0 \(1 of 9 q\), and is NaN there") as told:
        f = plan.to_contract()
        plan()
    assert len(told) == 1 and "`finish` divides by zero there" in str(told[0].message)
    assert plan.measured.met
    right = plan_of(tmp_path, KERNEL.format(origin=ORIGIN), algorithm="direct").to_contract()
    for name in ("f", "size"):
        assert np.isnan(f[name]).ravel().tolist() == [k == 4 for k in range(9)]
        assert np.nanmax(abs(f[name] - right[name]).ravel()[np.arange(9) != 4]) < 1e-9 * abs(right[name]).max()


def test_a_cotangent_of_zero_leaves_the_nan_out(tmp_path):
    (tmp_path / "right").mkdir()
    plan, right = plan_of(tmp_path, KERNEL.format(origin="")), plan_of(tmp_path / "right", KERNEL.format(origin=ORIGIN))
    with pytest.warns(UserWarning, match="is NaN there"):
        g = np.zeros_like(plan())
    g["f"], g["size"] = 1 + 2j, 0.5
    with pytest.raises(facet.Error, match="is not finite at record 0\n  help: F is not finite at a q .let its cotangent be 0."):
        plan.vjp(g)
    g.ravel()[4] = 0
    found, wanted = plan.vjp(g), right.vjp(g)
    assert np.isfinite(found).all() and abs(found - wanted).max() < 1e-12 * abs(wanted).max()


def test_a_real_f_is_real(tmp_path):
    plan = plan_of(tmp_path, REAL)
    f = plan.to_contract()
    assert f.dtype == np.float64 and plan().dtype == np.float64
    found, change = plan.vjp(np.ones((3, 3))), plan.jvp(np.ones((4, 3, 3)))
    assert change.dtype == np.float64 and np.isclose(2 * change.sum(), found.sum(), rtol=1e-6, atol=1e-9)


def test_a_real_f_is_stored_as_real_numbers(tmp_path):
    (tmp_path / "kernel.cpp").write_text(REAL)
    facet.Mesh(VERTICES, FACES).write(tmp_path / "mesh.stl")
    facet_run = [str(BUILD / "bin/facet"), "run", "kernel.cpp", "--mesh", "mesh.stl", "--qy=-0.5:0.5:3", "--qz=-0.4:0.8:3", "--accuracy=1e-9"]
    results = {}
    for name, more in {"grid": [], "units": ["--cut", "1,1,3,0"], "sweep": ["--param", "scale=1:2:2"]}.items():
        subprocess.run([*facet_run, *more, "-o", f"{name}.h5"], cwd=tmp_path, check=True, capture_output=True)
        results[name] = facet.Result(tmp_path / f"{name}.h5").data["amplitude/F"]
        assert results[name].values.dtype == np.float64
    wanted = plan_of(tmp_path, REAL, qy=[-0.5, 0, 0.5], qz=np.linspace(-0.4, 0.8, 3)).to_contract()
    for name in ("grid", "units"):
        assert np.allclose(np.squeeze(results[name].values), wanted, atol=1e-4 * abs(wanted).max())
    one, two = np.squeeze(results["sweep"].values)
    assert np.allclose(two + 1, 2 * (one + 1), rtol=1e-6)
    image = facet.Result(tmp_path / "grid.h5").data["image/I"].values
    assert np.allclose(np.squeeze(image).T, np.squeeze(results["grid"].values) ** 2, rtol=1e-12)
    for name in results:
        subprocess.run([str(BUILD / "bin/facet"), "plot", f"{name}.h5", "-o", f"{name}.png"], cwd=tmp_path, check=True, capture_output=True)
