"""Densities of orientations as tables and functions; their pictures; rods in transmission."""
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import tomli_w

import facet

ROOT = Path(__file__).resolve().parents[2]
KAPPA = 3.0
ROD = {"shape": {"type": "box", "size": [2.0, 3.0, 9.0]}, "delta": 1e-5, "density": 0.01}


def experiment(orientation, **changes):
    return {"kernel": "exact", "beam": {"wavelength": 0.2}, "accuracy": {"relative": 1e-7}, "run": {"threads": 1}, "output": {"picture": "none"},
            "particle": [ROD | {"orientation": orientation}],
            "detector": {"pixels": [5, 6], "pixel_size": 0.009, "distance": 0.3, "beam_centre": [2.5, 3.0]}} | changes


def seen(orientation):
    return facet.Simulation(experiment(orientation)).intensity.values


def saupe(theta):
    return np.exp(KAPPA * (np.cos(np.radians(theta)) ** 2 - 1))


def table(step, **more):
    theta = np.arange(0, 180.001, step)
    return {"average": "table", "theta": theta.tolist(), "density": saupe(theta).tolist()} | more


@pytest.mark.parametrize("director", [None, [0.0, 1.0, 0.3]])
def test_a_table_of_a_density_is_that_density_to_its_steps(director):
    """h^2 / 8 of the largest second derivative, over the mean density, bounds the error of I, which is 1 at most."""
    about = {} if director is None else {"director": director}
    wanted = seen({"average": "maier-saupe", "kappa": KAPPA} | about)
    mean = np.trapezoid(saupe(t := np.linspace(0, 180, 9001)) * np.sin(np.radians(t)), np.radians(t)) / 2 if hasattr(np, "trapezoid") else \
        np.trapz(saupe(t := np.linspace(0, 180, 9001)) * np.sin(np.radians(t)), np.radians(t)) / 2
    off = [abs(seen(table(step) | about) - wanted).max() / wanted.max() for step in (6, 3)]
    assert off[1] < np.radians(3) ** 2 / 8 * 2 * KAPPA / mean
    assert off[0] / off[1] == pytest.approx(4, rel=0.1)
    halves = {"theta": np.arange(0, 91, 3.0).tolist(), "density": saupe(np.arange(0, 91, 3.0)).tolist()}
    np.testing.assert_allclose(seen(table(3) | about | halves), seen(table(3) | about), rtol=1e-7)


def test_a_flat_table_is_all_orientations():
    np.testing.assert_allclose(seen({"average": "table", "theta": [0, 180], "density": [7, 7]}), seen("full"), rtol=1e-7)


def test_files_are_lists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    theta, phi = [0.0, 40.0, 180.0], [0.0, 100.0, 200.0]
    density = np.array([[1, 1, 1], [2, 0.5, 3], [0, 0, 0]], float)
    wanted = seen({"average": "table", "points": 8, "theta": theta, "phi": phi, "density": density.ravel().tolist()})
    rows = [(t, p, density[i, k]) for i, t in enumerate(theta) for k, p in enumerate(phi)]
    np.savetxt("a.txt", rows)
    np.savetxt("b.csv", [(c, a, b) for a, b, c in rows], header="density,theta,phi", delimiter=",", comments="")
    np.savetxt("c.txt", [(b, a, c) for a, b, c in rows], header="phi theta density")
    for name in ("a.txt", "b.csv", "c.txt"):
        assert np.array_equal(seen({"average": "table", "points": 8, "file": name}), wanted), name
    np.savetxt("d.txt", np.column_stack([theta, density[:, 0]]))
    assert np.array_equal(seen({"average": "table", "file": "d.txt"}), seen({"average": "table", "theta": theta, "density": density[:, 0].tolist()}))


