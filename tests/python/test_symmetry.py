"""Averages by the point group of a mesh: the same as of all orientations, many times cheaper; not where a derivative breaks it."""
import re
import resource

import h5py
import numpy as np
import pytest

import facet

CUBE = {"shape": {"type": "box", "size": [8.0, 8.0, 8.0]}, "delta": 2.97e-5, "beta": 2.08e-6, "layer": "film", "z": 10.0}
FILM = {"layers": [{}, {"name": "film", "thickness": 40.0, "delta": 2e-6, "beta": 2e-9}, {"delta": 4.8857e-6, "beta": 7.391e-8}]}
ORDER = 46  # angles of a turn that averages of this cube take


def experiment(orientation, qy=5, qz=4, **particle):
    return {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": 0.3}, "sample": FILM, "run": {"threads": 1}, "output": {"picture": "none"},
            "particle": [{**CUBE, "orientation": orientation, **particle}],
            "grid": {"qy": {"from": -1.0, "to": 1.0, "n": qy}, "qz": {"from": 0.3, "to": 1.2, "n": qz}}}


def in_transmission(made):
    particle = {key: made["particle"][0][key] for key in ("shape", "orientation")}
    return {**{key: made[key] for key in made if key not in ("beam", "sample")}, "particle": [particle]}


def curve(**grid):
    return {"kernel": "exact", "particle": [{"shape": {"type": "box", "size": [8.0, 8.0, 8.0], "n": 12}}], "run": {"threads": 1, "algorithm": "direct"}, "output": {"picture": "none"},
            "grid": {"q": {"from": 0.05, "to": 6.0, "n": 600, "scale": "log"}, **grid}}


def ran(command, folder, name, of):
    """(I, its errors, what it said, CPU seconds)"""
    (folder / f"{name}.toml").write_text(facet.Simulation(of).experiment)

    def cpu():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = cpu()
    said = command("run", f"{name}.toml", "--output", f"{name}.h5", "--overwrite")
    took = cpu() - before
    with h5py.File(folder / f"{name}.h5") as file:
        data = file["entry/sasdata"]
        return data["I"][()], data["Idev"][()], said, took


def test_an_image_of_cubes(tmp_path, command):
    """All orientations of a cube: 24 rotations, and rules that need fewer directions for these."""
    few, errors, said, short = ran(command, tmp_path, "few", experiment({"average": "full"}, 31, 25))
    whole, _, all_said, long = ran(command, tmp_path, "whole", experiment({"average": "full", "points": ORDER}, 31, 25))
    assert "point group box: O, 24 rotations\n" in said and "point group" not in all_said
    counted = [int(re.search(r"average +(\d+) orientations", text)[1]) for text in (said, all_said)]
    assert counted[0] * 36 < counted[1] and short * 15 < long
    assert abs(few - whole).max() < 0.5 * errors.max() < 2e-3 * whole.max()


def test_a_curve_of_cubes(tmp_path, command):
    few, errors, said, short = ran(command, tmp_path, "few", curve(directions="symmetry"))
    whole, other, all_said, long = ran(command, tmp_path, "whole", curve())
    assert "point group box: O, 24 rotations\n" in said
    counted = [int(re.search(r"to (\d+) directions", text)[1]) for text in (said, all_said)]
    assert counted[0] * 24 < counted[1] and short * 8 < long
    assert (abs(few - whole) <= errors + other).all() and (abs(few - whole) < 1e-4 * whole).all()


TURNED = {"type": "frustum", "sides": 5, "radius": 5.0, "top": 3.0, "height": 6.0}


@pytest.mark.parametrize("orientation", [{"average": "in-plane"}, {"average": "tilt", "sigma": 4.0}, {"average": "full"}])
@pytest.mark.parametrize("shape", [CUBE["shape"], TURNED, {"type": "box", "size": [4.0, 5.0, 6.0]}], ids=["O", "C5", "D2"])
def test_images(orientation, shape):
    """In transmission nothing has a height, so that all averages are exact."""
    made = in_transmission(experiment(orientation, shape=shape))
    few = facet.Simulation(made).intensity.values
    made["particle"][0]["orientation"] = {**orientation, "points": 60}
    whole = facet.Simulation(made).intensity.values
    assert abs(few - whole).max() < 3e-6 * whole.max() and not np.array_equal(few, whole)


@pytest.mark.parametrize("keys", [["particle.shape.size"], ["particle.orientation.euler"], ["particle.z", "particle.delta"]])
def test_derivatives(keys):
    """By a length of one side, and by a turn, the cube is none any more: all orientations are taken. Others keep the group."""
    how = {"average": "in-plane", "euler": [10.0, 0.0, 0.0]}
    both = [experiment(how), experiment({**how, "points": 60})]
    if "euler" in keys[0]:  # where it lies flat on something, its height has a kink
        both = [in_transmission(one) for one in both]
    simulations = [facet.Simulation(one) for one in both]
    found, wanted = (simulation.slopes(keys) for simulation in simulations)
    few, whole = (simulation.intensity.values for simulation in simulations)
    assert abs(few - whole).max() < 1e-4 * whole.max()
    for key in keys:
        a, b = found[key][0], wanted[key][0]
        if "euler" in key:  # of all orientations it is 0, of a part it is not
            assert max(abs(a).max(), abs(b).max()) < 1e-8 * whole.max()
        else:
            assert abs(a - b).max() < 1e-4 * abs(b).max() and abs(b).max() > 0


def test_a_fit_takes_all_directions():
    """Its mesh changes from step to step."""
    mesh = facet.Mesh.box([4.0, 4.0, 4.0])
    with pytest.raises(facet.Error, match="unknown 'symmetry'"):
        facet.fit.CurveModel("exact", np.array([0.5]), mesh, directions="symmetry")


def test_a_column_that_turns_is_no_symmetry(tmp_path):
    """In-plane averages of a box with an axis that lies askew take all angles: those of its outline alone would be others."""
    tables = {"kernel": "resonant", "beam": {"wavelength": 0.2}, "accuracy": {"relative": 1e-8}, "output": {"picture": "none"},
              "parameters": {"along": [0.1, 0.02], "across": [0.03, 0.0], "in": [0, 1, 0], "out": [0, 1, 0]},
              "grid": {"qy": "-1:1:8", "qz": "-1:1:7"}}
    box = {"shape": {"type": "box", "size": [4, 4, 3]}, "columns": {"axis.x": 0.6, "axis.y": 0.0, "axis.z": 0.8}}
    made = [facet.run(tables | {"particle": [box | {"orientation": how}]}, tmp_path / f"{k}.h5").intensity.values
            for k, how in enumerate(("in-plane", {"average": "in-plane", "points": 64}))]
    np.testing.assert_allclose(*made, atol=1e-6 * made[1].max())
