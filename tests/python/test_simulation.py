"""Experiments in memory: the numbers of facet.run, whatever was kept of the experiment before."""
import copy
import json
import math
import os
import pickle
import shutil
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import facet
from facet.simulation import put, tables_of

PRISM = {"type": "cylinder", "radius": 8.0, "height": 10.0, "around": 6, "along": 1, "rings": 1}
GISAXS = {
    "title": "gold on silicon",
    "kernel": "exact",
    "beam": {"energy": 9998.7, "alpha_i": 0.3},
    "sample": {"layers": [{"name": "vacuum"}, {"name": "oxide", "thickness": 20.0, "delta": 4e-6, "beta": 5e-8},
                          {"name": "silicon", "delta": 4.8857e-6, "beta": 7.391e-8}]},
    "particle": [{"shape": PRISM, "z": 0.0, "delta": 2.97e-5, "beta": 2.08e-6, "density": 1e-4, "orientation": {"euler": [10.0, 0.0, 0.0]}}],
    "detector": {"pixels": [40, 48], "pixel_size": 5e-3, "distance": 2.0, "beam_centre": [3.0, 24.0]},
    "run": {"memory": "2GB"},  # what is free may change from one run to the next
}


def changed(experiment, **changes):
    """A copy with other values at paths of keys, whose dots are written __; without the tables that are None."""
    tables = tables_of(experiment)
    for path, value in changes.items():
        put(tables, path.replace("__", "."), value) if value is not None else tables.pop(path)
    return tables


BURIED = changed(GISAXS, particle__layer="oxide", particle__z=2.0)
AVERAGED = changed(GISAXS, particle__orientation={"average": "in-plane", "points": 12}, particle__size={"width": 0.1, "points": 3, "nsigmas": 1})
SLICES = changed(GISAXS, detector=None, grid={"qx": [0.0, 0.1], "qy": "-1:1:30", "qz": "0.1:1:30"}, beam__alpha_i=[0.3, 0.4])
OBJECTS = {
    **{key: GISAXS[key] for key in ("title", "kernel", "run")},
    "particle": [{"name": "box", "shape": {"type": "box", "size": [8, 10, 12]}}, {"name": "prism", "shape": PRISM}],
    "object": [{"particle": "box", "position": [0, 0, 0]}, {"particle": "prism", "position": [30, 5, 2], "euler": [20, 0, 0]}],
    "grid": {"qy": "-1:1:40", "qz": "0.1:1:36"},
    "output": {"amplitude": True},
}
CURVE = {
    **{key: GISAXS[key] for key in ("title", "kernel", "run")},
    "beam": {"wavelength": 0.124},
    "particle": [{"shape": {"type": "box", "size": [8, 8, 8]}, "delta": 2.97e-5, "beta": 2.08e-6, "density": 0.001,
                  "size": {"type": "lognormal", "width": 0.08, "points": 5, "nsigmas": 2}}],
    "grid": {"q": {"from": 0.1, "to": 1.5, "n": 12}},
}
SMALL_ANGLES = {
    "title": "gold in solution",
    "kernel": "born",
    "beam": {"wavelength": 0.124},
    "particle": [{"shape": PRISM, "delta": 2.97e-5, "beta": 2.08e-6, "orientation": {"euler": [10.0, 0.0, 0.0]}}],
    "detector": {"pixels": [60, 60], "pixel_size": 5e-4, "distance": 2.0, "beam_centre": [20.0, 30.0]},
    "accuracy": {"relative": 1e-6},
    "run": {"memory": "2GB", "algorithm": "direct"},
}
# An experiment, how it changes, and what is to be done for that: "rows" of amplitudes alone, "F", "mesh" and F.
STEPS = {
    "density": (GISAXS, {"particle__density": 2e-4}, "rows"),
    "material": (GISAXS, {"particle__delta": 2e-5, "particle__beta": 1e-6}, "rows"),
    "a layer below": (GISAXS, {"sample__layers__1__thickness": 25.0, "sample__layers__1__delta": 3e-6}, "rows"),
    "roughness": (GISAXS, {"sample__layers__1__roughness": 0.7}, "rows"),
    "place above the layers": (GISAXS, {"particle__z": 3.0}, "rows"),
    "place in a layer": (BURIED, {"particle__z": 5.0}, "rows"),
    "the layer around": (BURIED, {"sample__layers__1__delta": 3e-6}, "F"),
    "rotation": (GISAXS, {"particle__orientation__euler__0": 21.0}, "F"),
    "angle of incidence": (GISAXS, {"beam__alpha_i": 0.32}, "F"),
    "beam centre": (GISAXS, {"detector__beam_centre": [3.25, 24.5]}, "F"),
    "height": (GISAXS, {"particle__shape__height": 9.0}, "mesh"),
    "radius, lengths and rotation": (GISAXS, {"particle__shape__radius": 8.5, "particle__shape__height": 11.0, "particle__orientation__euler__0": 12.0}, "mesh"),
    "weights of sizes": (AVERAGED, {"particle__size__type": "uniform"}, "rows"),
    "sizes": (AVERAGED, {"particle__size__width": 0.12}, "F"),
    "images": (SLICES, {"particle__orientation__euler__0": 25.0}, "F"),
    "an object's place": (OBJECTS, {"object__1__position": [28, 5, 2]}, "rows"),
    "an object turned": (OBJECTS, {"object__1__euler": [25, 0, 0]}, "F"),
    "one of two meshes": (OBJECTS, {"particle__0__shape__size": [8, 10, 12.5]}, "mesh"),
    "density of a curve": (CURVE, {"particle__density": 0.002}, "rows"),
    "sizes of a curve": (CURVE, {"particle__size__width": 0.09}, "F"),
    "shape of a curve": (CURVE, {"particle__shape__size": [8, 8, 8.5]}, "mesh"),
}
MOVES = {"particle.shape.radius": 9.0, "particle.shape.height": 12.0, "particle.orientation.euler.0": 33.0, "particle.density": 3e-4}


