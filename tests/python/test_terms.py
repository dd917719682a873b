"""What waves in layers have of their own: the four terms, Fresnel maps, the specular beam; beside closed forms and facet reflectivity."""
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BUILD

import facet

FILM = [{"name": "air"}, {"name": "film", "thickness": 50.0, "delta": 3e-6, "beta": 5e-7}, {"name": "Si", "delta": 4.8857e-6, "beta": 7.391e-8}]
BOX = {"shape": {"type": "box", "size": [20, 30, 10]}, "delta": 1e-5, "beta": 0.0}
DETECTOR = {"pixels": [30, 8], "pixel_size": 2e-3, "distance": 2.0, "beam_centre": [3.2, 4.7]}
NAMES = ("TT", "TR", "RT", "RR")


def tables(alpha, own, layers, output, **more):
    made = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": alpha}, "sample": {"layers": layers}, "particle": [BOX | own],
            "detector": DETECTOR, "accuracy": {"relative": 1e-10}, "output": {"picture": "none"} | output}
    return {key: value for key, value in (made | more).items() if value is not None}


def seen(result, *names):
    return [result.data[name].values for name in names]


@pytest.mark.parametrize("alpha, up, aside, particle, layers, wanted", [
    (0.2, 0.3, 0.35, {}, [FILM[0], FILM[2]], (279.321232995515 + 375.056764561085j, -124.826181587875 - 56.2427240490874j,
                                              -425.707402251625 + 219.554893113119j, 10.9185222973 - 16.4029571794j)),
    (0.25, 0.2, 0.4, {"layer": "film", "z": 20.0}, FILM, (-106.595003073 - 483.164420902j, -2.60455210113 - 106.604713054j,
                                                          11.8401431670 + 44.7620422656j, 0.750828693505 + 4.22936584745j))])
def test_terms_beside_closed_forms(tmp_path, alpha, up, aside, particle, layers, wanted):
    """A box on silicon and in a film, by an implementation of 40 digits."""
    grid = {"alpha_f": [up], "phi_f": [aside, -aside]}
    made = facet.run(tables(alpha, particle, layers, {"terms": True, "amplitude": True}, detector=None, grid=grid), tmp_path / "r.h5")
    found = np.array(seen(made, *(f"terms/{name}" for name in NAMES)))
    assert found.shape == (4, 2)
    np.testing.assert_allclose(found, np.array([wanted, wanted]).T, rtol=0, atol=1e-9 * abs(np.array(wanted)).max())


OBJECTS = [{"position": [0, 0, 12.0]}, {"particle": 2, "position": [30.0, 5, 25], "euler": [10, 20, 30]}, {"particle": 2, "position": [-40.0, 0, 31]}]


@pytest.mark.parametrize("objects, other", [(None, None), (OBJECTS, {"layer": "film"}), (OBJECTS, {"layer": "film", "delta": 2e-5})])
def test_terms_sum_to_phi(tmp_path, objects, other):
    """One particle, and objects in two layers, whose contrasts are in the terms. Blocks of poses and units are joined; a stopped run goes on."""
    more = {"object": objects, "particle": [BOX, BOX | other]} if objects else {}
    asked = tables([0.15, 0.3], {}, FILM, {"terms": True, "amplitude": True}, **more)
    made = facet.run(asked, tmp_path / "r.h5")
    alike = facet.run(asked, tmp_path / "cut.h5", options=("--cut=7,0,1", "--threads", "1"))
    for k in ("_1", "_2"):
        phi = seen(made, f"amplitude{k}/{'A' if other else 'Phi'}")[0]
        terms = np.array(seen(made, *(f"terms{k}/{name}" for name in NAMES)))
        most = np.nanmax(abs(phi))
        assert np.isnan(phi).any() and np.array_equal(np.isnan(phi), np.isnan(terms).any(axis=0)) and (np.nanmax(abs(terms), axis=(1, 2)) > 0).all()
        np.testing.assert_allclose(terms.sum(axis=0), phi, rtol=0, atol=1e-12 * most)
        np.testing.assert_allclose(np.array(seen(alike, *(f"terms{k}/{name}" for name in NAMES))), terms, rtol=0, atol=1e-9 * most)
    again = facet.run(asked, tmp_path / "cut.h5", options=("--cut=7,0,1", "--threads", "1", "--resume"))
    assert np.array_equal(again.data["terms_2/RT"].values, alike.data["terms_2/RT"].values, equal_nan=True)


def reflectivity(folder, experiment, angles):
    """What facet reflectivity says at these angles, by name."""
    import tomli_w
    (folder / "layers.toml").write_text(tomli_w.dumps({key: experiment[key] for key in ("beam", "sample")}))
    subprocess.run([BUILD / "bin/facet", "reflectivity", folder / "layers.toml", f"--angles={','.join(map(repr, np.ravel(angles).tolist()))}",
                    "--picture", "none", "-o", folder / "layers.h5"], check=True, capture_output=True)
    with h5py.File(folder / "layers.h5") as h:
        return {name: h[f"entry/{name}"][...] for name in ("reflectivity/R", "waves/T", "waves/R", "waves/kz")}


