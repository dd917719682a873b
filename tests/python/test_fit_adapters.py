"""The same problem by scipy, lmfit and bumps; curves as models of sasmodels. Units: sasmodels' Ang, facet's nm."""
import os
import time

import numpy as np
import pytest

import facet
from facet import fit

FULL = os.environ.get("FACET_FULL_TESTS") == "1"
UNIT = facet.Mesh.shape("sphere", radius=1.0, n=12)
BALL = UNIT.triangles * (4 * np.pi / 3 / UNIT.report.volume) ** (1 / 3)  # with the volume of the round one
Q = np.geomspace(0.05, 2.5, 60)  # nm^-1
TRUTH = {"polar": 5.0, "equatorial": 12.5}
#: the scale from <|F|^2> / V to 1/cm: contrast (4 - 1) 1e-6/Ang^2
CONTRAST = 1e7 * 3e-4**2


def ellipsoid(polar, equatorial):
    """An ellipsoid of facets, nm, with the volume of the smooth one."""
    return facet.Mesh(BALL * [equatorial, equatorial, polar], name="ellipsoid")


def test_a_curve_of_a_body_of_revolution():
    """As many directions as facet takes of it give what a fine meridian gives; other words are refused."""
    few = fit.CurveModel("exact", Q, ellipsoid, per_volume=True, directions="revolution")
    fine = fit.CurveModel("exact", Q, ellipsoid, per_volume=True, directions=meridian())
    values = {"polar": 5.0, "equatorial": 12.5}
    np.testing.assert_allclose(few(values), fine(values), rtol=5e-3)  # of flat triangles
    assert few.directions.sum() < 24 * len(Q)
    with pytest.raises(facet.Error, match="did you mean 'revolution'"):
        fit.CurveModel("exact", Q, ellipsoid, directions="revolutions")


