"""Samples and fits on executors: in order, with the bits of a run without, whoever dies on the way."""
import multiprocessing
import os
import pickle
import signal
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from test_pickles import CURVE, OF_BOX, ball

import facet
from facet import fit

SPAWN = multiprocessing.get_context("spawn")
Q = np.linspace(0.1, 1.0, 6)


class Here:
    """An executor that has no more than what is asked for; it computes at once, and remembers."""

    def __init__(self):
        self.recipes = []

    def submit(self, function, *given):
        self.recipes += given[:1]
        future = Future()
        try:
            future.set_result(function(*given))
        except Exception as failure:  # noqa: BLE001 - whatever it is
            future.set_exception(failure)
        return future


class Slow(Here):
    """After some it computes nothing more."""

    def __init__(self):
        super().__init__()
        self.waiting = []

    def submit(self, function, *given):
        if len(self.recipes) < 10:
            return super().submit(function, *given)
        self.waiting.append(Future())
        return self.waiting[-1]


def sphere(radius):
    return facet.Mesh.sphere(radius, n=8)


def turned(turn):
    return [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]


class Diary:
    """A model that says who computed a sample, and may raise at one, or kill its process, once."""
    names = ["a", "b"]

    def __init__(self, folder, dies=None, wrong=None):
        self.folder, self.dies, self.wrong = folder, dies, wrong

    def __call__(self, values):
        if values["a"] == self.wrong:
            raise ZeroDivisionError("at this a")
        if values["a"] == self.dies and multiprocessing.parent_process() is not None and not (self.folder / "died").exists():
            (self.folder / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        with open(self.folder / f"{os.getpid()}.pid", "a") as said:
            said.write(f"{values['a']:.0f}\n")
        return values["a"] + values["b"] * np.arange(5.0)


COUNTED = {"a": np.arange(200.0), "b": (2, 3)}


def numbers(path):
    return facet.Samples(path).results.tobytes()


def test_a_sample_of_a_plan(exact, tmp_path):
    """A pool of threads, a pool of processes, and the least that an executor can be; meshes, rotations and parameters change."""
    def plan():
        return exact.plan(sphere(8), qy="-1:1:12", qz="0.001:1:10", threads=1)

    def sample(path, on, **how):
        return facet.sample(plan(), {"radius": (5, 10), **how.pop("more", {})}, 12, tmp_path / path, mesh=sphere, executor=on, **how)

    alone = sample("alone.h5", None, rotation=turned, more={"turn": (0, 3)})
    heard = []
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, mp_context=SPAWN) as processes:
        for k, on in enumerate((threads, processes, Here())):
            found = sample(f"{k}.h5", on, rotation=turned, more={"turn": (0, 3)}, progress=lambda *told: heard.append(told))
            assert found.results.tobytes() == alone.results.tobytes()
        assert heard == [(done, 12) for done in range(13)] * 3
        assert numbers(sample("u.h5", None, rotation="uniform").path) == numbers(sample("v.h5", threads, rotation="uniform").path)


RADII = [5.0, 9.0, 7.0, 5.0, 4.6, 9.0, 5.0, 7.0]  # planned again for some, and held for others by what was planned for 9


def models(exact):
    experiment = CURVE | {"particle": [OF_BOX]}
    yield fit.ExperimentModel(experiment, {"beta": "particle.beta"}, mesh=ball), {"beta": 2e-6, "radius": RADII}
    yield fit.CurveModel("exact", Q, ball), {"radius": RADII}
    yield fit.PlanModel(exact.plan(sphere(8), qy="-1:1:8", qz="0.1:1:6"), mesh=ball), {"radius": RADII}


@pytest.mark.parametrize("kind", range(3), ids=["experiment", "curve", "plan"])
def test_a_sample_of_a_model_does_not_depend_on_the_order(exact, tmp_path, kind):
    """A model may be planned again on the way: on executors, and gone on with."""
    def run(name, **how):
        model, parameters = list(models(exact))[kind]
        return facet.sample(model, parameters, len(RADII), tmp_path / name, **how).results

    def stop(done, n):
        if done == 3:
            raise KeyboardInterrupt

    alone = run("alone.h5")
    assert len({row.tobytes() for row in alone}) == len(set(RADII))
    with ThreadPoolExecutor(2) as pool:
        assert run("pool.h5", executor=pool).tobytes() == alone.tobytes()
    with pytest.raises(KeyboardInterrupt):
        run("stopped.h5", progress=stop)
    assert run("stopped.h5", executor=Here()).tobytes() == alone.tobytes()


