"""Whatever a caller gives to whatever the package lists: what is refused is a facet.Error that names it, in words of facet's own."""
import inspect
import pickle
import re
import types

import numpy as np
import pytest

import facet

CURVE = {"kernel": "exact", "beam": {"wavelength": 0.124}, "grid": {"q": {"from": 0.1, "to": 1.0, "n": 4}},
         "particle": [{"shape": {"type": "box", "size": [8, 8, 8]}, "delta": 2e-5, "beta": 2e-6, "density": 0.001}]}
WRONG = [object(), 1.5, -1, 10**400, "no such\nthing", b"\xff", None, [object()], np.array(["a"]), {1: 2}, 1j, lambda: None]
BOX = facet.Mesh.shape("box")


class Line:
    names = ["slope"]

    def __call__(self, values):
        return values["slope"] * np.arange(1.0, 6.0)


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """An instance of each class that the package lists."""
    kernel = facet.compile("exact")
    plan = kernel.plan(BOX, qz=[0.1, 0.2])
    data = facet.fit.Data([2.1, 3.9, 6.0, 8.1, 9.9], errors=np.full(5, 0.1))
    problem = facet.fit.Problem(Line(), data, {"slope": (1.0, 0.0, 10.0)})
    path = tmp_path_factory.mktemp("border")
    run = facet.run(CURVE, path / "curve.h5")
    samples = facet.sample(Line(), {"slope": (0.0, 1.0)}, 2, path / "samples.h5")
    curve = facet.fit.CurveModel(kernel, [0.1, 0.2], lambda edge: facet.Mesh.shape("box", size=edge))
    made = [kernel, plan, data, problem, run, samples, curve, BOX, facet.Grid(qz=[0.1, 0.2]), facet.explain("exact"), run.intensity,
            facet.Simulation(CURVE), facet.fit.Parameter(1.0), facet.fit.least_squares(problem), facet.fit.Fitness(problem),
            facet.fit.compare(facet.Quantity(np.ones(5)), data),
            facet.fit.PlanModel(plan), facet.fit.ExperimentModel(CURVE, {"density": "particle.density"})]
    return {type(one): one for one in made}


def lists():
    """What the package lists: (owner, name), of classes their members too."""
    for package in (facet, facet.fit, facet.autodiff):
        for name in package.__all__:
            found = getattr(package, name)
            if isinstance(found, types.ModuleType) or found in (facet.Error, facet.fit.Model):
                continue
            yield package, None, name
            if isinstance(found, type):
                members = [m for m in dir(found) if (not m.startswith("_") or m in ("__call__", "__getitem__", "__setstate__"))
                           and not hasattr(str, m)]
                yield from ((package, found, m) for m in members)


def calls(function):
    """Each argument in turn of each wrong kind; the first ones alone, and one that it has not."""
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    except ValueError:
        parameters = []
    for wrong in WRONG if parameters else ():
        yield [wrong for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY], {}
        for p in parameters:
            if p.default is not p.empty and p.name not in ("progress", "figure", "axes"):
                yield [BOX for o in parameters if o.default is o.empty and o.kind is not o.KEYWORD_ONLY], {p.name: wrong}
    yield [], {"no_such_argument": 1}