@pytest.mark.parametrize("text, what", [
    ("0 1 2 3\n", "a.txt: has 4 columns"), ("theta weight\n0 1\n180 1\n", "unknown column 'weight'"), ("# theta weight\n0 1\n180 1\n", "unknown column 'weight'"),
    ("theta phi\n0 1\n180 1\n", "no column 'density'"), ("0 1\n90 1\n80 1\n180 1\n", "theta of the table do not ascend: number 3 is 80"),
    ("0 0 1\n0 90 1\n180 0 1\n180 80 1\n", "row 4 has theta 180, phi 80 where 180, 90 is expected"), ("0 1\n120 1\n", "theta go from 0 to 120"),
    ("0 1\n180 -1\n", "density 2 of the table is -1"), ("0 0\n180 0\n", "all densities of the table are 0"), ("0 1\n180 x\n", "'x' is not a number"),
])
def test_what_files_refuse(text, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(text)
    with pytest.raises(facet.Error, match=what):
        facet.Simulation(experiment({"average": "table", "file": "a.txt"}))


@pytest.mark.parametrize("how, what", [
    ({"average": "table"}, "a table needs its density, and nothing else has one"), ({"average": "full", "theta": [0, 180]}, "a table needs its density"),
    ({"average": "table", "theta": [0, 180], "density": [1, 2, 3]}, "2 theta and 1 phi has 3 densities, not 2"),
    ({"average": "table", "theta": [0, 180], "density": [1, 2], "kappa": 1.0}, "need their kappa"),
    ({"average": "table", "file": "a.txt", "theta": [0, 180]}, "a table is in a file or in theta, phi and density"),
    ({"average": "table", "theta": [0, 180], "densty": [1, 2]}, "did you mean 'density'"), ({"average": "table", "file": "no.txt"}, "no.txt: cannot read this file"),
    ({"average": "table", "density": lambda u: 1.0}, r"gives the shape \(\) for"), ({"average": "table", "density": lambda u: -u[:, 2]}, "density .* of the table is -"),
    ({"average": "table", "theta": [[0, 180]], "density": lambda u: u[:, 2]}, "theta and phi are lists of degrees"),
])
def test_what_is_refused(how, what):
    with pytest.raises(facet.Error, match=what):
        facet.Simulation(experiment(how))


def test_functions(tmp_path):
    """They take unit vectors: what does not depend on phi is a table of theta; another about y is that about its director."""
    made = facet.Simulation(experiment({"average": "table", "density": lambda u: np.exp(KAPPA * (u[:, 2] ** 2 - 1))}))
    wanted = seen({"average": "maier-saupe", "kappa": KAPPA})
    assert abs(made.intensity.values - wanted).max() < 1e-3 * wanted.max()
    assert "phi" not in made.tables["particle"][0]["orientation"] and len(made.tables["particle"][0]["orientation"]["theta"]) == 181

    def aside(u):
        return np.exp(KAPPA * (u[:, 1] ** 2 - 1))

    about_y = seen({"average": "maier-saupe", "kappa": KAPPA, "director": [0, 1, 0]})
    theta, phi = np.arange(0, 181, 5), np.arange(0, 360, 10)
    with pytest.warns(match="lines between its values are off by 2.6% of the largest"):
        result = facet.run(experiment({"average": "table", "density": aside, "theta": theta, "phi": phi}), tmp_path / "a.h5").intensity.values
    assert abs(result - about_y).max() < 0.01 * about_y.max()


def test_the_half_order_is_off_by_more_than_the_set():
    """A table with phi, beside four times the angles: the stated error holds the difference."""
    how = {"average": "table", "theta": [0, 50, 180], "phi": [0, 90, 200], "density": [1, 1, 1, 3, 0, 1, 0, 0, 0]}
    some, many = (facet.Simulation(experiment(how | points)) for points in ({"points": 14}, {"points": 48}))
    a, b = some.intensity.values, many.intensity.values
    assert abs(a - b).max() <= 1.1 * some.data["image/I_errors"].values.max() and abs(a - b).max() < 2e-3 * b.max()


def test_derivatives_are_by_other_keys():
    simulation = facet.Simulation(experiment(table(10)))
    slope = simulation.slopes(["particle.delta"])["particle.delta"][0]
    np.testing.assert_allclose(slope, 2 * simulation.intensity.values / 1e-5, rtol=1e-4)
    for key in ("particle.orientation.density.0", "particle.orientation.kappa"):
        with pytest.raises(facet.Error, match=key.rsplit(".", 1)[0]):
            simulation.slopes([key])


def test_a_stopped_run_does_not_go_on_with_another_table(tmp_path, command):
    """A result has its numbers, wherever they were read from; ranks and units change no bit."""
    (tmp_path / "density.txt").write_text("0 1\n60 0.2\n180 0\n")
    (tmp_path / "a.toml").write_text(tomli_w.dumps(experiment({"average": "table", "file": "density.txt"})))
    command("run", "a.toml", "-o", "a.h5", "--cut", "2,0,0")
    command("run", "a.toml", "-o", "b.h5", "--threads", "2")
    (tmp_path / "density.txt").unlink()
    with h5py.File(tmp_path / "a.h5") as a, h5py.File(tmp_path / "b.h5") as b:
        np.testing.assert_allclose(a["entry/image/I"][...], b["entry/image/I"][...], rtol=1e-6)
        text = a["entry/process/experiment"][()].decode()
    assert "density = [1" in text and np.array_equal(facet.Simulation(text).intensity.values.shape, (5, 6))
    (tmp_path / "density.txt").write_text("0 1\n60 0.3\n180 0\n")
    import subprocess
    from conftest import BUILD
    done = subprocess.run([BUILD / "bin/facet", "run", "a.toml", "-o", "a.h5", "--resume"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "is finished" not in done.stdout and "another experiment" in done.stderr, done.stderr


DENSITIES = [{"average": "tilt", "sigma": 15.0}, {"average": "maier-saupe", "kappa": 5.0, "director": [1, 1, 0.5]},
             {"average": "von-mises-fisher", "kappa": 4.0}, {"average": "cyclic-gaussian", "sigma": 20.0, "director": [0, 1, 1]}, table(5)]


@pytest.mark.parametrize("how", DENSITIES, ids=lambda how: how["average"])
def test_pictures_of_every_density(how, tmp_path, command):
    (tmp_path / "a.toml").write_text(tomli_w.dumps(experiment(how)))
    command("run", "a.toml", "-o", "a.h5")
    said = command("plot", "a.h5", "-o", "b.png", "--group", "orientation")
    assert said == "b_orientation.png\n" and not (tmp_path / "b.png").exists()
    assert command("plot", "a.h5", "-o", "c.svg").splitlines() == ["c.svg", "c_orientation.svg"]
    text = (tmp_path / "c_orientation.svg").read_text()
    assert "<svg" in text and (tmp_path / "b_orientation.png").stat().st_size > 5000


def test_rods_scatter_across_their_director(tmp_path, command):
    """The example, beside a sum over the density in NumPy of the closed form of a cylinder: 3% of the largest of a ring; the mesh has 16 sides."""
    from scipy.special import j1
    command("run", str(ROOT / "examples/oriented_rods/experiment.toml"), "-o", "rods.h5", "--picture", "none")
    with h5py.File(tmp_path / "rods.h5") as file:
        image = file["entry/image"]
        made = image["I"][...]
        q = np.array([image[name][...] for name in ("qx", "qy", "qz")])
    along, across = made[30, 45], made[45, 30]
    assert across > 30 * along
    x, w = np.polynomial.legendre.leggauss(120)
    phi = 2 * np.pi * (np.arange(240) + 0.5) / 240
    r = np.sqrt(1 - x * x)
    u = np.array([np.outer(r, np.cos(phi)), np.outer(x, np.ones(240)), np.outer(r, np.sin(phi))]).reshape(3, -1)
    weight = np.repeat(w * np.exp(8 * (x * x - 1)), 240)
    weight /= weight.sum()
    area = 8 * 4 * np.sin(np.pi / 8)
    k = 2 * np.pi / 0.1
    factor = 1e7 * 0.01 * (k**2 / (4 * np.pi) * (1 - (1 - 1e-5) ** 2)) ** 2 * area * 14
    for row, column in [(30, 45), (45, 30), (38, 38), (30, 56), (56, 30), (50, 35)]:
        at = q[:, row, column]
        cosine = at @ u
        side = 2 * np.sqrt(np.maximum(at @ at - cosine**2, 1e-18)) * np.sqrt(area / (4 * np.pi))
        wanted = factor * (weight @ (2 * j1(side) / side * np.sinc(7 * cosine / np.pi)) ** 2)
        ring = made[abs(np.sqrt((q**2).sum(axis=0)) - np.sqrt(at @ at)) < 0.02].max()
        assert made[row, column] == pytest.approx(wanted, abs=0.03 * ring), (row, column)
