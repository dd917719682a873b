"""Fits: data, models, problems; what fitters get from them."""
import os
import pickle
import warnings

import h5py
import numpy as np
import pytest
from test_run import CURVE, GISAXS

import facet
from facet import fit
from facet.fit.problem import expected_deviance


def plain(values):
    """A straight line through three points, and how often it was asked for."""
    return values["a"] + values["b"] * np.arange(3.0)


class Counted:
    def __init__(self, function, *names):
        self.names, self.function, self.calls = names, function, []

    def __call__(self, values):
        self.calls.append(dict(values))
        return self.function(values)


def line(**parameters):
    model = Counted(plain, "a", "b")
    data = fit.Data([1.0, 3.0, 4.0], errors=[0.5, 0.5, 2.0])
    return model, fit.Problem(model, data, {"a": (1.0, -5, 5), "b": (1.0, -5, 5), **parameters})


def test_data():
    data = fit.Data([[1, 2], [np.nan, 4]], errors=[[1, 1], [1, 0]], mask=[[0, 0], [1, 1]])
    assert data.shape == (2, 2) and data.points == 2 and data.values.dtype == np.float64
    curve = fit.Data.curve([0.1, 0.2], [5, 6], counts=True)
    assert curve.q.tolist() == [0.1, 0.2] and curve.axes["Q"].unit == "1/nm"
    mine = np.ones(3)
    kept = fit.Data(mine, errors=mine)
    mine[:] = np.nan
    assert kept.values.tolist() == [1, 1, 1]


def test_gaussian():
    model, problem = line()
    assert problem.names == ["a", "b"] and problem.start.tolist() == [1, 1] and problem.bounds.tolist() == [[-5, -5], [5, 5]]
    assert problem.theory([1, 2]).tolist() == [1, 3, 5]
    assert problem.residuals([1, 1]).tolist() == [0, -2, -0.5] and problem.nllf([1, 1]) == 2.125
    assert np.allclose(problem.jacobian([1, 1]), [[2, 0], [2, 2], [0.5, 1]], atol=1e-9)
    j = np.array([[2, 0], [2, 2], [0.5, 1]])
    assert np.allclose(problem.covariance([1, 2]), np.linalg.inv(j.T @ j), rtol=1e-8)