def assert_same(simulation, experiment, exactly):
    """What a simulation has is what facet.run computes: bit by bit, or within what the contract of F allows of |F|^2."""
    run = facet.run(experiment)
    found = simulation.data
    assert simulation.intensity.values.dtype == np.float64
    for name, quantity in found.items():
        expected = run.data[name].values
        assert quantity.shape == expected.shape and quantity.unit in (run.data[name].unit, "")
        if name == "sasdata/Idev":  # what is measured of F in the time there is has a part in it
            assert np.allclose(quantity.values, expected, rtol=0.1, atol=1e-5 * found["sasdata/I"].values.max())
        elif exactly:
            assert quantity.values.tobytes() == expected.tobytes(), name
        else:
            largest = np.nanmax(abs(expected))
            assert np.allclose(quantity.values, expected, rtol=0, atol=4 * run.provenance["contract"] * largest, equal_nan=True), name
            assert np.nanmax(abs(quantity.values - expected)) > 0, "the decisions differ, and no bit does"
    assert list(simulation.axes) == list(run.axes)
    for name, axis in simulation.axes.items():
        assert axis.values.tobytes() == run.axes[name].values.tobytes() and axis.unit == run.axes[name].unit


@pytest.mark.parametrize("step", STEPS)
def test_what_changed_is_computed(step):
    base, changes, redone = STEPS[step]
    simulation = facet.Simulation(base)
    first = simulation.last
    assert first.planned and first.evaluations > 0 and first.reused == 0
    moved = changed(base, **changes)
    simulation.update(moved)
    last = simulation.last
    assert not last.planned
    assert last.meshes == (1 if redone == "mesh" else 0)
    assert last.evaluations == 0 if redone == "rows" else 0 < last.evaluations <= first.evaluations
    assert last.evaluations + last.reused == first.evaluations
    assert_same(simulation, moved, exactly=True)
    simulation.update(base)
    assert_same(simulation, base, exactly=True)


@pytest.mark.parametrize("run", [{"memory": "2GB"}, {"memory": "2GB", "algorithm": "direct"}], ids=["small", "planned"])
def test_after_several_updates(run):
    """The bits of the last experiment do not depend on those before it."""
    simulation = facet.Simulation(changed(GISAXS, run=run))
    for k in range(4):
        simulation.update(changes={"particle.shape.radius": 8.0 + 0.3 * k, "particle.orientation.euler.0": 10.0 * k, "sample.layers.1.thickness": 20.0 + k})
        assert np.nanmax(simulation.intensity.values) > 0
    for path, value in MOVES.items():
        simulation.update(changes={path: value})
    expected = tables_of(simulation.tables)
    assert expected["particle"][0]["shape"]["radius"] == 9.0
    assert_same(simulation, expected, exactly=True)
    assert simulation.error == pytest.approx(facet.run(expected).error, rel=1e-6)