def meridian(nodes=48, turn=0.3):
    """Directions that are enough for a body of revolution about z with F(-q) = conj F(q)."""
    z, weight = np.polynomial.legendre.leggauss(nodes)
    z, weight = z[nodes // 2:], weight[nodes // 2:]
    across = np.sqrt(1 - z**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1), weight


@pytest.fixture(scope="module")
def sasmodels(tmp_path_factory):
    """Its package, which compiles its models into a folder of its own."""
    os.environ["SAS_DLL_PATH"] = str(tmp_path_factory.mktemp("sasmodels"))
    return pytest.importorskip("sasmodels")


@pytest.fixture(scope="module")
def curve(sasmodels):
    """sasmodels' ellipsoid (50, 125), 1/cm."""
    from sasmodels.core import load_model
    from sasmodels.direct_model import call_kernel

    kernel = load_model("ellipsoid", platform="dll", dtype="double").make_kernel([Q / 10])
    return call_kernel(kernel, dict(radius_polar=50, radius_equatorial=125, sld=4, sld_solvent=1, scale=0.01, background=0.05))


@pytest.fixture(scope="module")
def model():
    return fit.CurveModel("exact", Q, ellipsoid, per_volume=True, directions=meridian())


def measured(curve, seed):
    """With noise of 2%."""
    return fit.Data.curve(Q, np.random.default_rng(seed).normal(curve, 0.02 * curve), 0.02 * curve, name="ellipsoid")


def problem_of(model, curve, seed=7):
    return fit.Problem(model, measured(curve, seed), {"polar": (6.0, 3, 9), "equatorial": (11.5, 9, 15), "scale": (0.008, 0, 1), "background": (0.02, 0, 1)})


def assert_found(found, sigmas=3.5):
    wanted = {**TRUTH, "scale": 0.01 * CONTRAST, "background": 0.05}
    for name in wanted:
        assert 0 < found.errors[name] < 0.2 * wanted[name], name
        assert abs(found.values[name] - wanted[name]) < sigmas * found.errors[name], (name, str(found))
    assert 0.4 < found.reduced < 1.8 and found.at_bounds == []


def test_curve_is_that_of_sasmodels(curve):
    """All directions, the scale to 1/cm, the units of both."""
    model = fit.CurveModel("exact", Q, ellipsoid, per_volume=True)
    found = 0.01 * CONTRAST * model(TRUTH) + 0.05
    assert abs(found / curve - 1).max() < 1e-3
    one = fit.CurveModel("exact", Q, ellipsoid, per_volume=True, directions=meridian())
    assert abs((0.01 * CONTRAST * one(TRUTH) + 0.05) / curve - 1).max() < 3e-3


def test_least_squares(model, curve):
    pytest.importorskip("scipy")
    problem = problem_of(model, curve)
    found = fit.least_squares(problem)
    assert_found(found)
    assert found.evaluations == problem.evaluations < 60 and found.seconds > 0 and found.points == 60
    assert found.covariance.shape == (4, 4) and np.allclose(found.covariance, found.covariance.T)
    assert np.isclose(found.chi2, 2 * problem.nllf(found.vector)) and found.found.success
    assert "did not converge" in fit.least_squares(problem_of(model, curve), max_nfev=1).message


def test_least_squares_says_its_errors(model, curve):
    """The values of many noisy curves scatter as the errors say: their pulls have a variance of 1."""
    pytest.importorskip("scipy")
    pulls = []
    for seed in range(40 if FULL else 8):
        found = fit.least_squares(problem_of(model, curve, seed))
        pulls.append([(found.values[name] - TRUTH[name]) / found.errors[name] for name in TRUTH])
    n = np.size(pulls)
    assert abs(np.square(pulls).mean() - 1) < 4 * np.sqrt(2 / n), pulls


def test_lmfit(model, curve):
    pytest.importorskip("lmfit")
    ours = fit.least_squares(problem_of(model, curve))
    for method in ("least_squares", "leastsq"):
        found = fit.lmfit_fit(problem_of(model, curve), method)
        assert_found(found)
        assert all(abs(found.values[name] - ours.values[name]) < 0.1 * ours.errors[name] for name in ours.names)
        assert list(found.found.params) == ["polar", "equatorial", "scale", "background"]
    tied = fit.lmfit_parameters(problem_of(model, curve))
    assert tied["polar"].min == 3 and tied["polar"].vary


def dream(problem, samples, burn):
    return fit.bumps_fit(problem, "dream", samples=samples, burn=burn, pop=10, init="eps")


@pytest.mark.filterwarnings("ignore:Did not converge")  # so few samples
def test_bumps(model, curve):
    """DREAM: 10,000 evaluations in a whole run of the tests, here 200 or more."""
    pytest.importorskip("bumps")
    problem = problem_of(model, curve)
    start = fit.least_squares(problem)
    problem = fit.Problem(model, problem.data, {name: (start.values[name], *problem.bounds[:, k]) for k, name in enumerate(problem.names)})
    began = time.perf_counter()
    found = dream(problem, 8000 if FULL else 200, 50 if FULL else 5)
    print(f"DREAM: {problem.evaluations} evaluations in {time.perf_counter() - began:.1f} s\n{found}")
    assert problem.evaluations > (10000 if FULL else 200)
    assert found.found.state.draw().points.shape[1] == 4
    if FULL:
        assert_found(found)
        for name in found.names:
            assert abs(found.errors[name] / start.errors[name] - 1) < 0.25, name
    assert problem.nllf(found.vector) <= problem.nllf(start.vector) + 0.5


def test_bumps_fitness(model, curve, tmp_path):
    pytest.importorskip("bumps")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from bumps.fitproblem import FitProblem
    from matplotlib import pyplot

    fitness = fit.Fitness(problem_of(model, curve))
    whole = FitProblem(fitness)
    assert whole.labels() == ["polar", "equatorial", "scale", "background"] and fitness.numpoints() == 60
    calls = fitness.problem.evaluations
    first = whole.nllf(np.array([5.0, 12.5, 0.01 * CONTRAST, 0.05]))
    assert np.isclose(first, 0.5 * (fitness.residuals() ** 2).sum()) and fitness.theory().shape == (60,)
    assert whole.nllf(np.array([5.0, 12.5, 0.009 * CONTRAST, 0.05])) > first
    assert whole.nllf(np.array([2.0, 12.5, 0.01, 0.05])) == np.inf  # beyond the bounds: the model is not asked
    assert fitness.problem.evaluations <= calls + 2
    pyplot.figure()
    fitness.plot()
    assert len(pyplot.gcf().axes) == 2
    pyplot.close("all")
    before = fitness.problem.data.values.copy()
    fitness.resynth_data()
    assert 0.5 < np.std((fitness.problem.data.values - before) / fitness.problem.data.errors) < 1.6
    fitness.restore_data()
    assert np.array_equal(fitness.problem.data.values, before)


@pytest.mark.filterwarnings("ignore:Blended transforms")  # of mpld3
def test_bumps_web_view(model, curve, monkeypatch, tmp_path):
    """What its server does with a problem: copies, plots, keeps and fits it."""
    api = pytest.importorskip("bumps.webview.server.api")
    import asyncio
    from copy import deepcopy

    import cloudpickle
    from bumps.fitproblem import FitProblem

    whole = FitProblem(fit.Fitness(problem_of(model, curve)))
    vector = np.array([5.0, 12.5, 0.01 * CONTRAST, 0.05])
    wanted = whole.nllf(vector)
    simulation = model._simulation
    other = deepcopy(whole)
    assert other.nllf(vector) == wanted and next(iter(other.models)).problem.model is model and model._simulation is simulation
    kept = cloudpickle.loads(cloudpickle.dumps(whole))
    # The copy plans anew, and may take another algorithm: F agrees within its accuracy of 1e-5.
    assert kept.nllf(vector) == pytest.approx(wanted, rel=1e-4) and next(iter(kept.models)).problem.model is not model

    async def view():
        await api.set_problem(whole, tmp_path, "ellipsoid.py")
        return await api.get_data_plot([0]), await api.get_chisq()

    figure, chisq = asyncio.run(view())
    assert figure["fig_type"] in ("mpld3", "plotly") and float(chisq.split("(")[0]) > 0


def test_copies_call_one_model_in_turn():
    """Threads that fit and draw the same model do not get each other's numbers."""
    from concurrent.futures import ThreadPoolExecutor
    from copy import deepcopy

    from test_fit import Counted

    state = {}

    def slow(values):
        state["a"] = values["a"]
        time.sleep(0.002)
        return np.full(3, state["a"])

    one = fit.Problem(Counted(slow, "a"), fit.Data(np.ones(3), errors=np.ones(3)), {"a": (0.0, -1e9, 1e9)})
    asked = [np.arange(20.0), np.arange(1000.0, 1020.0)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda problem, values: [problem.theory([a])[0] for a in values], (one, deepcopy(one)), asked))
    assert np.array_equal(found, asked)