DAMPED = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL damped {
  using Grid = product<real, real, real>;
  struct Params { real sigma = 0.5; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return t.area * exp(-p.sigma * p.sigma * norm2(q)) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""


@pytest.mark.filterwarnings("ignore:the kernel takes each triangle for a point")
@pytest.mark.parametrize("counts", [False, True])
def test_exact_derivatives(counts):
    """By a kernel's parameter, the mesh's, one of both, scale and background: those of small differences."""
    plan = facet.compile(DAMPED).plan(facet.Mesh.shape("box"), qy="-1:1:6", qz="0.1:1:5", accuracy=1e-11, threads=1)
    model = fit.PlanModel(plan, parameters=lambda sigma, both: {"sigma": sigma + both},
                          mesh=lambda edge, both: facet.Mesh.shape("box", size=[edge, 4 + both, 3]))
    image = np.full((6, 5), 40.0) if counts else np.full((6, 5), 50.0)
    data = fit.Data(image, counts=True) if counts else fit.Data(image, errors=np.linspace(1, 2, 30).reshape(6, 5))
    parameters = {"sigma": (0.3, 0, 1), "edge": (3, 1, 9), "both": (0.1, 0, 1), "scale": (0.01, 0, 1), "background": (2.0, 0, 9)}
    exact = fit.Problem(model, data, parameters, exact=True)
    near = fit.Problem(model, data, parameters, step=1e-6)
    x = exact.start
    expected, calls = near.jacobian(x), exact.evaluations
    found = exact.jacobian(x)
    assert exact.evaluations - calls == 1
    assert (abs(found - expected).max(axis=0) < 2e-5 * abs(expected).max(axis=0)).all()
    turned = fit.PlanModel(plan, parameters=["sigma"], rotation=lambda tilt: np.eye(3))
    assert turned.slopes({"sigma": 0.3, "tilt": 0.0}, ["sigma", "tilt"]) == {}

    def otherwise(edge):  # the same box, whose triangles begin at other corners
        return facet.Mesh(np.roll(facet.Mesh.shape("box", size=edge).triangles, int(edge > 3), axis=1))

    assert fit.PlanModel(plan, mesh=otherwise, parameters=["sigma"]).slopes({"sigma": 0.3, "edge": 3.0}, ["edge"]) == {}


def test_mask():
    data = fit.Data([1.0, np.nan, 4.0], errors=[1, 1, 1], mask=[False, True, False])
    problem = fit.Problem(Counted(plain, "a", "b"), data, {"a": (1.0, -5, 5), "b": 1.0})
    assert problem.names == ["a"] and problem.residuals([2.0]).tolist() == [1, 0] and problem.points == 2
    assert np.isnan(problem.image([2.0])).tolist() == [False, True, False]


def test_what_did_not_change_is_kept():
    model, problem = line(scale=(1.0, 0, 10), background=(0.0, -1, 1))
    first = problem.residuals([1, 1, 1, 0])
    assert problem.theory([1, 1, 2, 0.5]).tolist() == [2.5, 4.5, 6.5]
    assert problem.nllf([1, 1, 1, 0]) == first @ first / 2
    assert len(model.calls) == problem.evaluations == 1
    problem.jacobian([1, 1, 1, 0])  # a and b; not scale and background, nor where it is
    assert len(model.calls) == 3 and model.calls[0] == {"a": 1, "b": 1}
    problem.residuals([1, 1, 1, 0])
    assert len(model.calls) == 3
    for a in range(20):
        problem.residuals([a / 10, 1, 1, 0])
    assert len(problem._kept) <= 4


def test_bounds_hold_for_steps():
    seen = Counted(plain, "a", "b")
    problem = fit.Problem(seen, fit.Data([1.0, 2, 3], errors=[1, 1, 1]), {"a": (5.0, -5, 5), "b": (0.0, 0, 1)})
    problem.jacobian([5.0, 0.0])
    assert all(-5 <= v["a"] <= 5 and 0 <= v["b"] <= 1 for v in seen.calls) and len(seen.calls) == 3


@pytest.mark.parametrize("given, x", [
    ((5000.0, 4999.5, 5000.5), 5000.3), (fit.Parameter(0.5, 0, 1, step=0.8), 0.5), (fit.Parameter(0.5, 0.1, 1.1, step=0.8), 0.6),
    ((3.0, 2.9999, 3.0001), 3.0001), (fit.Parameter(-0.2, -1, 0, step=0.4), -0.2)])
def test_steps_stay_within_narrow_bounds(given, x):
    seen = Counted(plain, "a", "b")
    problem = fit.Problem(seen, fit.Data([1.0, 2, 3], errors=[1, 1, 1]), {"a": given, "b": 0.0})
    assert np.allclose(problem.jacobian([x])[:, 0], 1, rtol=1e-6)
    low, high = problem.bounds[:, 0]
    assert len(seen.calls) == 2 and all(low <= v["a"] <= high for v in seen.calls)


def test_least_squares_of_a_value_known_well():
    """Steps of a thousandth of 5000 would pass over the peak, of which no fit could then tell where it is."""
    pytest.importorskip("scipy")
    x = np.linspace(4999.0, 5001.0, 81)
    peak = Counted(lambda v: np.exp(-0.5 * ((x - v["a"]) / 0.2) ** 2), "a")
    data = fit.Data(np.exp(-0.5 * ((x - 5000.03) / 0.2) ** 2), errors=np.full(81, 0.01))
    found = fit.least_squares(fit.Problem(peak, data, {"a": (5000.0, 4999.5, 5000.5)}))
    assert abs(found.values["a"] - 5000.03) < 1e-4


@pytest.mark.parametrize("given, size", [
    ((5000.0, 4999.5, 5000.5), 1), ((5.0, 0, 6), 5), ((5.0, 0, 1e6), 15), ((5.0, -np.inf, np.inf), 5),  # a wide range says little
    ((0.1, -45, 45), 0.3), ((0.0, -45, 45), 0.9), ((0.0, -np.inf, np.inf), 1), (fit.Parameter(5.0, 0, 6, step=0.2), 200)])
def test_steps(given, size):
    problem = fit.Problem(Counted(plain, "a", "b"), fit.Data([1.0, 2, 3], errors=[1, 1, 1]), {"a": given, "b": 0.0})
    assert np.allclose(problem._steps(problem.start), 1e-3 * size)


def test_a_model_may_use_its_array_again():
    own = np.zeros(3)

    def filled(values):
        own[:] = values["a"]
        return own

    problem = fit.Problem(Counted(filled, "a"), fit.Data(np.ones(3), errors=np.ones(3)), {"a": (1.0, 0, 9)})
    assert problem.theory([1.0])[0] == 1 and problem.theory([2.0])[0] == 2 and problem.theory([1.0])[0] == 1


def poisson(counts, theory):
    model = Counted(lambda values: np.asarray(theory, float), "none")
    return fit.Problem(model, fit.Data(counts, counts=True), {"none": 0.0, "scale": (1.0, 0, 10), "background": (0.0, -9, 9)})


def test_poisson_is_the_likelihood():
    stats = pytest.importorskip("scipy.stats")
    counts, theory = np.array([0, 1, 5, 200, 0]), np.array([0.3, 2.0, 4.0, 230.0, 1e-9])
    problem = poisson(counts, theory)
    assert problem.likelihood == "poisson"
    wanted = stats.poisson.logpmf(counts, np.maximum(counts, 1e-300)).sum() - stats.poisson.logpmf(counts, theory).sum()
    assert np.isclose(problem.nllf([1, 0]), wanted, rtol=1e-12)
    residuals = problem.residuals([1, 0])
    assert np.isclose(residuals @ residuals / 2, wanted, rtol=1e-12)
    assert np.sign(residuals).tolist() == [1, 1, -1, 1, 1]
    assert np.allclose(poisson([7, 1000000], [7, 1000000]).residuals([1, 0]), 0, atol=1e-6)


def test_a_perfect_fit_of_few_counts_has_a_reduced_deviance_of_1():
    for mean in (0.01, 1.0, 3.0, 29.9, 30.0, 100.0):
        n = np.arange(1000)
        chance = np.exp(n * np.log(mean) - mean - np.cumsum(np.log(np.maximum(n, 1))))
        truth = float(chance @ (2 * (mean - n + n * np.log(np.maximum(n, 1) / mean))))
        assert np.isclose(expected_deviance(np.array([mean, 0.0])), truth, rtol=2e-6, atol=0), mean
    theory = np.linspace(0.5, 9, 40000)
    problem = poisson(np.random.default_rng(1).poisson(2 * theory), theory)
    found = fit.least_squares(problem)
    assert found.chi2 / found.freedom > 1.03 and abs(found.reduced - 1) < 0.02 and "of what is expected" in str(found)


def test_counts_that_cannot_be():
    problem = poisson([0, 1], [1.0, 1.0])
    assert problem.nllf([1, -1.5]) == np.inf and problem.nllf([0, 0]) == np.inf  # below 0; 0 and a count
    assert poisson([0, 0], [1.0, 1.0]).nllf([0, 0]) == 0
    assert np.isfinite(problem.residuals([1, -1.5]) @ problem.residuals([1, -1.5]))


def test_poisson_covariance_is_expected_information():
    theory = np.array([0.01, 0.5, 3.0, 100.0, 20.0])
    counts = np.array([0, 0, 3, 110, 17])
    found = poisson(counts, theory).covariance([1.0, 0.2])
    m = theory + 0.2
    j = np.stack([theory, np.ones(5)], axis=1)
    assert np.allclose(found, np.linalg.inv(j.T @ (j / m[:, None])), rtol=5e-3)


def test_what_the_data_do_not_say():
    model = Counted(lambda v: (v["a"] + v["b"]) * np.ones(3), "a", "b")
    problem = fit.Problem(model, fit.Data([1.0, 2, 3], errors=[1, 1, 1]), {"a": (1.0, 0, 3), "b": (1.0, 0, 3)})
    assert np.isnan(problem.covariance([1, 1])).all()


KERNEL = """#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL rough {
  using Grid = product<real, real, real>;
  struct Params { real sigma = 0.5; vec3 shift; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return t.area * dot(q, t.normal) * cis(dot(q, t.centroid + p.shift));
  }
  static cplx finish(Grid::q q, cplx sum, const Params &p) { return exp(-p.sigma * norm2(q)) * sum; }
};
"""


def about_x(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return [[1, 0, 0], [0, c, -s], [0, s, c]]


def test_plan_model():
    grid = dict(qx=0.3, qy="-1:1:12", qz="0.1:1:10", precision="f64", algorithm="direct")
    kernel = facet.compile(KERNEL)
    made = []

    def box(edge):
        made.append(edge)
        return facet.Mesh.shape("box", size=[edge, 10, 20], refine=4)

    model = fit.PlanModel(kernel.plan(box(9.0), shift=[0, 0, 0], **grid), mesh=box, rotation=lambda tilt: about_x(tilt),
                          parameters=lambda sigma, lift, edge: {"sigma": sigma, "shift": [0, 0, lift * edge]})
    assert model.names == ["sigma", "lift", "edge", "tilt"]
    values = {"sigma": 0.2, "lift": 0.1, "edge": 12.0, "tilt": 30.0}
    found = model(values)
    anew = kernel.plan(box(12.0), sigma=0.2, shift=[0, 0, 1.2], **grid)
    anew.set_rotation(about_x(30.0))
    assert found.shape == (12, 10) and found.dtype == np.float64
    assert np.allclose(found, abs(anew()) ** 2, rtol=0, atol=1e-11 * found.max()) and 0 <= model.error < 1e-8
    calls = len(made)
    changed = model({**values, "sigma": 0.3})
    assert model.plan._plan.last().kept_sums and len(made) == calls
    assert np.allclose(changed, abs(anew(sigma=0.3)) ** 2, rtol=0, atol=1e-11 * found.max())
    model({**values, "tilt": 31.0})
    assert not model.plan._plan.last().kept_sums and len(made) == calls


def test_a_part_that_failed_is_done_again():
    """No wrong number where a mesh could not be made and the same is asked for again."""
    plan = facet.compile("exact").plan(facet.Mesh.shape("box"), qy="-1:1:6", qz=0.4)
    model = fit.PlanModel(plan, mesh=lambda edge: facet.Mesh.shape("box", size=edge))
    for _ in range(2):
        with pytest.raises(facet.Error):
            model({"edge": -1.0})
    found = model({"edge": 8.0})
    with pytest.raises(facet.Error):
        model({"edge": -1.0})
    assert np.array_equal(model({"edge": 8.0}), found)


def test_a_part_that_was_used_by_half_is_used_again():
    from facet.fit.model import Part

    used = []

    def use(value):
        used.append(value)
        if value == 2:
            raise InterruptedError

    part = Part(lambda a: a, "mesh")
    part({"a": 1}, use)
    with pytest.raises(InterruptedError):
        part({"a": 2}, use)
    part({"a": 1}, use)
    part({"a": 1}, use)
    assert used == [1, 2, 1]


def test_a_contract_that_cannot_be_met_is_said():
    plan = facet.compile("exact").plan(ball(5.0), qy="-1:1:20", qz=0.5, accuracy=1e-9, precision="f32")
    for _ in range(2):
        with pytest.raises(facet.Error, match="the measured error is") as caught:
            fit.PlanModel(plan)({})
        assert caught.value.exit == 3


def test_derivatives_are_not_those_of_rounding():
    """A theory to 1e-5, as F by default: steps are larger than what rounding does."""
    pytest.importorskip("scipy")
    x = np.linspace(1, 2, 50)
    rough = Counted(lambda v: np.exp(-v["a"] * x) * (1 + 1e-5 * np.sin(1e9 * v["a"] * x)), "a")
    data = fit.Data(np.exp(-1.3 * x), errors=np.full(50, 1e-2))
    problem = fit.Problem(rough, data, {"a": (1.0, 0, 3)})
    assert np.allclose(problem.jacobian([1.3])[:, 0], -100 * x * np.exp(-1.3 * x), rtol=0.02)
    found = fit.least_squares(problem)
    assert abs(found.values["a"] - 1.3) < 0.01 * found.errors["a"] and found.evaluations < 25
    again = fit.least_squares(problem)
    assert again.evaluations < problem.evaluations


def test_plan_model_by_names():
    plan = facet.compile(KERNEL).plan(facet.Mesh.shape("box"), qy="-1:1:6", qz=0.4, shift=[0, 0, 0])
    model = fit.PlanModel(plan, parameters=["sigma"])
    assert list(model.names) == ["sigma"]
    assert np.allclose(model({"sigma": 0.1}), abs(plan(sigma=0.1)) ** 2)


def ball(radius, n=10):
    """A sphere of facets with the volume of the round one, nm."""
    mesh = facet.Mesh.shape("sphere", radius=1.0, n=n)
    return facet.Mesh(mesh.triangles * (radius * (4 * np.pi / 3 / mesh.report.volume) ** (1 / 3)))


def sphere_curve(q, radius):
    x = q * radius
    return (4 * np.pi * (np.sin(x) - x * np.cos(x)) / q**3) ** 2


def test_curve_of_a_sphere():
    q = np.linspace(0.05, 1.5, 25)
    model = fit.CurveModel("exact", q, ball)
    assert list(model.names) == ["radius", "n"]
    for radius in (4.0, 4.4, 7.0):  # the last is planned again
        found, wanted = model({"radius": radius, "n": 10}), sphere_curve(q, radius)
        assert abs(found - wanted).max() < 1e-4 * wanted.max()
        assert abs(np.log(found / wanted))[wanted > 1e-3 * wanted.max()].max() < 2e-2
    half = fit.CurveModel("exact", q, lambda radius: ball(radius), per_volume=True)
    assert np.allclose(half({"radius": 7.0}), found / (4 / 3 * np.pi * 7**3), rtol=1e-6)
    assert model.error < 1e-5


def test_a_volume_is_one_wherever_the_mesh_lies():
    q, centred = np.linspace(0.1, 0.8, 4), ball(5.0, 6).triangles
    curves = [fit.CurveModel("exact", q, facet.Mesh(centred + far), per_volume=True, accuracy=1e-3, threads=1) for far in (0, 1e7)]
    here, there = (curve({}) for curve in curves)
    assert np.allclose(there, here, rtol=1e-3)


def test_a_curve_of_no_q():
    assert fit.CurveModel("exact", [], facet.Mesh.shape("box"))({}).shape == (0,)


def test_curve_plans_once():
    q = np.linspace(0.1, 1.0, 6)
    model = fit.CurveModel("exact", q, lambda radius: ball(radius, 6))
    for radius, planned in ((5.0, True), (6.0, False), (6.3, True)):
        model({"radius": radius})
        assert model._simulation.last().planned == planned


def test_curve_is_that_of_experiments():
    curve = facet.run(CURVE)
    model = fit.CurveModel("exact", curve.axes["Q"].values, facet.Mesh.shape("box", size=8))
    assert np.allclose(model({}), curve.intensity.values, rtol=2e-5)


def test_a_curve_of_a_mesh_can_be_pickled():
    model = fit.CurveModel("exact", [0.1, 0.4], ball(5.0, 4), per_volume=True)
    wanted = model({})
    again = pickle.loads(pickle.dumps(model))
    assert list(again.names) == [] and np.allclose(again({}), wanted, rtol=1e-6)


def test_directions_of_ones_own():
    q = np.linspace(0.1, 0.8, 5)
    z, weight = np.polynomial.legendre.leggauss(12)
    at = np.stack([np.sqrt(1 - z**2), 0 * z, z], axis=1)
    model = fit.CurveModel("exact", q, lambda radius: ball(radius), directions=(at, weight / 2))
    assert model._simulation is None and np.allclose(model({"radius": 5.0}), sphere_curve(q, 5.0), rtol=5e-3)
    assert model.directions.tolist() == 5 * [12]


def test_axes_are_those_of_the_data(tmp_path):
    """An image of facet.run is (qz, qy), a plan's F (qy, qz), and a square one of either has one shape."""
    q = [0.1, 0.3, 0.6, 0.9]
    facet.run({"kernel": "exact", "particle": [{"shape": {"type": "box", "size": [4.0, 5.0, 9.0]}}], "grid": {"qy": q, "qz": q}}, tmp_path / "i.h5")
    image = fit.Data.read(tmp_path / "i.h5")
    image = fit.Data(image.values, np.full(image.shape, 1e-2 * image.values.max()), axes=image.axes)
    model = fit.PlanModel(facet.compile("exact").plan(facet.Mesh.box([4, 5, 9]), qy=q, qz=q), mesh=lambda h: facet.Mesh.box([4, 5, h]))
    parameters = {"h": (8.0, 4, 12)}
    with pytest.raises(facet.Error, match=r"data: has the axes \(qz, qy\), the model \(qy, qz\)\n  help: transpose the data"):
        fit.Problem(model, image, parameters).nllf([9.0])
    turned = fit.Data(image.values.T, image.errors.T, axes=dict(reversed(image.axes.items())))
    assert fit.Problem(model, turned, parameters).nllf([9.0]) < 1e-3
    elsewhere = fit.Data(turned.values, turned.errors, axes={**turned.axes, "qz": facet.Quantity(np.array(q) + 0.1, "1/nm")})
    with pytest.raises(facet.Error, match="data: 'qz' number 1 is 0.2 1/nm, of the model 0.1\n  help: give the model the data's qz"):
        fit.Problem(model, elsewhere, parameters).nllf([9.0])
    curve = fit.CurveModel("exact", [0.1, 0.2], ball)
    with pytest.raises(facet.Error, match="data: 'Q' number 1 is 1 1/nm, of the model 0.1"):
        fit.Problem(curve, fit.Data.curve([1.0, 2.0], [1, 1], [1, 1]), {"radius": (5.0, 4, 6), "n": 4}).nllf([5.0])


def test_arrays_are_kept():
    """A caller changes his own, to another unit for a picture, and a model that plans again has what it was given."""
    q, at, weight = np.array([0.2, 0.4]), np.array([[0, 0, 1.0]]), np.array([1.0])
    data = fit.Data.curve(q, [5.0, 4])
    image = fit.Data([[5.0, 4]], axes={"qy": facet.Quantity(q, "1/nm")})
    model = fit.CurveModel("exact", q, ball, directions=(at, weight))
    for array in (q, at, weight):
        array /= 10
    for own in (data.q, image.axes["qy"].values, model.q):
        assert own.tolist() == [0.2, 0.4]
        with pytest.raises(ValueError, match="read-only"):
            own[0] = 1
    assert model._directions[0].tolist() == [[0, 0, 1]] and model._directions[1].tolist() == [1]


LEANS = KERNEL.replace("dot(q, t.normal) * cis", "(1 + dot(q, t.normal)) * cis").replace("rough", "leans")
FIXED = KERNEL.replace("dot(q, t.normal) * cis", "t.normal.z * cis").replace("rough", "fixed_z")


def test_all_directions_where_both_sides_differ():
    mesh = facet.Mesh.shape("box", size=[3, 4, 5])
    one = fit.CurveModel(facet.compile("exact"), [0.5], mesh)
    both = fit.CurveModel(facet.compile(LEANS), [0.5], mesh, parameters=lambda: {"shift": [0, 0, 0]})
    one({}), both({})
    assert both.directions[0] == 2 * one.directions[0]


def test_all_directions_from_when_both_sides_differ():
    """The parameter by which they do is 0 at first."""
    kernel = facet.compile(LEANS.replace("(1 + dot", "(p.sigma + dot").replace("exp(-p.sigma * norm2(q)) * sum", "sum"))
    mesh = facet.Mesh([[0, 0, 0], [5, 0, 0], [0, 3, 0], [0, 0, 2]], [[0, 2, 1], [0, 1, 3], [0, 3, 2]])
    model, other = (fit.CurveModel(kernel, [0.5, 0.9], mesh, parameters=lambda sigma: {"sigma": sigma, "shift": [0, 0, 0]}) for _ in range(2))
    model({"sigma": 0.0})
    few = model.directions[0]
    found, wanted = model({"sigma": 0.7}), other({"sigma": 0.7})
    assert other.directions[0] == model.directions[0] == 2 * few
    assert np.allclose(found, wanted, rtol=1e-6)


ABSORBS = """#include <facet/dsl.h>
using namespace facet;
struct Absorbing : Triangle { real delta, beta; };
struct FACET_KERNEL absorbs {
  using Grid = points<real, real, real>;
  static cplx term(Grid::q q, const Absorbing &t) { return (t.delta + i * t.beta) * t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""


def debye(mesh, q):
    """<|F|^2> of points of complex weights, by Debye's formula."""
    corners, columns = mesh.triangles, mesh.columns
    weight = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    weight = weight * (columns["delta"] + 1j * columns["beta"])
    apart = np.linalg.norm(corners.mean(axis=1)[:, None] - corners.mean(axis=1)[None], axis=2)
    return np.array([(weight[:, None] * weight.conj() * np.sinc(k * apart / np.pi)).sum().real for k in q])


@pytest.mark.filterwarnings("ignore:the kernel takes each triangle for a point")
@pytest.mark.parametrize("absorb, b", [(slice(16, None), [1.0]), (slice(None), [0.0, 1.0]), (slice(40, 41), [0.0, 60.0])])
def test_all_directions_where_some_triangles_absorb(absorb, b):
    """Whichever they are in the order of a mesh, from when they do, and if one alone does."""
    corners = facet.Mesh.cylinder(radius=2, height=20, around=12).triangles + [3, 1, 2.0]
    random = np.random.default_rng(0)
    delta, beta = random.uniform(0.5, 1, len(corners)), np.zeros(len(corners))
    beta[absorb] = random.uniform(0.1, 1, len(beta[absorb]))
    q = np.linspace(0.1, 1.0, 6)

    def mesh(b):
        return facet.Mesh(corners, columns={"delta": delta, "beta": b * beta})

    model = fit.CurveModel(facet.compile(ABSORBS), q, mesh)
    for now in b:
        assert np.allclose(model({"b": now}), debye(mesh(now), q), rtol=1e-3)


def test_read_results(tmp_path):
    facet.run(GISAXS, tmp_path / "image.h5")
    image = fit.Data.read(tmp_path / "image.h5")
    assert image.shape == (12, 16) and list(image.axes) == ["row", "column"] and 0 < image.points < 192
    wanted = facet.Result(tmp_path / "image.h5").intensity.values
    assert np.array_equal(image.values, wanted, equal_nan=True) and np.array_equal(image.left_out, np.isnan(wanted))
    facet.run(CURVE, tmp_path / "curve.h5")
    curve = fit.Data.read(tmp_path / "curve.h5")
    assert np.allclose(curve.q, np.linspace(0.1, 1, 6)) and curve.errors is not None


def test_read_nxcansas(tmp_path):
    with h5py.File(tmp_path / "c.nxs", "w") as file:
        group = file.create_group("sasentry01/sasdata01")
        group.attrs.update(canSAS_class="SASdata", signal="I", I_axes="Q")
        group["Q"], group["I"], group["Idev"] = [0.01, 0.02], [5.0, 4.0], [0.5, 0.4]
        group["Q"].attrs["units"] = "1/angstrom"
    data = fit.Data.read(tmp_path / "c.nxs")
    assert np.allclose(data.q, [0.1, 0.2]) and data.values.tolist() == [5, 4] and data.errors.tolist() == [0.5, 0.4]


def test_read_text(tmp_path):
    (tmp_path / "c.dat").write_text("# sample 7\nq, I, dI\n0.01, 5, 0.5\n0.02, 4, 0.4\n\n")
    data = fit.Data.read(tmp_path / "c.dat", unit="1/angstrom")
    assert np.allclose(data.q, [0.1, 0.2]) and data.errors.tolist() == [0.5, 0.4] and data.name == "c.dat"
    (tmp_path / "n.txt").write_text("0.1 5\n0.2 0\n")
    counts = fit.Data.read(tmp_path / "n.txt", counts=True)
    assert counts.counts and counts.q.tolist() == [0.1, 0.2] and counts.values.tolist() == [5, 0]


@pytest.mark.parametrize("name", ["edf", "tif"])
def test_read_images(tmp_path, name):
    fabio = pytest.importorskip("fabio")
    pixels = np.array([[1, 2, -1], [4, 0, 6]], np.int32)
    kinds = {"edf": fabio.edfimage.EdfImage, "tif": fabio.tifimage.TifImage}
    kinds[name](data=pixels).write(str(tmp_path / f"d.{name}"))
    data = fit.Data.read(tmp_path / f"d.{name}", counts=True)
    assert np.array_equal(data.values, pixels) and data.counts
    assert data.left_out.tolist() == [[False, False, True], [False, False, False]]


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    random = np.random.default_rng(1)
    q = np.geomspace(0.05, 2, 60)
    curve = fit.CurveModel("exact", q, lambda radius: ball(radius))
    truth = 1e-3 * curve({"radius": 6.0}) + 1
    data = fit.Data.curve(q, random.normal(truth, 0.05 * truth), 0.05 * truth, name="ball")
    found = fit.least_squares(fit.Problem(curve, data, {"radius": (5.5, 4, 8), "scale": (1e-3, 0, 1), "background": (1.0, 0, 9)}))
    figure = found.plot()
    figure.savefig(folder(tmp_path) / "fit_curve.png", dpi=110)
    assert len(figure.axes) == 2 and figure.axes[0].get_yscale() == "log" and "nm⁻¹" in figure.axes[1].get_xlabel()
    assert "radius" in found._repr_html_() and "+-" in found.table and "chi2" in found.table
    plan = facet.compile("exact").plan(ball(6.0), qy="-1:1:40", qz="-1:1:50")
    image = fit.PlanModel(plan, mesh=lambda radius: ball(radius))
    counts = random.poisson(1e-3 * image({"radius": 6.0}) + 0.2)
    mask = np.zeros(counts.shape, bool)
    mask[18:22, 23:27] = True
    axes = {name: facet.Quantity(plan.grid.axes[k], "1/nm", name) for k, name in ((1, "qy"), (2, "qz"))}
    data = fit.Data(counts, mask=mask, counts=True, axes=axes, name="ball")
    found = fit.least_squares(fit.Problem(image, data, {"radius": (5.8, 4, 8), "scale": (1e-3, 0, 1), "background": (0.2, 0, 9)}))
    figure = found.plot()
    figure.savefig(folder(tmp_path) / "fit_image.png", dpi=110)
    assert len([a for a in figure.axes if a.get_title()]) == 3 and "deviance" in str(found) == repr(found)
    assert abs(found.values["radius"] - 6) < 5 * found.errors["radius"]


def test_several_images(tmp_path):
    """A picture of one shape has a line of panels each; one is masked."""
    pytest.importorskip("matplotlib").use("Agg")
    left_out = np.zeros((2, 3, 4), bool)
    left_out[1] = True
    model = Counted(lambda v: v["a"] * np.arange(1.0, 25).reshape(2, 3, 4), "a")
    data = fit.Data(2 * np.arange(1.0, 25).reshape(2, 3, 4), errors=np.ones((2, 3, 4)), mask=left_out)
    found = fit.least_squares(fit.Problem(model, data, {"a": (1.0, 0, 9)}))
    assert abs(found.values["a"] - 2) < 1e-6 and found.points == 12
    figure = found.plot()
    figure.savefig(folder(tmp_path) / "fit_images.png", dpi=60)
    assert [a.get_title() for a in figure.axes[:6]] == ["data, 1: data", "model", "residual (sigma)", "data, 2: data", "model", "residual (sigma)"]


def folder(tmp_path):
    """Where who wants to look at the pictures has them written."""
    from pathlib import Path

    return Path(os.environ.get("FACET_PICTURES", tmp_path))


def test_a_curve_of_a_closed_mesh_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit.CurveModel("exact", [0.1, 0.2], facet.Mesh.sphere(5, n=4))({})[0] > 0