def made_by(simulation):
    """The decision, without what is expected of it: that has no part in bits."""
    ways = json.loads(simulation.decision)
    return [{"rows": way["rows"], "parts": [part["decision"] for part in way["parts"]]} for way in ways]


@pytest.mark.parametrize("accuracy, taken", [(1e-5, "f32"), (1e-9, "f64")])
def test_a_small_scene_is_summed_as_exactly_as_asked(accuracy, taken):
    simulation = facet.Simulation(changed(GISAXS, detector__pixel_size=4e-4, detector__beam_centre=[10.0, 24.0], accuracy={"relative": accuracy}))
    assert simulation.error <= accuracy
    (way,) = made_by(simulation)
    assert [(part["algorithm"], part["class"]) for part in way["parts"]] == [("direct", taken)]


def test_another_decision_keeps_the_contract():
    """Near q = 0 sums in single precision are repaired beyond limits, which scaled from another size are not those planned for this."""
    base = {**SMALL_ANGLES, "particle": [{**SMALL_ANGLES["particle"][0], "shape": {**PRISM, "refine": 6}}]}
    moved = changed(base, particle__shape__radius=6.0)
    simulation = facet.Simulation(base)
    assert_same(simulation, base, exactly=True)
    simulation.update(moved)
    assert not simulation.last.planned
    assert made_by(simulation) != made_by(facet.Simulation(moved))
    assert_same(simulation, moved, exactly=False)
    assert simulation.error <= 1e-6


PLANNED = {
    "beyond a quarter larger": {"particle__shape__radius": 13.0},
    "far smaller": {"particle__shape__radius": 2.0, "particle__shape__height": 3.0},
    "accuracy": {"accuracy": {"relative": 1e-8}},
    "precision": {"run": {"memory": "2GB", "class": "f64"}},
    "pixels": {"detector__pixels": [40, 50]},
    "records": {"particle__shape__around": 24},
    "layer": {"particle__layer": "oxide", "particle__z": 2.0},
    "more particles": {"particle": [GISAXS["particle"][0], {**GISAXS["particle"][0], "z": 1.0}]},
    "kernel": {"kernel": "born", "particle__shape__refine": 6},
}


@pytest.mark.parametrize("what", PLANNED)
def test_planned_anew(what):
    simulation = facet.Simulation(GISAXS)
    assert simulation.last.planned
    moved = changed(GISAXS, **PLANNED[what])
    simulation.update(moved)
    assert simulation.last.planned
    assert made_by(simulation) == made_by(facet.Simulation(moved))
    assert_same(simulation, moved, exactly=True)


KERNEL = """#include <facet/dsl.h>
using namespace facet;

/// A thin shell, nm^2
struct FACET_KERNEL shell {
  using Grid = product<real, real, cplx>;
  struct Params { real sigma = 0.5; real shift = 0; };  // nm
  static cplx term(Grid::q q, const Triangle &t, const Params &p) { return t.area * cis(dot(q, t.centroid) + p.shift * t.area); }
  static cplx finish(Grid::q q, cplx sum, const Params &p) { return exp(-p.sigma * p.sigma * norm2(q) / 2) * sum; }
};
"""


@pytest.mark.parametrize("name", ["sigma", "shift"])
def test_parameters_of_the_kernel(name, tmp_path):
    (tmp_path / "shell.cpp").write_text(KERNEL)
    base = changed(GISAXS, kernel=str(tmp_path / "shell.cpp"), parameters={"sigma": 0.4})
    simulation = facet.Simulation(base)
    before = simulation.intensity.values
    moved = changed(base, **{f"parameters__{name}": 0.2})
    simulation.update(moved)
    assert not simulation.last.planned and simulation.last.evaluations > 0 and simulation.last.meshes == 0
    assert_same(simulation, moved, exactly=True)
    assert not np.array_equal(before, simulation.intensity.values, equal_nan=True)