def test_fresnel_maps_beside_facet_reflectivity(tmp_path):
    """Its waves are those at the top of a layer: at height z they have turned by e^{-+ i kz z}."""
    asked = tables(0.25, {"layer": "film", "z": 20.0}, FILM, {"fresnel": True}, detector=DETECTOR | {"rotation": [0.002, 0.001, 0.1], "poni1": 1e-2, "poni2": 1e-2})
    del asked["detector"]["beam_centre"]
    made = facet.run(asked, tmp_path / "r.h5")
    up, (t, r, t_in, r_in, z) = made.data["image/alpha_f"].values, seen(made, *(f"fresnel/{name}" for name in ("T_f", "R_f", "T_i", "R_i", "z")))
    assert z == pytest.approx([20 + 5 - 50]) and np.array_equal(np.isnan(t), up < 0) and np.isnan(t).any() and t.shape == r.shape == up.shape
    layers = reflectivity(tmp_path, asked, [0.25, *up[up >= 0]])
    turn = np.exp(1j * layers["waves/kz"][:, 1] * z)
    for found, wanted in ((np.append(t_in, t[up >= 0]), layers["waves/T"][:, 1] / turn), (np.append(r_in, r[up >= 0]), layers["waves/R"][:, 1] * turn)):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * abs(wanted).max())


def test_fresnel_maps_of_an_average_about_z(tmp_path):
    """The middle stays where it is; terms are refused."""
    made = facet.run(tables(0.2, {"orientation": "in-plane"}, FILM, {"fresnel": True}, accuracy={}), tmp_path / "r.h5")
    assert np.nanmax(abs(made.data["fresnel/T_f"].values)) == pytest.approx(1, abs=1e-12)  # of a wave in the air


@pytest.mark.parametrize("orientation", [1, 2, 3, 4])
def test_the_specular_beam(tmp_path, orientation):
    alphas = [0.1, 0.2]
    beam = {"wavelength": 0.124, "alpha_i": alphas, "flux": 1e9, "time": 3.0}
    made = facet.run(tables(None, {"density": 1e-4}, FILM, {"specular": True}, beam=beam, detector=DETECTOR | {"orientation": orientation}), tmp_path / "r.h5")
    r, row, column, photons, alpha = seen(made, *(f"specular/{name}" for name in ("R", "row", "column", "photons", "alpha_i")))
    wanted = reflectivity(tmp_path, {"beam": beam, "sample": {"layers": FILM}}, alphas)["reflectivity/R"]
    np.testing.assert_allclose(r, wanted, rtol=1e-10)
    np.testing.assert_allclose(photons, 3e9 * wanted, rtol=1e-10)
    rises = 2.0 * np.tan(2 * np.radians(alphas)) / 2e-3 * (1 if orientation in (3, 4) else -1)
    np.testing.assert_allclose([row, column], [3.2 - 0.5 + rises, [4.7 - 0.5] * 2], rtol=1e-12)
    assert alpha == pytest.approx(alphas) and "specular" not in facet.run(tables(0.2, {}, FILM, {}), tmp_path / "none.h5").data


@pytest.mark.parametrize("output, more, message", [
    ({"terms": True}, {"sample": None, "beam": {"wavelength": 0.124}}, "terms: is of waves in layers, and there is no sample"),
    ({"fresnel": True}, {"sample": None, "beam": None, "detector": None, "grid": {"qy": "0:1:4"}, "particle": [{"shape": BOX["shape"]}]}, "fresnel: is of waves in layers"),
    ({"specular": True}, {"sample": None, "beam": {"wavelength": 0.124}, "detector": None, "grid": {"q": "0.1:1:4"}}, "specular: is of waves in layers"),
    ({"terms": True}, {"particle": [BOX | {"orientation": "in-plane"}]}, "terms: an average of intensities has no amplitude\n  help: leave it out, or the averages"),
    ({"amplitude": True}, {"particle": [BOX | {"size": {"type": "uniform", "width": 0.1}}]}, "amplitude: an average of intensities has no amplitude"),
    ({"terms": True}, {"object": OBJECTS[:1], "interference": "incoherent"}, "terms: a sum of intensities has no amplitude"),
    ({"terms": True}, {"resolution": {"phi": 0.1}}, "terms: a sum of intensities over beams has no amplitude"),
    ({"fresnel": True}, {"resolution": {"pixel_points": 3}}, "fresnel: a sum of intensities over beams"),
    ({"fresnel": True}, {"particle": [BOX | {"size": {"type": "uniform", "width": 0.1}}]}, "fresnel: particles have their middles at several heights"),
    ({"fresnels": True}, {}, "unknown key 'fresnels' in .output.\n  help: did you mean 'fresnel'")])
def test_what_is_refused(tmp_path, output, more, message):
    with pytest.raises(facet.Error, match=message):
        facet.run(tables(0.2, {}, FILM, output, **more), tmp_path / "r.h5")


def test_a_simulation_refuses_what_is_of_a_file():
    with pytest.raises(facet.Error, match="terms, fresnel and specular are of a file, and a simulation has none\n  help: facet run writes them"):
        facet.Simulation(tables(0.2, {}, FILM, {"specular": True}))
