"""Images on q in and out of the sample's plane, beside the same q as a list; the missing wedge; derivatives by the angle of incidence."""
import json

import h5py
import numpy as np
import pytest

import facet
from facet import fit

K = 2 * np.pi / 0.124
IN_PLANE, OUT_OF_PLANE = np.linspace(-2.5, 2.5, 41), np.linspace(0.1, 9, 38)
BOX = {"kernel": "exact", "beam": {"wavelength": 0.124}, "accuracy": {"relative": 1e-10}, "output": {"picture": "none"},
       "particle": [{"shape": {"type": "box", "size": [4, 5, 3]}, "delta": 3e-5, "beta": 2e-6, "orientation": {"euler": [20.0, 10.0, 0.0]}}]}
ON_SILICON = {"sample": {"layers": [{}, {"delta": 4.8857e-6, "beta": 7.391e-8}]}, "beam": {"wavelength": 0.124, "alpha_i": 0.4}}


def framed(tables, **grid):
    return tables | {"grid": {"q_ip": IN_PLANE.tolist(), "q_oop": OUT_OF_PLANE.tolist()} | grid}


def angles(alpha):
    """alpha_f and |phi_f| where k_f is as long as k_i (law of cosines), NaN in the missing wedge and behind the sample."""
    ip, oop = np.meshgrid(IN_PLANE, OUT_OF_PLANE)
    with np.errstate(invalid="ignore"):
        up = np.arcsin(oop / K - np.sin(alpha))
        aside = np.arccos((np.cos(up)**2 + np.cos(alpha)**2 - (ip / K)**2) / (2 * np.cos(up) * np.cos(alpha)))
    return np.where((up < 0) & (alpha > 0), np.nan, up), aside, -np.sign(ip)


@pytest.mark.parametrize("degrees", [0.4, 0.0])
def test_the_same_q_as_a_list(tmp_path, degrees):
    tables = BOX | (ON_SILICON if degrees else {})
    made = facet.run(framed(tables), tmp_path / "frame.h5")
    image, (up, aside, side) = made.data["image/I"], angles(np.radians(degrees))
    assert list(image.axes) == ["q_oop", "q_ip"] and {axis.unit for axis in image.axes.values()} == {"1/nm"}
    seen = np.isfinite(up + aside)
    assert 100 < np.sum(~seen) < seen.size / 2 and np.array_equal(np.isfinite(image.values), seen)
    if degrees:
        q = np.radians(degrees)
        f = np.stack([np.cos(up) * np.cos(aside) - np.cos(q), side * np.cos(up) * np.sin(aside), np.sin(up) + np.sin(q)])
    else:
        f = np.stack([np.cos(up) * np.cos(aside) - 1, side * np.cos(up) * np.sin(aside), np.sin(up)])
    f = K * f[:, seen]
    np.savetxt(tmp_path / "points.txt", f.T)
    listed = facet.run(tables | {"grid": {"points": str(tmp_path / "points.txt")}}, tmp_path / "list.h5")
    np.testing.assert_allclose(image.values[seen], np.ravel(listed.intensity.values), rtol=1e-6, atol=1e-8 * np.nanmax(image.values))


def test_pixels_as_pyfai_has_them(tmp_path):
    """pyFAI 2026.9, FiberIntegrator.array_from_unit with sample_orientation=1, of a detector of its own pixels."""
    theirs = {(100, 10): (-7.95027764236867, 7.96327928856986), (100, 170): (8.047866621080939, 7.960936993090342),
              (190, 3): (-8.812064622673814, 16.156420129915983)}
    detector = {"pixels": [200, 180], "pixel_size": 1e-3, "distance": 0.5, "poni1": 0.02, "poni2": 0.09}
    tables = BOX | {"sample": ON_SILICON["sample"], "beam": {"wavelength": 0.124, "alpha_i": 0.3}, "detector": detector, "accuracy": {"relative": 1e-3}}
    cuts = [{"name": f"{what}{row}", "along": what, "row": row} for what in ("q_ip", "q_oop") for row in (100, 190)]
    made = facet.run(tables | {"output": {"picture": "none", "curves": cuts}}, tmp_path / "d.h5")
    for (row, _), places in theirs.items():
        for what, place in zip(("q_ip", "q_oop"), places):
            assert abs(made.data[f"cut_{what}{row}/I"].axes[what].values - place).min() < 1e-12


