"""Cuts through sectors and rings, beside means of the pixels in them and beside the curve I(|q|)."""
import h5py
import numpy as np
import pytest

import facet

SPHERE = {"kernel": "closed", "particle": [{"shape": {"type": "sphere", "radius": 6, "n": 12}}], "accuracy": {"relative": 1e-8},
          "grid": {"qy": "-1.2:1.2:120", "qz": "-1.1:1.3:121"}}


def run(folder, *curves, **changes):
    return facet.run(SPHERE | changes | {"output": {"picture": "none", "curves": list(curves)}}, folder / "made.h5")


def pixels(made):
    """(I, q, chi) of all pixels."""
    qz, qy = np.meshgrid(made.data["image/I"].axes["qz"].values, made.data["image/I"].axes["qy"].values, indexing="ij")
    return made.data["image/I"].values, np.hypot(qy, qz), np.degrees(np.arctan2(qz, qy))


def means(values, places, inside, points):
    """Means in even steps from the first place to the last, and the mean places."""
    low, high = places[inside].min(), places[inside].max()
    step = np.floor((places[inside] - low) / (high - low) * (points - 1) + 0.5).astype(int)
    count = np.bincount(step, minlength=points)
    with np.errstate(invalid="ignore"):
        found = [np.bincount(step, of[inside], points) / count for of in (places, values)]
    return [of[count > 0] for of in found]


@pytest.mark.parametrize("chi", [90.0, 0.0, 180.0, -179.0, 45.0])
def test_a_sector_is_the_mean_of_its_pixels(tmp_path, chi):
    made = run(tmp_path, {"name": "s", "along": "q", "chi": chi, "width": 30.0, "points": 40})
    values, q, angle = pixels(made)
    inside = abs(np.remainder(angle - chi + 180, 360) - 180) <= 15
    at, wanted = means(values, q, inside, 40)
    cut = made.data["cut_s/I"]
    np.testing.assert_allclose(cut.axes["q"].values, at, rtol=1e-12)
    np.testing.assert_allclose(cut.values, wanted, rtol=1e-10)


def test_a_ring_is_the_mean_of_its_pixels(tmp_path):
    made = run(tmp_path, {"name": "r", "along": "chi", "q": "0.07 1/A", "width": "0.005 1/A", "points": 36})
    values, q, angle = pixels(made)
    at, wanted = means(values, angle, abs(q - 0.7) <= 0.025, 36)
    cut = made.data["cut_r/I"]
    np.testing.assert_allclose(cut.axes["chi"].values, at, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(cut.values, wanted, rtol=1e-10)
    assert (cut.axes["chi"].unit, len(wanted)) == ("deg", 36)


def test_a_sector_of_a_sphere_is_its_curve(tmp_path):
    """As far as a step of q and the facets of the mesh go."""
    cut = run(tmp_path, {"name": "s", "along": "q", "chi": 90, "width": 60, "points": 60}).data["cut_s/I"]
    q, found = cut.axes["q"].values, cut.values
    some = (q > 0.05) & (q < 0.5)
    tables = SPHERE | {"grid": {"q": q[some].tolist()}, "output": {"picture": "none"}}
    curve = facet.Simulation(tables).intensity.values
    np.testing.assert_allclose(found[some], curve, rtol=0.02)


def test_a_detector_has_sectors_and_rings(tmp_path):
    changes = {"beam": {"wavelength": 0.124}, "detector": {"pixels": [40, 50], "pixel_size": 5e-3, "distance": 2.0, "beam_centre": [18.0, 27.0],
                                                           "rotation": [0, 0, 0]}, "grid": None}
    tables = {key: value for key, value in (SPHERE | changes).items() if value is not None}
    tables["output"] = {"picture": "none", "curves": [{"name": "s", "along": "q", "chi": -90, "width": 40}]}
    made = facet.run(tables, tmp_path / "made.h5")
    with h5py.File(tmp_path / "made.h5") as file:
        image = {name: file[f"entry/image/{name}"][...] for name in ("I", "q", "qy", "qz")}
    inside = abs(np.degrees(np.arctan2(image["qz"], image["qy"])) + 90) <= 20
    cut = made.data["cut_s/I"]
    assert cut.axes["q"].values.min() == pytest.approx(image["q"][inside].min(), rel=1e-6)
    assert image["I"][inside].min() <= cut.values.min() <= cut.values.max() <= image["I"][inside].max()
    assert np.isfinite(cut.values).all() and len(cut.values) > 10


@pytest.mark.parametrize("curve, what", [
    ({"along": "kai", "q": 0.5}, "unknown along 'kai'\n  help: did you mean 'chi'|unknown along 'kai'"),
    ({"along": "q", "chhi": 90}, "unknown key 'chhi' in .curves.\n  help: did you mean 'chi'"),
    ({"along": "chi", "q": 9.0, "width": 0.1}, "no pixel at q = 9\n  help: q goes from"),
    ({"along": "q", "chi": "90 nm"}, "'90 nm': 'nm' is no unit of angle"),
    ({"along": "q", "chi": 90, "points": -3}, "'points' is to be a whole number, 0 or more"),
    ({"along": "q"}, "a cut goes along one coordinate at a value of another"),
])
def test_what_sectors_refuse(tmp_path, curve, what):
    with pytest.raises(facet.Error, match=what):
        run(tmp_path, curve)


def test_a_cut_along_q_is_of_each_images_qx(tmp_path):
    """In images for several qx, q of the same pixel differs."""
    made = run(tmp_path, {"name": "c", "along": "q", "qz": 0.3, "width": 0.001}, grid={"qx": [0.1, 0.5], "qy": "0:1:6", "qz": "0.1:0.5:5"})
    for k, qx in enumerate((0.1, 0.5), 1):
        cut = made.data[f"cut_c_qx_{k}/I"]
        np.testing.assert_allclose(cut.axes["q"].values, np.sqrt(qx**2 + np.linspace(0, 1, 6)**2 + 0.09), rtol=1e-12)
        np.testing.assert_array_equal(cut.values, made.data[f"image_qx_{k}/I"].values[2])