def test_a_worker_that_dies(tmp_path):
    """A pool of processes is broken by it: one message, what was done stays, and another pool goes on."""
    def sample(model, path, on):
        return facet.sample(model, COUNTED, 200, tmp_path / path, executor=on).results.tobytes()

    wanted = sample(Diary(tmp_path), "alone.h5", None)
    model = Diary(tmp_path, dies=120)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        with pytest.raises(facet.Error, match="^executor: a worker ended before its work was done .*\n  help: call again with another") as caught:
            sample(model, "a.h5", pool)
    assert caught.value.exit == 2 and 0 < len(facet.Samples(tmp_path / "a.h5")) <= 120
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:  # it must not hold the file
        assert sample(model, "a.h5", pool) == wanted


def test_what_workers_raise(tmp_path, exact):
    """What a caller's model raises stays what it is, facet's is an Error; what was done stays."""
    for k, on in enumerate((Here(), ThreadPoolExecutor(1))):
        with pytest.raises(ZeroDivisionError, match="at this a"):
            facet.sample(Diary(tmp_path, wrong=7), COUNTED, 200, tmp_path / f"{k}.h5", executor=on)
        assert len(facet.Samples(tmp_path / f"{k}.h5")) >= 5
        with pytest.raises(facet.Error, match="radius"):
            plan = exact.plan(sphere(8), q=[[0.1, 0.2, 0.3]])
            facet.sample(plan, {"radius": [5.0, 6.0, -1.0]}, 3, tmp_path / f"m{k}.h5", mesh=sphere, executor=on)
    for given in (3, tmp_path, SPAWN):
        with pytest.raises(facet.Error, match="^executor: is .*\n  help: give one of concurrent.futures, loky or mpi4py.futures"):
            facet.sample(Diary(tmp_path), COUNTED, 200, tmp_path / "b.h5", executor=given)
        with pytest.raises(facet.Error, match="^executor: is "):
            fit.least_squares(problem_of(Diary(tmp_path)), executor=given)


def test_a_stop_calls_off_what_waits(tmp_path):
    """At once: who leaves a pool waits for it."""
    def stop(done, n):
        if done == 3:
            raise KeyboardInterrupt

    slow = Slow()
    try:
        facet.sample(Diary(tmp_path), COUNTED, 200, tmp_path / "a.h5", executor=slow, progress=stop)
    except KeyboardInterrupt:
        assert slow.waiting and all(future.cancelled() for future in slow.waiting)
    assert len(facet.Samples(tmp_path / "a.h5")) == 3


def problem_of(model):
    truth = {"a": 0.3, "b": 2.0} if "a" in model.names else {"radius": 4.0}
    theory = model(truth)
    data = fit.Data(theory * (1 + 0.01 * np.cos(np.arange(theory.size)).reshape(theory.shape)), errors=0.01 * theory)
    scale = {"scale": (1.0, 0.5, 2.0)} if "radius" in truth else {}
    return fit.Problem(model, data, {name: (1.03 * value, 0.5 * value, 2 * value) for name, value in truth.items()} | scale)


def fitted(found):
    return found.vector.tobytes(), found.covariance.tobytes(), found.chi2, found.evaluations if "bumps" not in found.message else "once a point"


@pytest.mark.filterwarnings("ignore:Did not converge")  # so few samples
def test_fits(tmp_path, exact):
    """The same result as without: of scipy, lmfit and bumps, a model in a worker for each column of a Jacobian or point of a population."""
    pytest.importorskip("scipy")

    def dream(problem, **how):
        np.random.seed(1)
        return fit.bumps_fit(problem, "dream", samples=60, burn=2, pop=4, init="eps", **how)

    ways = [fit.least_squares, fit.lbfgs, fit.lmfit_fit, dream]
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        for way in ways:
            assert fitted(way(problem_of(Diary(tmp_path)), executor=pool)) == fitted(way(problem_of(Diary(tmp_path))))
        others = {file.stem for file in tmp_path.glob("*.pid")} - {str(os.getpid())}
        assert others
        model, _ = list(models(exact))[1]
        alone = fitted(fit.least_squares(problem_of(model)))
        model, _ = list(models(exact))[1]
        assert fitted(fit.least_squares(problem_of(model), executor=pool)) == alone


def test_recipes_are_made_once_a_fit(tmp_path):
    here, problem = Here(), problem_of(Diary(tmp_path))
    fit.least_squares(problem, executor=here)
    assert len(here.recipes) > 4 and len(set(here.recipes)) == 1
    count = len(here.recipes)
    problem.jacobian(problem.start)
    assert len(here.recipes) == count and pickle.loads(pickle.dumps(problem)).names == problem.names
