"""Plans, simulations, models and problems travel as recipes: a spawned process has their bits, another version refuses them."""
import builtins
import copy
import json
import multiprocessing
import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from test_simulation import GISAXS

import facet
from facet import fit

GRID = dict(qy="-1:1:40", qz="0.001:1:40")
Q = np.linspace(0.1, 1.0, 6)
CURVE = {"kernel": "exact", "beam": {"wavelength": 0.124}, "grid": {"q": {"from": 0.1, "to": 1.0, "n": 5}}}
OF_BOX = {"shape": {"type": "box", "size": [7, 8, 9]}, "delta": 2e-5, "beta": 2e-6, "density": 0.001}
TURN = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]


def ball(radius):
    return facet.Mesh.sphere(radius, n=8)


def doubled(experiment, value):
    experiment["particle"][0]["density"] = 2 * value


def called(pickled, *given, **named):
    """What an object gives where it is unpickled."""
    return np.asarray(pickle.loads(pickled)(*given, **named)).tobytes()


def found(pickled, name, *given):
    value = getattr(pickle.loads(pickled), name)
    return np.asarray(value(*given) if given else getattr(value, "values", value)).tobytes()


@pytest.fixture(scope="module")
def elsewhere():
    """Calls a function in a process that was spawned."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield lambda function, *given, **named: pool.submit(function, *given, **named).result()


@pytest.mark.parametrize("how", [dict(), dict(algorithm="nufft"), dict(algorithm="direct", precision="f32"), dict(q=[[0.1, 0.2, 0.3], [0, 0, 1j]])])
def test_plans(elsewhere, born, how):
    """One that has computed nothing, one that has; one that is turned, measured, and has another mesh."""
    plan = born.plan(ball(10), **({"algorithm": "direct"} if "q" in how else GRID), **how)
    kept = [pickle.dumps(plan)]
    wanted = plan().tobytes()
    kept.append(pickle.dumps(plan))
    assert [elsewhere(called, each) for each in kept] == [wanted] * 2
    plan.set_mesh(ball(8))
    plan.set_rotation(TURN)
    plan()
    assert plan.error <= 1e-5
    kept = pickle.dumps(plan)
    assert elsewhere(called, kept) == plan().tobytes() != wanted


def test_the_way_to_run_travels(elsewhere, exact):
    """One of many that a plan could take by itself."""
    plan = exact.plan(ball(10), **GRID)
    names = []
    for name in ("direct", "separable"):
        plan._follow(exact.plan(ball(10), algorithm=name, precision="f64", **GRID).decision)
        names.append(pickle.loads(pickle.dumps(plan)).taken.name)
        assert elsewhere(called, pickle.dumps(plan)) == plan().tobytes()
    assert names == ["direct, f64", "separable, f64, nodes"]
    strange = plan.__getstate__() | {"decisions": plan._decisions.replace("f64", "f32").replace("separable", "nufft")}
    with pytest.raises(facet.Error, match="plan: cannot run here as it did where it was pickled\n  help: make it anew"):
        pickle.loads(pickle.dumps(plan)).__setstate__(strange)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_plan_stands_by_itself(exact, duplicate):
    plan = exact.plan(ball(5), **GRID)
    wanted, other = plan(), duplicate(plan)
    other.set_mesh(ball(6))
    assert plan().tobytes() == wanted.tobytes() != other().tobytes()


KERNEL = Path(__file__).resolve().parents[2] / "examples/kernels/born.cpp"


def test_a_kernel_whose_file_is_gone(elsewhere, tmp_path):
    file = tmp_path / "mine.cpp"
    shutil.copy(KERNEL, file)
    plan = facet.compile(file).plan(ball(5), **GRID)
    kept, wanted = pickle.dumps(plan), plan().tobytes()
    file.unlink()
    assert elsewhere(called, kept) == wanted


@pytest.mark.parametrize("experiment", [CURVE | {"particle": [OF_BOX]}, CURVE | {"particle": [OF_BOX | {"mesh": None}]}, GISAXS],
                         ids=["curve", "mesh", "images"])
def test_simulations(elsewhere, experiment):
    """At first, and as they are after changes: of a curve, of a mesh in memory, of images."""
    if "mesh" in experiment["particle"][0]:
        box = {key: value for key, value in OF_BOX.items() if key != "shape"} | {"mesh": facet.Mesh.box([7, 8, 9])}
        experiment = CURVE | {"particle": [box]}
    simulation = facet.Simulation(experiment)
    wanted = simulation.intensity.values.tobytes()
    assert elsewhere(found, pickle.dumps(simulation), "intensity") == wanted
    simulation.update(changes={"particle.beta": 3e-6})
    kept = pickle.dumps(simulation)
    assert elsewhere(found, kept, "intensity") == simulation.intensity.values.tobytes() != wanted


def test_decisions_of_simulations_travel():
    """Those of another way to sum, which none would decide for by itself here."""
    simulation = facet.Simulation(CURVE | {"particle": [OF_BOX]})
    assert simulation._decisions == ""
    simulation.intensity
    other = facet.Simulation(CURVE | {"particle": [OF_BOX]})
    assert '\\"algorithm\\":\\"direct\\",\\"class\\":\\"f64\\"' in (decisions := simulation._decisions)
    strange = decisions.replace('\\"class\\":\\"f64\\"', '\\"class\\":\\"f32\\"')
    other._follow(strange)
    again = pickle.loads(pickle.dumps(other))
    assert again.intensity.values.tobytes() == other.intensity.values.tobytes() != simulation.intensity.values.tobytes()
    assert not again.last.planned and '"class":"f32"' in again.decision
    other._follow(decisions)
    assert other.intensity.values.tobytes() == simulation.intensity.values.tobytes()
    with pytest.raises(facet.Error, match="decisions: holds no plan that this facet can read"):
        other._follow("{}")


def test_curves_of_fits(elsewhere):
    """The first call of a model, and the later ones, which take fewer directions; planned again for a larger particle."""
    model = fit.CurveModel("exact", Q, ball, per_volume=True)
    for radius in (5.0, 5.2, 9.0, 5.1):
        kept = pickle.dumps(model)
        wanted = model({"radius": radius}).tobytes()
        if radius != 9.0:  # where it may plan otherwise
            assert elsewhere(called, kept, {"radius": radius}) == wanted
        assert elsewhere(called, pickle.dumps(model), {"radius": radius}) == model({"radius": radius}).tobytes()


def problems(exact):
    plan = exact.plan(facet.Mesh.box(), qy="-1:1:8", qz="0.1:1:6")
    curve = fit.CurveModel("exact", Q, ball)
    experiment = fit.ExperimentModel(CURVE | {"particle": [OF_BOX]}, {"beta": "particle.beta", "density": doubled}, mesh=ball)
    for model, values in ((fit.PlanModel(plan, mesh=ball), {"radius": 4.0}), (curve, {"radius": 4.0}),
                          (experiment, {"beta": 3e-6, "density": 0.002, "radius": 4.0})):
        theory = model(values)
        free = {name: (value, 0.5 * value, 2 * value) for name, value in values.items()}
        yield fit.Problem(model, fit.Data(theory, errors=0.01 * theory), free)


def test_problems(elsewhere, exact):
    for problem in problems(exact):
        problem.nllf(problem.start)
        for vector in (problem.start, 1.02 * problem.start):
            kept = pickle.dumps(problem)
            assert elsewhere(found, kept, "residuals", vector) == problem.residuals(vector).tobytes()
        assert elsewhere(found, pickle.dumps(problem), "jacobian", vector) == problem.jacobian(vector).tobytes()


def test_the_target_travels(exact):
    """A plan of any target goes on with the one that it took, a device too."""
    plan = exact.plan(ball(5), target="any", **GRID)
    for target in dict.fromkeys(choice.target for choice in plan.choices if choice.name == "direct, f32"):
        way = json.loads(plan._decisions) | {"algorithm": "direct", "class": "f32", "nodes": False, "tolerance": 0.0}
        plan._follow(json.dumps(way | {"target": target}))
        again = pickle.loads(pickle.dumps(plan))
        assert (again.taken.name, again.taken.target) == (plan.taken.name, target) and again().tobytes() == plan().tobytes()
    assert pickle.loads(pickle.dumps(exact.plan(ball(5), **GRID))).taken.target == facet.machine()


def test_another_version_is_refused(exact, monkeypatch):
    model = fit.CurveModel("exact", Q, ball)
    data = fit.Data(np.ones(6), errors=np.ones(6))
    made = [exact.plan(ball(5), qz=0.5), facet.Simulation(CURVE | {"particle": [OF_BOX]}), model,
            fit.Problem(model, data, {"radius": (4.0, 3, 5)}), fit.PlanModel(exact.plan(ball(5), qz=[0.5, 0.6])),
            fit.ExperimentModel(CURVE | {"particle": [OF_BOX]}, {"beta": "particle.beta"})]
    with monkeypatch.context() as other:
        other.setattr(facet._core, "version", "0.0.9")
        kept = [pickle.dumps(one) for one in made]
    for one, pickled in zip(made, kept):
        with pytest.raises(facet.Error, match=rf"^{type(one).__name__}: was pickled by facet 0.0.9, and this is facet {facet.version()}"
                                              "\n  help: make it anew, or unpickle it with facet 0.0.9"):
            pickle.loads(pickled)


def test_functions_of_nowhere(elsewhere, exact, monkeypatch):
    """A lambda travels by cloudpickle; without it, and what nothing can pickle, is refused by name."""
    model = fit.PlanModel(exact.plan(ball(5), qy="-1:1:8", qz="0.1:1:6"), mesh=lambda edge: facet.Mesh.box([edge, edge, edge]))
    wanted = model({"edge": 5.0})
    assert elsewhere(called, pickle.dumps(model), {"edge": 5.0}) == wanted.tobytes()
    held = fit.PlanModel(model.plan, mesh=lambda edge, of=(one for one in "a"): ball(edge))
    with pytest.raises(facet.Error, match=r"^mesh: cannot be pickled \(.*generator.*\)\n  help: define it with def in a module, of values"):
        pickle.dumps(held)
    known = builtins.__import__

    def without(name, *rest):
        if name == "cloudpickle":
            raise ModuleNotFoundError(name)
        return known(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(facet.Error, match=r"^mesh: cannot be pickled \(.*lambda.*\)\n  help: define it with def .* or pip install cloudpickle"):
        pickle.dumps(model)
