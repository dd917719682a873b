"""Absolute numbers of meshes: volume, centroid, radius of gyration, I at q = 0, Porod's constant."""
import re
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import facet

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "property"))
from absolute_in_numpy import absolute  # noqa: E402

SIZE, AT = np.array([20.0, 30.0, 10.0]), np.array([5.0, -70.0, 300.0])


def box(at=(0, 0, 0), size=SIZE):
    return facet.Mesh.box(list(size)).triangles + np.array(at)


def test_a_box_to_rounding():
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    for corners in (box(AT), (box() @ (turn * np.linalg.det(turn)).T) + AT):
        found = facet.Mesh(corners).report
        np.testing.assert_allclose(found.centroid, AT, rtol=1e-13)
        wanted = [np.sqrt((SIZE**2).sum() / 12), 6000.0**2, 2 * np.pi * 2200]
        np.testing.assert_allclose([found.radius_of_gyration, found.forward_intensity, found.porod_constant], wanted, rtol=1e-12)


def test_spheres_go_to_that_of_the_radius():
    """The error falls as the triangles' area."""
    off = [facet.Mesh.sphere(10, n=n).report.radius_of_gyration / (10 * np.sqrt(0.6)) - 1 for n in (10, 20, 40)]
    assert abs(off[2]) < 1e-3 and off[0] / off[1] == pytest.approx(4, rel=0.05) and off[1] / off[2] == pytest.approx(4, rel=0.05)


@pytest.mark.parametrize("corners", [
    np.concatenate([box(), box([40, 3, -7], SIZE / 3)]),  # two bodies
    np.concatenate([box(), box([1, 2, 0.5], SIZE / 3)[:, ::-1]]),  # a hole
    facet.Mesh.shape("torus").triangles + AT,
    facet.Mesh.frustum(5, 10, 30).triangles], ids=["two", "hollow", "torus", "frustum"])
def test_beside_gausss_theorem(corners):
    wanted, found = absolute(corners), facet.Mesh(corners).report
    np.testing.assert_allclose(found.centroid, [wanted[f"centroid_{axis}"] for axis in "xyz"], atol=1e-11)
    for name in ("radius_of_gyration", "forward_intensity", "porod_constant"):
        assert getattr(found, name) == pytest.approx(wanted[name], rel=1e-11), name


def test_open_and_flipped_meshes_have_none():
    corners = box()
    flipped = corners.copy()
    flipped[0] = flipped[0, ::-1]
    for some in (corners[:-1], flipped):
        found = facet.Mesh(some).report
        assert (found.centroid, found.radius_of_gyration, found.forward_intensity, found.porod_constant) == (None,) * 4


def test_facets_have_no_moments(tmp_path, command):
    """Areas, normals and centroids are enough for the volume alone."""
    facet.Mesh(box()).write(tmp_path / "box.txt")
    said = command("mesh", "inspect", "box.txt")
    assert "absolute     no centroid and radius of gyration without corners, |F|^2 of the volume 3.6e+07 nm^6 at q = 0, 13823 nm^2 / q^4" in said


def curve(q, **particle):
    return {"kernel": "exact", "beam": {"wavelength": 0.124}, "particle": [{"shape": {"type": "box", "size": SIZE.tolist()}} | particle],
            "grid": {"q": list(q)}, "output": {"picture": "none"}, "accuracy": {"relative": 1e-8}}


def kept_of(made):
    with h5py.File(made.path) as file:
        return dict(file["entry/process"].attrs)


def test_guiniers_slope(tmp_path):
    """I(q) = I(0) (1 - (q Rg)^2 / 3 + ..): two small q without their fourth power, 1e-6."""
    made = facet.run(curve([2e-3, 4e-3], delta=2e-5, density=0.01), tmp_path / "a.h5")
    kept = kept_of(made)
    fall = 1 - made.intensity.values / kept["I_at_0"]
    slope = (16 * fall[0] - fall[1]) / 12 / 4e-6
    assert slope == pytest.approx(kept["radius_of_gyration"] ** 2 / 3, rel=1e-5)
    assert kept["radius_of_gyration"] == pytest.approx(np.sqrt(1400 / 12), rel=1e-12)


def test_porods_plateau(tmp_path):
    """q^4 I of boxes of many sizes, its mean over a band: within 1%."""
    q = np.linspace(2.0, 2.4, 9)
    size = {"type": "gaussian", "width": 0.2}
    made = facet.run(curve(q, delta=2e-5, density=0.01, size=size) | {"accuracy": {"relative": 1e-5}}, tmp_path / "a.h5")
    assert np.mean(q**4 * made.intensity.values) == pytest.approx(kept_of(made)["I_porod"], rel=0.01)


def test_every_report_has_them(tmp_path, command):
    words = r"absolute +centroid \(0, 0, 0\) nm, radius of gyration 10.801\d nm, \|F\|\^2 of the volume 3.6e\+07 nm\^6 at q = 0, 13823 nm\^2 / q\^4"
    for what in ("plan", "run"):
        assert re.search(words, command(what, "exact", "--shape", "box,size=20,30,10", "--qy=0:1:5", *(["-o", "a.h5"] if what == "run" else [])))
    with h5py.File(tmp_path / "a.h5") as file:
        kept = dict(file["entry/process"].attrs)
    assert {name: kept[name] for name in absolute(box())} == pytest.approx(absolute(box()), abs=1e-12)
    import tomli_w
    (tmp_path / "b.toml").write_text(tomli_w.dumps(curve([0.1], delta=2e-5)))
    for what in ("plan", "run"):
        said = command(what, "b.toml")
        assert re.search(words, said) and re.search(r"limits +box: I 2404.51 nm\^2 at q = 0, .* nm\^2 nm\^-4 / q\^4", said), said
    command("mesh", "make", "box", "size=20,30,10", "-o", "c.stl")
    assert re.search(words, command("mesh", "inspect", "c.stl"))


def test_streamed_meshes_have_them(tmp_path, command):
    """A pass over blocks of 4096 of 480,000 triangles, of which 60 MB hold a part; the file has single precision."""
    facet.Mesh(box(AT)).refined(200).write(tmp_path / "a.stl")
    task = ["born", "--mesh", "a.stl", "--unit", "nm", "--qy=0:0.1:5", "--memory", "60MB"]
    assert ", 4096 records, " in command("plan", *task)
    command("run", *task, "-o", "a.h5", "--picture", "none")
    with h5py.File(tmp_path / "a.h5") as file:
        kept = dict(file["entry/process"].attrs)
    for name, value in absolute(box(AT)).items():
        assert kept[name] == pytest.approx(value, rel=1e-6), name