def test_a_cut_goes_along_the_plane(tmp_path):
    at = float(OUT_OF_PLANE[5])
    cuts = [{"name": "c", "along": "q_ip", "q_oop": at, "width": 0.01}, {"name": "d", "along": "q_oop", "q_ip": 0.5, "width": 0.01}]
    made = facet.run(framed(BOX | ON_SILICON) | {"output": {"picture": "none", "curves": cuts}}, tmp_path / "frame.h5")
    image, along, up = made.data["image/I"].values, made.data["cut_c/I"], made.data["cut_d/I"]
    assert along.axes["q_ip"].values == pytest.approx(IN_PLANE[np.isfinite(image[5])])
    assert np.array_equal(along.values, image[5][np.isfinite(image[5])])
    at = np.argmin(abs(IN_PLANE - 0.5))
    assert np.array_equal(up.values, image[np.isfinite(image[:, at]), at])


def test_derivatives_by_the_angle_of_incidence():
    """Differences of order 6, away from the wedge's edge, where a pixel comes and goes."""
    simulation, step = facet.Simulation(framed(BOX | ON_SILICON)), 1e-3
    slope = simulation.slopes(["beam.alpha_i"])["beam.alpha_i"][0]
    differences = 0
    for k, weight in ((1, 45), (2, -9), (3, 1)):
        for sign in (1, -1):
            simulation.update(changes={"beam.alpha_i": 0.4 + sign * k * step})
            differences = differences + sign * weight * simulation.intensity.values / (60 * step)
    some = np.isfinite(differences) & (abs(IN_PLANE) > 1.0)
    assert np.sum(some) > 500 and np.array_equal(np.isfinite(slope[some]), some[some])
    np.testing.assert_allclose(slope[some], differences[some], atol=2e-6 * abs(differences[some]).max())


@pytest.mark.parametrize("tables, message", [
    ({"grid": {"q_ip": "0:1:5"}}, "a grid of q in and out of the plane has q_ip and q_oop, nm"),
    ({"grid": {"q_ip": "0:1:5", "q_oop": "0:1:5", "qy": 0.0}}, "a grid has axes|a grid is of q, of points, of angles, of q_ip and q_oop or of"),
    ({"beam": None, "sample": None}, "q_ip and q_oop need a beam: its wavelength"),
    ({"grid": {"q_ip": "0:1:5+0.1i", "q_oop": "0:1:5"}}, "q_ip is complex: that of a scene is real"),
    ({"grid": {"q_ip": 0.0, "q_oop": "8:9:5"}}, "all of it is behind the sample"),
    ({"grid": {"q_ip": "0:1:5", "q_op": "0:1:5"}}, "q_oop")])
def test_messages(tables, message):
    with pytest.raises(facet.Error, match=message):
        facet.Simulation({key: value for key, value in (framed(BOX | ON_SILICON) | tables).items() if value is not None})


def fiber(file, values, dummy):
    """A file as pyFAI 2026.9 writes one of its fiber integration (HDF5Writer)."""
    with h5py.File(file, "w") as h:
        h.attrs["default"] = "entry_0000"
        entry = h.create_group("entry_0000")
        entry.attrs["default"] = "integrate/results"
        results = entry.create_group("integrate/results")
        results.attrs.update({"NX_class": "NXdata", "signal": "data", "axes": [".", "out-of-plane", "in-plane"]})
        results["data"], results["data_errors"] = values[None], 0.01 * abs(values[None]) + 1e-9
        for name, said, q in (("in-plane", "qip", IN_PLANE), ("out-of-plane", "qoop", OUT_OF_PLANE)):
            results[name] = q.astype("f4")
            results[name].attrs.update({"unit": "nm^{-1}", "name": said})
        entry["integrate/configuration/data"] = json.dumps({"npt_ip": 41, "val_dummy": dummy})