def test_a_kernel_that_is_refused(tmp_path):
    (tmp_path / "bad.cpp").write_text("struct nonsense {")
    with pytest.raises(facet.Error, match="bad.cpp:1:[0-9]+: error"):
        _ = facet.Simulation(changed(GISAXS, kernel=str(tmp_path / "bad.cpp"))).intensity


def test_an_edited_kernel(tmp_path):
    file = tmp_path / "shell.cpp"
    file.write_text(KERNEL)
    base = changed(GISAXS, kernel=str(file), parameters={"sigma": 0.4})
    simulation = facet.Simulation(base)
    before = simulation.intensity.values
    file.write_text(KERNEL.replace("static cplx finish", "// twice as large\n  static cplx finish").replace("return ", "return 2.0 * "))
    simulation.update(copy.deepcopy(base))
    assert np.allclose(simulation.intensity.values, 16 * before, rtol=1e-4, equal_nan=True)
    assert_same(simulation, base, exactly=True)


SCATTERERS = """#include <facet/dsl.h>
using namespace facet;
struct Atom { vec3 place; real f1, f2; };
struct FACET_KERNEL scatterers {
  using Grid = points<real, real, real>;
  static cplx term(Grid::q q, const Atom &t) { return cplx(t.f1, t.f2) * cis(dot(q, t.place)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""


def test_a_curve_of_which_some_records_are_not_as_the_others(tmp_path):
    """F(-q) is no conjugate of F(q) by every other atom alone: half of the directions are not enough."""
    rng, n = np.random.default_rng(1), 200
    place = np.repeat(rng.uniform(-1, 1, (n // 2, 3)), 2, axis=0) + np.arange(n)[:, None] % 2 * [0.1, 0.2, 0.15]
    f = np.where(np.arange(n) % 2 == 0, 20, 10 + 12j)
    np.savetxt(tmp_path / "atoms.txt", np.c_[place, f.real, f.imag], header="place.x place.y place.z f1 f2")
    (tmp_path / "scatterers.cpp").write_text(SCATTERERS)
    curve = facet.Simulation({"kernel": str(tmp_path / "scatterers.cpp"), "particle": [{"mesh": str(tmp_path / "atoms.txt")}],
                              "grid": {"q": {"from": 0.5, "to": 6, "n": 5}}, "accuracy": {"relative": 1e-8}}).intensity
    apart = np.linalg.norm(place[:, None] - place, axis=2)
    debye = [(np.sinc(q * apart / np.pi) * (f[:, None] * f.conj()).real).sum() for q in np.linspace(0.5, 6, 5)]
    assert curve.values == pytest.approx(debye, rel=1e-6)


def test_a_curve_of_many_sizes_from_0():
    """q = 0 of all sizes tells nothing of what sums take and err."""
    def curve(q):
        return facet.Simulation({"kernel": "exact", "particle": [{"shape": {"type": "box", "size": [6, 9, 4]}, "size": {"type": "lognormal", "width": 0.1}}],
                                 "grid": {"q": q}, "accuracy": {"relative": 1e-8}}).intensity.values

    assert curve([0, 0.25, 0.5, 1, 2, 3]) == pytest.approx(curve([1e-7, 0.25, 0.5, 1, 2, 3]), rel=1e-5)


def test_repairs_follow_what_finish_amplifies(tmp_path):
    """What is known of a grid's amplification is of the parameters it was found with."""
    (tmp_path / "floor.cpp").write_text("""#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL floored {
  using Grid = product<real, real, real>;
  struct Params { real floor = 0; };  // nm^-2
  static cplx term(Grid::q q, const Triangle &t) { return t.area * dot(q, t.normal) * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum, const Params &p) { return -i * sum / (norm2(q) + p.floor); }
};
""")
    particle = {**SMALL_ANGLES["particle"][0], "shape": {**PRISM, "refine": 6}}
    base = changed(SMALL_ANGLES, kernel=str(tmp_path / "floor.cpp"), particle=[particle])
    simulation = facet.Simulation(base)
    first = simulation.intensity.values
    assert made_by(simulation)[0]["parts"][0]["repair"], "sums near q = 0 are good enough as they are: this tests nothing"
    for floor in (100.0, 0.0):
        simulation.update(changes={"parameters.floor": floor})
        assert simulation.last.evaluations > 0 and not simulation.last.planned
    assert simulation.intensity.values.tobytes() == first.tobytes()


