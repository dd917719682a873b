"""Training data: draws that depend on seed and index, runs that go on to the same bits, files that are not mixed up."""
import os
import signal
import subprocess
import sys

import h5py
import numpy as np
import pytest

import facet

KERNEL = """#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL soft {
  using Grid = product<real, real, real>;
  struct Params { real sigma = 0.5; vec3 shift; cplx scale = 1; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return dot(q, t.normal) * t.area * cis(dot(q, t.centroid + p.shift));
  }
  static cplx finish(Grid::q q, cplx sum, const Params &p) { return p.scale * exp(-p.sigma * norm2(q)) / norm2(q) * sum; }
};
"""
GRID = dict(qy="-0.5:0.5:6", qz=[0.02, 0.3, 0.7])


@pytest.fixture(scope="module")
def soft():
    return facet.compile(KERNEL)


def plan_of(kernel, **options):
    return kernel.plan(facet.Mesh.shape("sphere", radius=10, n=8), shift=[0, 0, 0], **GRID, **options)


class Line:
    """A model that is quickly computed, and that may be stopped at a sample."""
    names = ["a", "b"]

    def __init__(self, stop=None, factor=1.0):
        self.called, self.stop, self.factor = 0, stop, factor

    def __call__(self, values):
        assert set(values) == {"a", "b"} and all(type(v) is float for v in values.values())
        if self.called == self.stop:
            raise KeyboardInterrupt
        self.called += 1
        return self.factor * (values["a"] + values["b"] * np.arange(5.0))


RANGES = {"a": (-1, 1), "b": (2, 3)}