def test_fit_of_a_fiber_integration(tmp_path):
    """Bins without a pixel are left out by their dummy; a model on the same frame has the same axes, and finds the truth."""
    tables = framed(BOX | ON_SILICON)
    model = fit.ExperimentModel(tables, {"length": "particle.shape.size.0"})
    truth = 1e9 * model({"length": 4.0})
    gap = ~np.isfinite(truth)
    gap[10:14] = True
    fiber(tmp_path / "f.h5", np.where(gap, -1, truth), -1.0)
    data = fit.Data.read(tmp_path / "f.h5")
    assert list(data.axes) == ["q_oop", "q_ip"] and data.axes["q_ip"].values == pytest.approx(IN_PLANE, abs=1e-6)
    assert np.array_equal(data.mask, gap)
    found = fit.least_squares(fit.Problem(model, data, {"length": (4.2, 3, 5), "scale": (8e8, 1e8, 1e10), "background": 0.0}))
    assert found.values["length"] == pytest.approx(4.0, abs=1e-4)


def test_zeros_of_a_fiber_integration_are_asked_for(tmp_path):
    fiber(tmp_path / "f.h5", np.where(angles(0.007)[0] > 0.05, 0.0, 1.0), None)
    with pytest.raises(facet.Error, match=r"f.h5: \d+ bins are 0, which pyFAI gives to those without a pixel .*\n  help: integrate with a value"):
        fit.Data.read(tmp_path / "f.h5")


@pytest.mark.parametrize("images, of_norm", [(1, 2), (1, 3), (3, 2)])
def test_azint_of_two_axes(tmp_path, images, of_norm):
    """NXazint2d: images over the azimuth and q, 1/angstrom; bins without a pixel are left out, of all images."""
    rng = np.random.default_rng(2)
    values, norm = rng.random((images, 6, 4)) + 1, rng.integers(0, 3, (6, 4))
    with h5py.File(tmp_path / "a.h5", "w") as h:
        data = h.create_group("entry/data")
        h["entry"].attrs.update({"default": "data", "definition": "NXazint2d"})
        data.attrs.update({"NX_class": "NXdata", "signal": "I", "axes": [".", "azimuthal_axis", "radial_axis"]})
        data["I"], data["I_errors"], data["norm"] = np.where(norm > 0, values, np.nan), 0.1 * values, norm[None] if of_norm == 3 else norm
        data["radial_axis"], data["azimuthal_axis"] = [0.01, 0.02, 0.03, 0.04], np.linspace(0, 300, 6)
        data["radial_axis"].attrs["units"], data["azimuthal_axis"].attrs["units"] = "1/angstrom", "degree"
    found = fit.Data.read(tmp_path / "a.h5")
    assert list(found.axes) == ["azimuthal_axis", "radial_axis"] and found.axes["radial_axis"].values == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert found.axes["azimuthal_axis"].values == pytest.approx(np.linspace(0, 300, 6))
    assert np.array_equal(found.left_out, np.squeeze(np.broadcast_to(norm == 0, values.shape)))
    assert found.errors[~found.left_out] == pytest.approx(0.1 * np.squeeze(values)[~found.left_out])