def test_bumps_counts():
    pytest.importorskip("bumps")
    from test_fit import poisson

    fitness = fit.Fitness(poisson([3, 0, 70], [4.0, 1.0, 60.0]))
    fitness.resynth_data()
    assert fitness.problem.data.counts and fitness.problem.data.values[1] == 0
    fitness.restore_data()
    assert fitness.problem.data.values.tolist() == [3, 0, 70]


PLUGIN = '''"""An ellipsoid of revolution made of facets."""
import facet

UNIT = facet.Mesh.shape("sphere", radius=1.0, n=12).triangles


def mesh(polar=5.0, equatorial=12.5):
    return facet.Mesh(UNIT * [equatorial, equatorial, polar])


globals().update(facet.fit.plugin(mesh, title="an ellipsoid of facets"))
'''


def test_sasmodels_plugin(sasmodels, tmp_path):
    """A model file that sasmodels loads, with the intensity of its own ellipsoid; lengths have their polydispersity."""
    from sasmodels.core import load_model
    from sasmodels.direct_model import call_kernel

    (tmp_path / "facet_ellipsoid.py").write_text(PLUGIN)
    own = load_model("ellipsoid", platform="dll", dtype="double")
    mine = load_model(str(tmp_path / "facet_ellipsoid.py"))
    assert [p.name for p in mine.info.parameters.kernel_parameters] == ["sld", "sld_solvent", "polar", "equatorial"]
    q = np.geomspace(0.005, 0.1, 12)
    common = dict(sld=4, sld_solvent=1, scale=0.02, background=0.01)
    theirs = call_kernel(own.make_kernel([q]), dict(radius_polar=50, radius_equatorial=125, **common))
    ours = call_kernel(mine.make_kernel([q]), dict(polar=50, equatorial=125, **common))
    assert np.allclose(ours, theirs, rtol=2e-2)  # corners on the ellipsoid: a little less of it
    assert abs(ours[0] / theirs[0] - 1) < 6e-3
    spread = dict(polar_pd=0.1, polar_pd_n=5, polar_pd_nsigma=2)
    theirs = call_kernel(own.make_kernel([q]), dict(radius_polar=50, radius_equatorial=125, **common, **{f"radius_{k}": v for k, v in spread.items()}))
    assert np.allclose(call_kernel(mine.make_kernel([q]), dict(polar=50, equatorial=125, **common, **spread)), theirs, rtol=2e-2)