def test_every_callable_refuses_by_one_exception(objects, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused, bad = 0, []
    for package, owner, name in lists():
        if owner is not None and owner not in objects:
            bad.append(f"{owner.__name__}: has no instance here")
            continue
        held = package if owner is None else objects[owner]
        what = f"{(owner or package).__name__}.{name}"
        try:
            function = getattr(held, name)
        except facet.Error:
            continue
        if not callable(function) or what in ("Fit.problem", "Problem.model") or name == "plot":
            continue
        state = pickle.dumps(held) if name == "__setstate__" else None
        for given, named in calls(function):
            try:
                function(*given, **named)
            except facet.Error as error:
                refused += 1
                text = str(error)
                if re.search(r"nanobind|incompatible function|std::|0x[0-9a-f]{6}|_core", text):
                    bad.append(f"{what}({given}, {named}): {text}")
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                bad.append(f"{what}({given}, {named}): {type(error).__name__}: {error}")
        if state is not None:
            objects[owner] = pickle.loads(state)
    assert not bad, "\n".join(bad[:40])
    assert refused > 500


CASES = {
    "slopes": (lambda o: o[facet.Simulation].slopes(1.0), r"Simulation.slopes: keys: is 1.0\n  help: give Iterable\[str\]"),
    "gradient": (lambda o: o[facet.Simulation].gradient(np.ones(4), [1.0]), "Simulation.gradient: keys: is list of 1.0"),
    "a cotangent": (lambda o: o[facet.Simulation].gradient("a"), "Simulation.gradient: cotangent: is 'a'\n  help: give array"),
    "schedules": (lambda o: facet.Simulation(CURVE, schedules=3), "Simulation: schedules: is 3\n  help: give str"),
    "options": (lambda o: facet.run(CURVE, options=np.zeros(3)), "facet.run: options: is ndarray"),
    "a state": (lambda o: o[facet.Simulation].__setstate__(5), "Simulation.__setstate__: state: is 5"),
    "an incomplete state": (lambda o: o[facet.Simulation].__setstate__({}), "Simulation.__setstate__: KeyError: 'text'"),
    "a rotation": (lambda o: o[facet.Plan].set_rotation(10**400), "Plan.set_rotation: matrix: is int"),
    "no argument": (lambda o: o[facet.Simulation].slopes(), "Simulation.slopes: missing a required argument: 'keys'\n  help: it takes keys"),
    "another argument": (lambda o: facet.Mesh.sphere(radus=3), "Mesh.sphere: .*'radus'\n  help: did you mean 'radius'"),
}


@pytest.mark.parametrize("case", CASES)
def test_names_the_argument(objects, case):
    call, words = CASES[case]
    with pytest.raises(facet.Error, match=words) as caught:
        call(objects)
    assert caught.value.exit == 1


def test_what_a_callers_function_raises_stays_what_it_is():
    class Own(Line):
        def __call__(self, values):
            return np.array(values["slope"] + "text")

    data = facet.fit.Data([2.1, 3.9], errors=[0.1, 0.1])
    with pytest.raises(TypeError, match="unsupported operand"):
        facet.fit.Problem(Own(), data, {"slope": (1.0, 0.0, 10.0)}).residuals([1.0])
    with pytest.warns(UserWarning), pytest.raises(ZeroDivisionError):
        facet.fit.PlanModel(facet.compile("exact").plan(facet.Mesh(BOX.triangles[:3]), qz=1.0), mesh=lambda edge: 1 / 0)({"edge": 1.0})


def test_functions_travel():
    assert pickle.loads(pickle.dumps(facet.run)) is facet.run


def beside(**values):
    return {**CURVE, "particle": [{**CURVE["particle"][0], **values}]}


@pytest.mark.parametrize("make", [facet.run, facet.Simulation])
def test_errors_of_dicts_name_the_key(make):
    layers = {"layers": [{"name": "vacuum"}, {"name": "Si", "delta": "x", "beta": 1e-7}]}
    for experiment, words in ((beside(beta=-1.0), "^particle.0.beta: beta = -1 is out of range"),
                              (beside(betta=1.0), "^particle.0.betta: unknown key 'betta'.*\n  help: did you mean 'beta'"),
                              (beside(shape={"type": "box", "size": [1, 2]}), "^particle.0.shape.size|^particle.0.shape: "),
                              ({**CURVE, "sample": layers}, "^sample.layers.1: 'delta' is to be a number"),
                              ("title = 'x'\n[beam]\nenergy = -1\n", "^line 3 of the experiment: energy is to be above 0")):
        with pytest.raises(facet.Error, match=words) as caught:
            make(experiment)
        assert "experiment.toml" not in str(caught.value)


def test_warnings_and_changes_name_the_key():
    simulation = facet.Simulation(CURVE)
    with pytest.raises(facet.Error, match="^particle.0.beta: "):
        simulation.update(changes={"particle.beta": -1.0})
    again = pickle.loads(pickle.dumps(simulation))
    with pytest.raises(facet.Error, match="^beam.wavelength: "):
        again.update(changes={"beam.wavelength": -1.0})