def test_a_kept_decision_that_misses_the_contract(tmp_path, monkeypatch):
    """With phases of many turns sums in single precision are too coarse: that is seen, and planned again. Speeds are fixed: those of a
    busy machine may choose otherwise."""
    shutil.copy(Path(__file__).parents[1] / "unit/run/planner/machine.toml", tmp_path)
    monkeypatch.setenv("FACET_PROFILE", str(tmp_path / "machine.toml"))
    (tmp_path / "shell.cpp").write_text(KERNEL.replace("p.shift * t.area", "p.shift * q.y * t.area"))
    base = changed(GISAXS, kernel=str(tmp_path / "shell.cpp"), run={"memory": "2GB", "algorithm": "direct"})
    simulation = facet.Simulation(base)
    assert made_by(simulation)[0]["parts"][0]["class"] == "f32"
    moved = changed(base, parameters={"shift": 1e4})
    simulation.update(moved)
    assert simulation.last.planned and simulation.error <= 1e-5
    assert made_by(simulation)[0]["parts"][0]["class"] != "f32"
    assert_same(simulation, moved, exactly=True)


def test_nothing_changed_nothing_is_computed():
    simulation = facet.Simulation(GISAXS)
    before = simulation.intensity.values
    last = simulation.last
    assert simulation.intensity.values.tobytes() == before.tobytes() and simulation.last.seconds == last.seconds
    simulation.update(copy.deepcopy(GISAXS))
    assert simulation.last.evaluations == 0 and simulation.last.meshes == 0


def test_files(tmp_path):
    """Relative paths are seen from the experiment's folder; a mesh that was written anew is read again."""
    facet.Mesh.shape("box", size=[8, 9, 10]).write(tmp_path / "box.stl")
    text = facet.Simulation(changed(GISAXS, particle__shape={"type": "box"})).experiment
    lines = [line if not line.startswith("shape") else 'mesh = "box.stl"' for line in text.splitlines()]
    (tmp_path / "e.toml").write_text("\n".join(lines))
    simulation = facet.Simulation(tmp_path / "e.toml")
    before = simulation.intensity.values
    simulation.update(changes={"particle.density": 2e-4})
    assert simulation.last.meshes == 0 and np.allclose(simulation.intensity.values, 2 * before, rtol=1e-12, equal_nan=True)
    facet.Mesh.shape("box", size=[8, 9, 12.5]).write(tmp_path / "box.stl")
    simulation.update(changes={"particle.density": 1e-4})
    assert simulation.last.meshes == 1
    assert_same(simulation, tmp_path / "e.toml", exactly=True)


BAD = {
    "an unknown key": ({"particle__shape__radios": 3.0}, "radios"),
    "a key of another type": ({"beam__alpha_i": "steep"}, "alpha_i"),
    "a size below 0": ({"particle__shape__radius": -1.0}, "radius"),
    "no image": ({"sample": None, "beam": None, "detector": None, "grid": {"qy": "0:1:4"}, "particle": [{"shape": PRISM}]}, "no image to simulate"),
    "behind the sample": ({"detector__beam_centre": [50.0, 24.0]}, "behind the sample"),
}


@pytest.mark.parametrize("case", BAD)
def test_refused(case):
    changes, words = BAD[case]
    bad = changed(GISAXS, **changes)
    with pytest.raises(facet.Error, match=words) as caught:
        facet.Simulation(bad)
    assert caught.value.exit == 1
    if case != "no image":
        with pytest.raises(facet.Error) as run:
            facet.run(bad)
        assert str(run.value) == str(caught.value)
    simulation = facet.Simulation(GISAXS)
    with pytest.raises(facet.Error, match=words):
        simulation.update(bad)
    assert_same(simulation, GISAXS, exactly=True)
    assert simulation.tables == tables_of(GISAXS)


def test_what_toml_has_not_is_refused_by_its_key():
    simulation = facet.Simulation(GISAXS)
    with pytest.raises(facet.Error, match="particle.shape.radius: is NoneType"):
        simulation.update(changes={"particle.shape.radius": None})
    assert simulation.tables == tables_of(GISAXS)