def test_azint(tmp_path):
    """NXazint1d: a curve of one image, 1/angstrom; bins without a pixel are left out."""
    with h5py.File(tmp_path / "a.h5", "w") as h:
        data = h.create_group("entry/data")
        h["entry"].attrs["default"] = "data"
        data.attrs.update({"NX_class": "NXdata", "signal": "I", "axes": [".", "radial_axis"]})
        data["I"], data["I_errors"], data["norm"] = [[5.0, 4, 0, 2]], [[0.1, 0.2, 0.0, 0.3]], [9, 9, 0, 9]
        data["radial_axis"] = [0.01, 0.02, 0.03, 0.04]
        data["radial_axis"].attrs["units"] = "1/angstrom"
    found = fit.Data.read(tmp_path / "a.h5")
    assert found.q == pytest.approx([0.1, 0.2, 0.3, 0.4]) and found.errors[[0, 1, 3]] == pytest.approx([0.1, 0.2, 0.3])
    assert found.mask.tolist() == [False, False, True, False]


#: pyFAI 2026.9, a FiberIntegrator for each: which way of the lab the sample's normal points, and (q_ip, q_oop) of pixels
ORIENTATIONS = {
    1: ("up", {(100, 10): (-7.95027764236867, 7.96327928856986), (120, 160): (7.080273734774297, 9.898593025209694)}),
    2: ("up", {(100, 10): (7.95027764236867, 7.96327928856986), (120, 160): (-7.080273734774297, 9.898593025209694)}),
    3: ("down", {(2, 10): (7.97843178215227, 1.753856734512042), (1, 150): (-6.095232716752632, 1.8620644636356987)}),
    4: ("down", {(2, 10): (-7.97843178215227, 1.753856734512042), (1, 150): (6.095232716752632, 1.8620644636356987)}),
    5: ("left", {(190, 3): (-16.47288003808874, 8.205279859899438), (2, 10): (1.855936289174749, 7.955305628206558)}),
    6: ("right", {(1, 150): (1.8962328090871445, 6.084689562487806), (120, 160): (-9.993221887821008, 6.946073447555813)}),
    7: ("right", {(1, 150): (-1.8962328090871445, 6.084689562487806), (120, 160): (9.993221887821008, 6.946073447555813)}),
    8: ("left", {(190, 3): (16.47288003808874, 8.205279859899438), (2, 10): (-1.855936289174749, 7.955305628206558)})}


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientations_of_the_sample_as_pyfai_counts_them(tmp_path, orientation):
    """Where pyFAI's pixels look in the frame of a sample whose normal lies so: facet has the same q there."""
    normal, places = ORIENTATIONS[orientation]
    up, right, beam, a = np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, 0, 1.0]), np.radians(0.3)
    z = {"up": up, "down": -up, "left": -right, "right": right}[normal]
    wanted = []
    for row, column in places:
        t = np.array([(row + 0.5) * 1e-3 - 0.02, (column + 0.5) * 1e-3 - 0.09, 0.5])
        x, y, out = (axis @ t / np.linalg.norm(t) for axis in (beam, np.cross(z, beam), z))
        wanted.append(K * np.array([np.cos(a) * (x - 1) + np.sin(a) * out, y, np.cos(a) * out - np.sin(a) * (x - 1)]))
    (one, up_one), (two, up_two) = places.values()
    grid = {"q_ip": [one, two], "q_oop": [up_one, up_two], "sample_orientation": orientation}
    beamed = BOX | {"sample": ON_SILICON["sample"], "beam": {"wavelength": 0.124, "alpha_i": 0.3}, "accuracy": {"relative": 1e-3}}
    made = facet.run(beamed | {"grid": grid}, tmp_path / "o.h5")
    found = np.array([made.data[f"image/q{axis}"].values[[0, 1], [0, 1]] for axis in "xyz"]).T
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * K)


def test_mirrored_orientations_mirror_the_image(tmp_path):
    """So do cuts along q_ip."""
    cuts = [{"name": "c", "along": "q_ip", "q_oop": float(OUT_OF_PLANE[5]), "width": 0.01}]
    one, two = (facet.run(framed(BOX | ON_SILICON, sample_orientation=k) | {"output": {"picture": "none", "curves": cuts}}, tmp_path / f"{k}.h5") for k in (3, 2))
    np.testing.assert_allclose(two.intensity.values[:, ::-1], one.intensity.values, rtol=1e-9)
    assert two.data["cut_c/I"].axes["q_ip"].values == pytest.approx(one.data["cut_c/I"].axes["q_ip"].values)
    assert two.data["cut_c/I"].values[::-1] == pytest.approx(one.data["cut_c/I"].values)