def content(path):
    """All numbers of a file, by name."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def same(a, b):
    one, other = content(a), content(b)
    return one.keys() == other.keys() and all(one[k].tobytes() == other[k].tobytes() for k in one)


def test_a_model(tmp_path):
    found = facet.sample(Line(), RANGES, 20, tmp_path / "line.h5", axes={"x": np.arange(5)})
    a, b = found.parameters["a"], found.parameters["b"]
    assert len(found) == found.n == 20 and found.results.shape == (20, 5) and found.results.dtype == float
    assert np.array_equal(found.results, a[:, None] + b[:, None] * np.arange(5.0))
    assert -1 <= a.min() < 0 < a.max() <= 1 and 2 <= b.min() < b.max() <= 3 and len(set(a)) == 20
    assert list(found.axes) == ["x"] and found.provenance["seed"] == 1 and facet.version() in found.provenance["program"]
    assert "20 of 20 of a, b" in repr(found)
    with h5py.File(found.path) as file:
        assert file["parameters/a"].attrs["drawn"] == "uniform from -1 to 1"


def test_draws_depend_on_seed_and_index(tmp_path):
    draws = {(n, seed): facet.sample(Line(), RANGES, n, tmp_path / f"{n}_{seed}.h5", seed=seed).parameters
             for n, seed in ((10, 1), (30, 1), (10, 2))}
    assert all(np.array_equal(draws[10, 1][name], draws[30, 1][name][:10]) for name in RANGES)
    assert not np.isin(draws[10, 1]["a"], draws[10, 2]["a"]).any()


class Squared:
    """As a distribution of scipy.stats."""

    def ppf(self, share):
        return share**2


def test_ways_to_draw(tmp_path):
    given = np.linspace(0, 1, 50)
    found = facet.sample(Line(), {"a": Squared(), "b": given}, 50, tmp_path / "a.h5").parameters
    uniform = facet.sample(Line(), {"a": (0, 1), "b": 3}, 50, tmp_path / "b.h5").parameters
    assert np.array_equal(found["a"], uniform["a"]**2) and np.array_equal(found["b"], given) and (uniform["b"] == 3).all()


def test_a_plan(soft, tmp_path):
    plan = plan_of(soft)
    shifts = np.random.default_rng(0).normal(size=(6, 3))
    found = facet.sample(plan, {"sigma": (0, 1), "shift": shifts, "scale": 2j}, 6, tmp_path / "plan.h5")
    assert found.results.shape == (6, 6, 3) and found.results.dtype == complex
    for k in (4, 1):
        wanted = plan(sigma=found.parameters["sigma"][k], shift=shifts[k], scale=2j)
        assert np.allclose(found.results[k], wanted, rtol=0, atol=2e-5 * abs(wanted).max())
    assert np.array_equal(found.axes["qy"], plan.grid.axes[1]) and found.axes["qz"].tolist() == GRID["qz"]
    assert found.provenance["kernel"] == "soft" and 0 < found.provenance["measured_error"] <= 1e-5
    with h5py.File(found.path) as file:
        assert file["axes/qy"].attrs["units"] == "1/nm"


def test_meshes_and_rotations(exact, tmp_path):
    def mesh(radius):
        return facet.Mesh.shape("sphere", radius=radius, n=12)

    def rotation(turn):
        return [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]

    grid = dict(q=[[0.1, 0.2, 0.3], [0.3, 0.1, 0.7]])
    plan = exact.plan(mesh(8), **grid)
    found = facet.sample(plan, {"radius": (5, 10), "turn": (0, 3)}, 4, tmp_path / "a.h5", mesh=mesh, rotation=rotation)
    for k in range(4):
        drawn = {name: values[k] for name, values in found.parameters.items()}
        wanted = exact(mesh(drawn["radius"]).rotated(rotation(drawn["turn"])), **grid)
        assert np.allclose(found.results[k], wanted, rtol=0, atol=2e-5 * abs(wanted).max())
    assert found.axes["q"].tolist() == grid["q"]


def test_uniform_rotations(exact, tmp_path):
    grid = dict(q=[[0.1, 0.2, 0.3], [0.3, 0.1, 0.7]])
    box = facet.Mesh.shape("box", size=[4, 9, 15])
    found = facet.sample(exact.plan(box, **grid), {}, 2000, tmp_path / "a.h5", rotation="uniform")
    turns = found.rotation
    assert np.allclose(turns @ turns.transpose(0, 2, 1), np.eye(3), atol=1e-14) and np.allclose(np.linalg.det(turns), 1)
    # E[R] = 0, and E[R_ij^2] = 1/3 with a variance of 4/45
    assert abs(turns.mean(axis=0)).max() < 5 / np.sqrt(3 * 2000)
    assert abs((turns**2).mean(axis=0) - 1 / 3).max() < 5 * np.sqrt(4 / 45 / 2000)
    for k in (0, 7):
        wanted = exact(box.rotated(turns[k]), **grid)
        assert np.allclose(found.results[k], wanted, rtol=0, atol=2e-5 * abs(wanted).max())


def stopping(at):
    """A progress function that stops the run."""
    def progress(done, n):
        if done == at:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("how", [dict(), dict(rotation="uniform"), dict(algorithm="direct", precision="f32")])
def test_a_plan_goes_on_to_the_same_bits(soft, tmp_path, how):
    """Whatever the plan computed before, and whichever plan goes on."""
    how = dict(how)
    rotation = how.pop("rotation", None)

    def run(plan, path, **options):
        return facet.sample(plan, {"sigma": (0, 1), "scale": (1, 2)}, 9, tmp_path / path, rotation=rotation, **options)

    run(plan_of(soft, **how), "whole.h5")
    plan = plan_of(soft, **how)
    with pytest.raises(KeyboardInterrupt):
        run(plan, "stopped.h5", progress=stopping(4))
    stopped = facet.Samples(tmp_path / "stopped.h5")
    assert len(stopped) == 4 and stopped.n == 9 and len(stopped.results) == 4
    plan(sigma=0.9)
    assert len(run(plan, "stopped.h5")) == 9
    assert same(tmp_path / "stopped.h5", tmp_path / "whole.h5")
    other = plan_of(soft, **how)
    other(sigma=0.3)
    os.unlink(tmp_path / "stopped.h5")
    with pytest.raises(KeyboardInterrupt):
        run(other, "stopped.h5", progress=stopping(5))
    run(plan_of(soft, **how), "stopped.h5")
    assert same(tmp_path / "stopped.h5", tmp_path / "whole.h5")


def test_what_a_plan_did_before_does_not_matter(soft, tmp_path):
    """Samples have the same bits whatever a plan has computed and measured before, and the same parameters again."""
    def plan():
        return soft.plan(facet.Mesh.shape("box", size=[3, 20, 30]), qy="0.0001:0.4:50", qz="0.0001:0.4:50", shift=[0, 0, 0], sigma=0.1,
                         algorithm="direct", precision="f32", accuracy=1e-4)

    sigma = [0.1, 0.1, 30.0, 0.1]
    facet.sample(plan(), {"sigma": sigma}, 4, tmp_path / "a.h5")
    for used in ((), (0.1,), (30.0,), (30.0, 0.1)):
        other = plan()
        for value in used:
            other(sigma=value)
            other.error
        assert len(facet.sample(other, {"sigma": sigma}, 4, tmp_path / "a.h5")) == 4
    results = facet.Samples(tmp_path / "a.h5").results
    assert results[0].tobytes() == results[1].tobytes() == results[3].tobytes() != results[2].tobytes()


def test_a_model_that_is_stopped_keeps_what_is_done(tmp_path):
    facet.sample(Line(), RANGES, 12, tmp_path / "whole.h5")
    with pytest.raises(KeyboardInterrupt):
        facet.sample(Line(stop=8), RANGES, 12, tmp_path / "a.h5")
    assert len(facet.Samples(tmp_path / "a.h5")) == 7  # the first is computed once more, for its shape
    again = Line()
    assert len(facet.sample(again, RANGES, 12, tmp_path / "a.h5")) == 12 and again.called == 12 - 7 + 1
    assert same(tmp_path / "a.h5", tmp_path / "whole.h5")
    done = Line()
    assert len(facet.sample(done, RANGES, 12, tmp_path / "a.h5")) == 12 and done.called == 1


PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it, and so would its children
sys.path[:0] = %r
import facet
from test_sample import Line, RANGES
class Slow(Line):
    def __call__(self, values):
        time.sleep(0.02)
        return super().__call__(values)
facet.sample(Slow(), RANGES, 2000, sys.argv[1], progress=lambda done, n: print(done, flush=True))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_is_killed(tmp_path, how):
    """A run that is killed leaves what was written by the second; one that is asked to end leaves all."""
    path = tmp_path / "a.h5"
    folders = [os.path.dirname(facet.__path__[0]), os.path.dirname(__file__)]
    child = subprocess.Popen([sys.executable, "-c", PROGRAM % folders, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in child.stdout:
        if int(line) == 120:
            break
    child.send_signal(how)
    last = int((child.stdout.read().split() or [120])[-1])
    child.wait(60)
    done = len(facet.Samples(path))
    assert 0 < done <= last + 1 and (how == signal.SIGKILL or done >= last)
    facet.sample(Line(), RANGES, 2000, path)
    facet.sample(Line(), RANGES, 2000, tmp_path / "whole.h5")
    assert same(path, tmp_path / "whole.h5")


def test_progress(tmp_path, capsys):
    heard = []
    facet.sample(Line(), RANGES, 3, tmp_path / "a.h5", progress=lambda *told: heard.append(told))
    assert heard == [(0, 3), (1, 3), (2, 3), (3, 3)]
    facet.sample(Line(), RANGES, 3, tmp_path / "b.h5", progress=True)
    assert "3/3" in capsys.readouterr().err


@pytest.mark.parametrize("other, words", [
    (dict(seed=2), "holds other samples: seed 1, not 2"),
    (dict(n=6), "holds other samples: n 5, not 6"),
    (dict(parameters={"a": (-1, 2), "b": (2, 3)}), "other values of 'a'"),
    (dict(parameters={"b": (2, 3), "a": (-1, 1)}), "other values of '[ab]'"),
    (dict(axes={"x": np.arange(5)}), "other values of 'x'"),
    (dict(model=Line(factor=1 + 1e-15)), "another model: the first differs by"),
    (dict(model=type("Short", (Line,), {"__call__": lambda s, v: np.zeros(4)})()), "sample 0 is float64 of shape"),
])
def test_other_problems_are_refused(tmp_path, other, words):
    given = dict(model=Line(), parameters=RANGES, n=5, path=tmp_path / "a.h5")
    facet.sample(**given)
    before = (tmp_path / "a.h5").read_bytes()
    with pytest.raises(facet.Error, match=words):
        facet.sample(**{**given, **other})
    assert (tmp_path / "a.h5").read_bytes() == before


def test_other_plans_are_refused(soft, tmp_path):
    def run(plan, **options):
        facet.sample(plan, {"sigma": (0, 1)}, 3, tmp_path / "a.h5", **options)

    run(plan_of(soft, algorithm="direct", precision="f64"))
    with pytest.raises(facet.Error, match="cannot run as the one did that began the file"):
        run(plan_of(soft, algorithm="direct", precision="f32"))
    with pytest.raises(facet.Error, match="another model"):
        run(soft.plan(facet.Mesh.shape("box"), shift=[0, 0, 0], algorithm="direct", precision="f64", **GRID))
    with pytest.raises(facet.Error, match="rotations False, not True"):
        run(plan_of(soft, algorithm="direct", precision="f64"), rotation="uniform")


@pytest.mark.parametrize("text", [b"", b"no HDF5"])
def test_foreign_files_stay(tmp_path, text):
    path = tmp_path / "a.h5"
    path.write_bytes(text)
    with pytest.raises(facet.Error, match="cannot be opened|is no file of facet.sample"):
        facet.sample(Line(), RANGES, 5, path)
    assert path.read_bytes() == text
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["results"] = np.zeros(5)
    for use in (lambda p: facet.sample(Line(), RANGES, 5, p), facet.Samples):
        with pytest.raises(facet.Error, match="is no file of facet.sample"):
            use(tmp_path / "b.h5")


@pytest.mark.parametrize("other, words", [
    (dict(n=0), "n: is 0"),
    (dict(n=2.5), "n: is float"),
    (dict(seed=-1), "seed: is -1"),
    (dict(model=3), "model: is int"),
    (dict(model=lambda values: 1), "model: is function"),
    (dict(parameters=[("a", 1)]), "parameters: is list"),
    (dict(parameters={"a": (0, 1)}), "'b' is not drawn"),
    (dict(parameters={**RANGES, "bb": 1}), "no 'bb', did you mean 'b'"),
    (dict(parameters={**RANGES, "a": (1, 0)}), r"parameter 'a': \(1, 0\) is no range"),
    (dict(parameters={**RANGES, "a": (0, np.inf)}), "is no range"),
    (dict(parameters={**RANGES, "a": (0, 1, 2)}), "parameter 'a': has 3 numbers"),
    (dict(parameters={**RANGES, "a": ("x", 1)}), "parameter 'a': is str"),
    (dict(parameters={**RANGES, "a": [1, 2, 3]}), r"shape \(3,\)"),
    (dict(parameters={**RANGES, "a": [1, 2, np.nan, 4, 5]}), "is not finite in sample 2"),
    (dict(parameters={**RANGES, "a": [[1], [2, 3]]}), "parameter 'a': is"),
    (dict(parameters={**RANGES, "a": "0.1"}), "parameter 'a': is"),
    (dict(parameters={**RANGES, "a": np.ma.masked_less(np.arange(5.0), 1)}), "parameter 'a': has masked values"),
    (dict(axes={"x": np.ma.masked_less(np.arange(5.0), 1)}), "axes: has masked values"),
    (dict(model=type("Masked", (Line,), {"__call__": lambda s, v: np.ma.masked_less(np.arange(5.0), 1)})()), "model: has masked values"),
    (dict(mesh=lambda a: None), "are of plans"),
    (dict(rotation="random"), "rotation: is 'random'"),
    (dict(path="/nowhere/a.h5"), "cannot be written"),
    (dict(path=3), "path: is int"),
    (dict(model=type("Words", (Line,), {"__call__": lambda s, v: "text"})()), "model: gives"),
    (dict(model=type("Growing", (Line,), {"__call__": lambda s, v: np.zeros(int(1e6 * v["a"]) % 7)})()), "all samples are to be alike"),
])
def test_bad_input(tmp_path, other, words):
    given = dict(model=Line(), parameters=RANGES, n=5, path=tmp_path / "a.h5")
    with pytest.raises(facet.Error, match=words):
        facet.sample(**{**given, **other})


@pytest.mark.parametrize("other, words", [
    (dict(parameters={"sigmma": 1}), "did you mean 'sigma'"),
    (dict(mesh=lambda radius: None), "'radius' is not drawn"),
    (dict(mesh=lambda *radii: None), "mesh: takes any arguments"),
    (dict(mesh=3), "mesh: is int"),
    (dict(mesh=lambda sigma: 3), "mesh: is int"),
    (dict(rotation=lambda sigma: np.ones((3, 3))), "rotation: is no rotation"),
])
def test_bad_input_of_a_plan(soft, tmp_path, other, words):
    with pytest.raises(facet.Error, match=words):
        facet.sample(**{**dict(model=plan_of(soft), parameters={"sigma": 1}, n=5, path=tmp_path / "a.h5"), **other})
    assert not list(tmp_path.iterdir())