def test_parameters_that_are_not_the_kernels():
    simulation = facet.Simulation(GISAXS)
    simulation.update(changed(GISAXS, parameters={"sigma": 3.0}))
    with pytest.raises(facet.Error, match="sigma"):
        simulation.intensity
    simulation.update(GISAXS)
    assert np.nanmax(simulation.intensity.values) > 0


def test_contract():
    with pytest.raises(facet.Error, match="measured error is .* asked for") as caught:
        facet.Simulation(changed(GISAXS, run={"memory": "2GB", "class": "f32"}, accuracy={"relative": 1e-9})).intensity
    assert caught.value.exit == 3


PATHS = {
    "": "is no path", "particle..density": "is no path", "particle.3.density": "list of 1", "sample.layers.delta": "list of 3",
    "title.of": "no table",
}


@pytest.mark.parametrize("path", PATHS)
def test_paths(path):
    with pytest.raises(facet.Error, match=PATHS[path]):
        put(tables_of(GISAXS), path, 1.0)


def large(progress=False):
    shape = {"type": "sphere", "radius": 8.0, "n": 20}
    pixels = {"pixels": [200, 200], "pixel_size": 1e-3, "distance": 2.0, "beam_centre": [3.0, 100.0]}
    run = {"memory": "2GB", "algorithm": "direct", "class": "f64", "threads": 1}
    return facet.Simulation(changed(GISAXS, particle__shape=shape, detector=pixels, run=run), progress=progress)


def test_ctrl_c():
    simulation = facet.Simulation(GISAXS)
    expected = simulation.intensity.values
    slow = large()

    def stopped(*_):
        raise KeyboardInterrupt

    def heard(done, total):
        signal.setitimer(signal.ITIMER_REAL, 0.001)

    slow._progress = heard  # its plan is made: it computes
    before = signal.signal(signal.SIGALRM, stopped)
    try:
        with pytest.raises(KeyboardInterrupt):
            slow.intensity
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    slow._progress = False
    slow.update(GISAXS)
    assert slow.intensity.values.tobytes() == expected.tobytes()


def test_progress_and_errors_in_it():
    told = []

    def heard(done, total):
        told.append((done, total))
        raise InterruptedError("enough")

    slow = large(heard)
    with pytest.raises(InterruptedError):
        slow.intensity
    assert len(told) == 1 and 0 <= told[0][0] < told[0][1]


def test_threads():
    """Two simulations compute at once, and two users of one wait for each other."""
    base = changed(GISAXS, run={"memory": "2GB", "threads": 1})
    expected = [facet.Simulation(changed(base, particle__shape__radius=8.0 + k)).intensity.values for k in range(3)]
    shared = facet.Simulation(base)

    def use(k):
        simulation = shared if k >= 3 else facet.Simulation(base)
        if k < 3:
            simulation.update(changes={"particle.shape.radius": 8.0 + k})
        return simulation.intensity.values.tobytes()

    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(use, range(5)))
    assert found == [values.tobytes() for values in expected] + [expected[0].tobytes()] * 2


def test_pickled_and_shown():
    simulation = facet.Simulation(changed(OBJECTS, particle__0__shape__size=[8, 8, 8]))
    again = pickle.loads(pickle.dumps(simulation))
    assert again.F.values.tobytes() == simulation.F.values.tobytes() and again.F.values.dtype == np.complex128
    assert "gold on silicon" in repr(again) and again.tables == simulation.tables
    with pytest.raises(facet.Error, match="no amplitude"):
        facet.Simulation(GISAXS).F
    decision = json.loads(simulation.decision)
    assert len(decision) == 1 and len(decision[0]["parts"]) == 2


def test_images():
    simulation = facet.Simulation(SLICES)
    assert len(simulation.images) == 4 and list(simulation.data) == ["image_1_qx_1/I", "image_1_qx_2/I", "image_2_qx_1/I", "image_2_qx_2/I"]
    assert math.isnan(simulation.images[2].values[0, 0]) and list(simulation.axes) == ["qz", "qy"]