@pytest.mark.parametrize("grid, message", [
    ({"q_ip": "0:1:5", "q_oop": "0:1:5", "sample_orientation": 9}, "sample_orientation is of q_ip and q_oop, 1 to 8 as pyFAI counts them\n  help: 1, where"),
    ({"qy": "0:1:5", "qz": "1:2:5", "sample_orientation": 2}, "sample_orientation is of q_ip and q_oop, 1 to 8 .*\n  help: leave it out")])
def test_orientations_that_are_refused(grid, message):
    with pytest.raises(facet.Error, match=message):
        facet.Simulation(BOX | ON_SILICON | {"grid": grid})


DETECTOR = {"pixels": [8, 9], "pixel_size": 4e-3, "distance": 1.0, "beam_centre": [1.0, 4.2]}


@pytest.mark.parametrize("seen", ["frame", "detector", "curve", "slices"])
def test_files_with_q_in_angstrom(tmp_path, seen):
    """All that is q, in images, cuts and curves, is a tenth, says so, and is read back as the same q. The numbers of I are the same bits."""
    cuts = {"curves": [{"name": "c", "along": "q", "chi": 60, "width": 40}]}
    tables = {"frame": framed(BOX | ON_SILICON), "detector": BOX | ON_SILICON | {"detector": DETECTOR}, "curve": BOX | {"grid": {"q": "0.1:2:6"}},
              "slices": BOX | ON_SILICON | {"grid": {"qx": [0.1, 0.2], "qy": "-1:1:5", "qz": "0.5:1:4"}}}[seen]
    if seen == "curve":
        tables = tables | {"particle": [{key: value for key, value in BOX["particle"][0].items() if key != "orientation"}]}
    output = {"picture": "none"} | (cuts if seen in ("frame", "detector") else {})
    one, two = (facet.run(tables | {"output": output | unit}, tmp_path / f"{len(unit)}.h5") for unit in ({}, {"q_unit": "1/A"}))
    assert one.data.keys() == two.data.keys()
    units = {name: (one.data[name].unit, two.data[name].unit) for name in one.data}
    assert {pair for pair in units.values() if "1/nm" in pair or "1/angstrom" in pair} == {("1/nm", "1/angstrom")}
    for name, (_, unit) in units.items():
        wanted = one.data[name].values
        if unit == "1/angstrom":
            np.testing.assert_allclose(10 * two.data[name].values, wanted, rtol=1e-14)
            assert "nm" not in two.data[name].label
        elif not name.endswith(("Idev", "I_errors")):  # these have the measured error of F, of as many q as time allows
            assert np.array_equal(two.data[name].values, wanted, equal_nan=True)
    if seen in ("frame", "curve"):
        data, same = (fit.Data.read(tmp_path / f"{k}.h5") for k in (1, 0))
        for name in same.axes:
            assert data.axes[name].values == pytest.approx(same.axes[name].values) and data.axes[name].unit == "1/nm"
    facet._core.command(["plot", str(two.path), "-o", str(tmp_path / "p.png")], lambda said: None)


def test_units_of_q_that_are_refused():
    for tables, message in ((framed(BOX | ON_SILICON), "unknown q_unit '1/pm'"), ({"kernel": "exact", "particle": [{"shape": BOX["particle"][0]["shape"]}],
                                                                             "grid": {"qy": "0:1:5"}}, "q_unit: is of images and curves")):
        with pytest.raises(facet.Error, match=message):
            facet.run(tables | {"output": {"q_unit": "1/pm" if "beam" in tables else "1/A"}})