@pytest.mark.skipif(os.environ.get("FACET_TEST_WITHOUT_OPENCL") == "1", reason="OpenCL is to be left out")
def test_threads_beside_a_device():
    """One of them asks the device: two at once got each other's sums, or waited for ever."""
    image = changed(GISAXS, run={"threads": 2, "algorithm": "direct", "target": "sse41"}, accuracy={"relative": 1e-6})
    expected = facet.Simulation(image).intensity.values
    found = facet.Simulation(changed(image, run__target="opencl"))
    assert np.allclose(found.intensity.values, expected, rtol=0, atol=1e-5 * np.nanmax(expected), equal_nan=True)
    weights = np.where(np.isfinite(expected), 1 / np.nanmax(expected), 0)
    slopes = [of.gradient(weights).corners[0] for of in (facet.Simulation(image), found)]
    assert np.abs(slopes[1] - slopes[0]).max() <= 1e-5 * np.abs(slopes[0]).max()


def test_too_few_sizes_are_said():
    few = changed(CURVE, particle__size={"type": "lognormal", "width": 0.1, "points": 3})
    with pytest.warns(UserWarning, match="3 sizes of a lognormal distribution to 8 sigma: .*\n  help: take 12 points or more"):
        facet.Simulation(few)


@pytest.mark.parametrize("experiment, said", [
    (changed(GISAXS, beam={"energy": 11.0, "alpha_i": 0.3}), "the wavelength is 112.7 nm, .*\n  help: wavelength is in nm, energy in eV"),
    (changed(GISAXS, beam__alpha_i=0.003), "alpha_i is 0.003 degrees\n  help: it is in degrees"),
    (changed(GISAXS, detector__pixel_size=5.0), "a pixel of the detector is 5 m large"),
    (changed(GISAXS, particle__delta=0.297), "particle: delta is 0.297\n  help: n = 1 - delta"),
    (changed(GISAXS, sample__layers__1__delta=0.0201), "layer 'oxide': delta is 0.0201\n"),
    (changed(CURVE, particle__size={"type": "lognormal", "width": 1.5, "points": 80}), "the width of size is 1.5\n  help: it is a fraction"),
    (changed(GISAXS, particle__columns={"densty": 1.0}), "column 'densty' is given, and kernel exact does not read it"),
    (changed(OBJECTS, grid={"qy": "-1:1:17", "qz": "0.1:1:36"}, particle=[OBJECTS["particle"][0]], object=[{"particle": "box", "position": [0, 0, 0]}],
             particle__shape__size=[8, 100, 12]), "steps of q.y are .* fringes of .*: what is between the values is lost"),
    (changed(SMALL_ANGLES, run={"algorithm": "direct"}), "the kernel takes each triangle for a point, its centroid"),
], ids=["wavelength", "angle", "pixel", "delta", "delta of a layer", "width", "column", "fringes", "rule"])
def test_slips_are_said_as_facet_run_says_them(experiment, said, tmp_path):
    """At the line that asked; once, not with each change of a number."""
    with pytest.warns(UserWarning, match=said) as simulated:
        simulation = facet.Simulation(experiment)
        simulation.intensity
    with pytest.warns(UserWarning, match=said):
        facet.run(experiment)
    assert {os.path.basename(warning.filename) for warning in simulated} == {"test_simulation.py"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.update(changes={"title": "the same"})
        simulation.intensity


def test_a_mesh_that_is_replaced_is_read(tmp_path):
    """With the size and the time of the one before, as copies that keep times have them."""
    mesh = tmp_path / "box.stl"
    facet.Mesh.box(8.0).write(mesh)
    time = os.stat(mesh).st_mtime_ns
    simulation = facet.Simulation({"kernel": "exact", "particle": {"mesh": str(mesh)}, "grid": {"q": [0.1, 0.2]}})
    before = simulation.intensity.values
    facet.Mesh.box(9.0).write(mesh)
    os.utime(mesh, ns=(time, time))
    simulation.update()
    assert simulation.intensity.values[0] > 1.5 * before[0]


def test_a_mesh_that_is_open_is_said(tmp_path):
    half = tmp_path / "half.stl"
    facet.Mesh(facet.Mesh.sphere(10).triangles[:100]).write(half)
    experiment = {"kernel": "exact", "particle": {"mesh": str(half)}, "grid": {"q": [0.1, 0.2]}}
    with pytest.warns(UserWarning, match="half.stl: the mesh is open .*\n  help: close the mesh"):
        simulation = facet.Simulation(experiment)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.update(changes={"grid.q": [0.1, 0.3]})  # the same mesh


def test_objects_far_apart_are_on_no_small_angle_grid():
    """What one of them alone would allow leaves phases between them."""
    images = {}
    for form in ("auto", "points"):
        images[form] = facet.Simulation({
            "kernel": "born", "beam": {"wavelength": 0.124}, "particle": {"shape": {"type": "box", "size": [2.0, 2.0, 2.0]}, "delta": 1e-5, "beta": 0.0},
            "object": [{"position": [0.0, 0.0, 1.0]}, {"position": [1000.0, 2000.0, 1.0]}, {"position": [-3000.0, 100.0, 1.0]}],
            "detector": {"pixels": [20, 30], "pixel_size": 1e-3, "distance": 4.0, "beam_centre": [-2.0, 15.0], "form": form},
            "accuracy": {"relative": 1e-2}}).intensity.values
    assert np.abs(images["auto"] - images["points"]).max() < 0.02 * images["points"].max()


def test_intensities_are_those_of_q_however_the_grid_is_written():
    """Where absorption differs I(-q) is not I(q): with a beam F is at k_i - k_f on a grid of q, too."""
    objects = {
        "kernel": "exact", "beam": {"wavelength": 0.13},
        "particle": [{"name": "a", "shape": {"type": "box", "size": [3.0, 4.0, 5.0]}, "delta": 1e-5, "beta": 9e-6},
                     {"name": "b", "shape": {"type": "box", "size": [5.0, 4.0, 5.0]}, "delta": 3e-5, "beta": 0.0}],
        "object": [{"particle": "a", "position": [0.0, 0.0, 0.0]}, {"particle": "b", "position": [0.0, 7.0, 3.0]}],
        "accuracy": {"relative": 1e-9}, "run": {"class": "f64"}}
    alpha, phi = np.radians([0.3, 0.5, 1.0]), np.radians([-0.5, 0.2])
    a, p = np.meshgrid(alpha, phi, indexing="ij")
    k = 2 * np.pi / 0.13
    q = k * np.stack([np.cos(a) * np.cos(p) - 1, np.cos(a) * np.sin(p), np.sin(a)], axis=-1)

    def box(size, place):  # its centre at `place`
        arguments = -q * np.array(size) / 2
        return np.prod(size) * np.prod(np.sinc(arguments / np.pi), axis=-1) * np.exp(-1j * q @ np.array(place))

    n2 = [(1 - delta + 1j * beta) ** 2 - 1 for delta, beta in ((1e-5, 9e-6), (3e-5, 0))]
    expected = abs(k ** 2 / (4 * np.pi) * (n2[0] * box((3, 4, 5), (0, 0, 0)) + n2[1] * box((5, 4, 5), (0, 7, 3)))) ** 2
    by_angles = facet.Simulation({**objects, "grid": {"alpha_f": [0.3, 0.5, 1.0], "phi_f": [-0.5, 0.2]}}).intensity.values
    assert np.allclose(by_angles, expected, rtol=1e-7)
    one = facet.Simulation({**objects, "grid": {"qx": q[0, 0, 0], "qy": [q[0, 0, 1], 0.1], "qz": [q[0, 0, 2], 0.2]}}).intensity.values
    assert one[0, 0] == pytest.approx(expected[0, 0], rel=1e-7)


def test_angles_are_real():
    with pytest.raises(facet.Error, match="alpha_f is complex: angles are real"):
        facet.Simulation({"kernel": "born", "beam": {"wavelength": 0.1, "alpha_i": 0.3}, "sample": {"layers": [{}, {"delta": 7e-6, "beta": 1e-7}]},
                          "particle": {"shape": {"type": "box", "size": [2.0, 2.0, 2.0]}, "delta": 1e-5, "beta": 0.0, "density": 1e-4},
                          "grid": {"alpha_f": "0.05:1:5+0.1i", "phi_f": "-1:1:4"}}).intensity


def test_a_volume_fraction_is_at_most_1():
    with pytest.raises(facet.Error, match="a volume fraction is at most 1"):
        facet.Simulation({"kernel": "born", "beam": {"wavelength": 0.1}, "grid": {"qy": "-1:1:5", "qz": "-1:1:4"},
                          "particle": {"shape": {"type": "box", "size": [2.0, 2.0, 2.0]}, "delta": 1e-5, "beta": 0.0, "density": 1.5}})
