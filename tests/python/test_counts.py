"""Counts with flux and time, Poisson noise with a seed, and what reports say of meshes."""
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import BUILD

import facet

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "property"))
import noise_in_numpy  # noqa: E402

COUNTED = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": [0.3, 0.5]}, "run": {"threads": 1}, "accuracy": {"relative": 1e-6},
           "sample": {"layers": [{"name": "vacuum"}, {"name": "Si", "delta": 4.9e-6, "beta": 7e-8}]},
           "particle": [{"shape": {"type": "box", "size": [8.0, 7.0, 6.0]}, "z": 0.0, "delta": 3e-5, "beta": 2e-6, "density": 1e-4}],
           "detector": {"pixels": [30, 24], "pixel_size": 2e-3, "distance": 1.0, "beam_centre": [2.0, 12.0]}, "output": {"picture": "none"}}


def counted(flux=None, time=None, noise=None, **changes):
    beam = COUNTED["beam"] | ({} if flux is None else {"flux": flux}) | ({} if time is None else {"time": time})
    return COUNTED | {"beam": beam, "output": {"picture": "none"} | ({} if noise is None else {"noise": noise})} | changes


def says(*words, **more):
    return subprocess.run([BUILD / "bin/facet", *words], capture_output=True, text=True, **more)


def test_counts_are_those_of_a_photon_times_flux_and_time():
    one = facet.Simulation(counted())
    for flux, time, photons, name in [(1e11, None, 1e11, "counts in a second"), (1e11, 5.0, 5e11, "counts"), (1e11, "5 min", 3e13, "counts")]:
        many = facet.Simulation(counted(flux, time))
        for a, b in zip(one.images, many.images):
            np.testing.assert_allclose(b.values, photons * a.values, rtol=1e-13)
            assert (b.unit, b.label) == ("1", name)


def test_a_change_of_flux_computes_no_f():
    simulation = facet.Simulation(counted(1e11, 5.0))
    before = simulation.intensity.values.copy()
    simulation.update(changes={"beam.time": 10.0})
    np.testing.assert_allclose(simulation.intensity.values, 2 * before, rtol=1e-13)
    assert simulation.last.evaluations == 0


def test_derivatives_are_of_counts():
    one, many = facet.Simulation(counted()), facet.Simulation(counted(1e11, 5.0))
    keys = ["particle.density", "sample.layers.1.roughness", "particle.shape.size"]
    for key in keys[:2]:
        for a, b in zip(one.slopes([key])[key], many.slopes([key])[key]):
            np.testing.assert_allclose(b, 5e11 * a, rtol=1e-12)


def test_noise_is_that_of_the_second_judge_and_of_python(tmp_path):
    made = facet.run(counted(1e10, 10.0, noise=7), tmp_path / "a.h5")
    for number, name in enumerate(["_1", "_2"]):
        means, counts = made.data[f"image{name}/I"].values, made.data[f"counts{name}/counts"].values
        wanted = [noise_in_numpy.poisson(mean, 7, number, pixel) for pixel, mean in enumerate(means.ravel())]
        np.testing.assert_array_equal(counts.ravel(), np.array(wanted, float))
    assert np.array_equal(facet.poisson(made.data["image_1/I"].values, 7), made.data["counts_1/counts"].values, equal_nan=True)
    assert np.isnan(counts).any() and np.array_equal(np.isnan(counts), np.isnan(means))
    assert not np.array_equal(counts, facet.run(counted(1e10, 10.0, noise=8), tmp_path / "b.h5").data["counts_2/counts"].values, equal_nan=True)


def test_noise_of_a_file_of_the_command_line_and_of_a_simulation(tmp_path):
    import tomli_w
    (tmp_path / "a.toml").write_text(tomli_w.dumps(counted(1e10, 10.0, noise=3)))
    simulation = facet.Simulation(counted(1e10, 10.0, noise=3))
    for seed, options in ((3, []), (7, ["--noise", "7"])):
        assert says("run", "a.toml", *options, "-o", "a.h5", cwd=tmp_path).returncode == 0
        simulation.update(changes={"output.noise": seed})
        assert simulation.last.evaluations == 0 or seed == 3
        kept = facet.Result(tmp_path / "a.h5").data
        for number, name in enumerate(["counts_1/counts", "counts_2/counts"]):
            for made in (simulation.data[name], simulation.counts(seed)[number]):
                assert np.array_equal(made.values, kept[name].values, equal_nan=True) and (made.unit, made.label) == (kept[name].unit, kept[name].label)
    assert "counts_1/counts" not in facet.Simulation(counted(1e10)).data


def test_noise_without_flux_is_refused(tmp_path):
    import tomli_w
    (tmp_path / "a.toml").write_text(tomli_w.dumps(counted()))
    done = says("run", "a.toml", "--noise", "7", cwd=tmp_path)
    assert done.returncode == 1 and "--noise: noise is of counts, and the beam has no flux" in done.stderr and not (tmp_path / "a.h5").exists()
    with pytest.raises(facet.Error, match="counts: noise is of counts, and the beam has no flux"):
        facet.Simulation(counted()).counts(7)


@pytest.mark.parametrize("mean", [0.01, 0.7, 5.0, 9.99, 10.0, 12.5, 100.0, 3e4, 1e9])
def test_noise_is_poissons(mean):
    """chi^2 of the counts, and mean and variance, beside Poisson's, each within 5 sigma."""
    n = 200000
    counts = facet.poisson(np.full(n, mean), seed=54)
    assert abs(counts.mean() - mean) < 5 * math.sqrt(mean / n)
    assert abs(counts.var() / mean - 1) < 5 * math.sqrt((2 + 1 / mean) / n)
    assert np.array_equal(counts, np.floor(counts)) and counts.min() >= 0
    if mean > 1000:
        return
    from scipy.stats import poisson
    seen = np.bincount(counts.astype(int), minlength=int(mean + 12 * math.sqrt(mean) + 12)).astype(float)
    expected = n * poisson.pmf(np.arange(len(seen)), mean)
    many = expected > 20
    assert ((seen - expected)[many] ** 2 / expected[many]).sum() < many.sum() + 5 * math.sqrt(2 * many.sum())


def test_places_are_drawn_apart():
    """Counts of neighbours and of other seeds do not go together."""
    a, b = (facet.poisson(np.full(100000, 4.0), seed) for seed in (1, 2))
    for one, other in ((a[1:], a[:-1]), (a, b)):
        assert abs(np.corrcoef(one, other)[0, 1]) < 5 / math.sqrt(len(one))


def test_the_same_bits_whatever_the_threads_ranks_and_units(tmp_path):
    facet.run(counted(1e10, 10.0, noise=7), tmp_path / "one.h5", options=("--threads", "1"))
    toml = tmp_path / "experiment.toml"
    import tomli_w
    toml.write_text(tomli_w.dumps(counted(1e10, 10.0, noise=7)))
    ways = {"two": [BUILD / "bin/facet", "run", toml, "--threads", "2"], "cut": [BUILD / "bin/facet", "run", toml, "--cut=2,0,0"]}
    if os.path.exists("/usr/bin/mpirun"):
        ways["ranks"] = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", BUILD / "bin/facet", "run", toml]
    with h5py.File(tmp_path / "one.h5") as one:
        for name, words in ways.items():
            done = subprocess.run([*words, "-o", tmp_path / f"{name}.h5"], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            with h5py.File(tmp_path / f"{name}.h5") as other:
                same = np.array_equal(one["entry/image_1/I"][...], other["entry/image_1/I"][...], equal_nan=True)
                assert name == "cut" or same
                counts = other["entry/counts_1/counts"][...]
                assert np.array_equal(counts, facet.poisson(other["entry/image_1/I"][...], 7), equal_nan=True)
                assert not same or np.array_equal(counts, one["entry/counts_1/counts"][...], equal_nan=True)


@pytest.mark.parametrize("changes, what", [
    ({"flux": -1.0}, "the flux is to be above 0"), ({"flux": 1e11, "time": 0.0}, "the time is to be above 0"),
    ({"time": 5.0}, "a time without a flux\n  help: flux = 1e11"), ({"flux": 1e11, "time": "5 mn"}, "'mn' is no unit of time\n  help: did you mean 'm"),
    ({"noise": 7}, "noise is of counts, and the beam has no flux"), ({"flux": 1e11, "noise": -7}, "'noise' is to be a whole number"),
])
def test_what_counts_refuse(changes, what):
    with pytest.raises(facet.Error, match=what):
        facet.Simulation(counted(**changes))


def test_counts_are_of_detectors_samples_and_densities():
    particle = {key: value for key, value in COUNTED["particle"][0].items() if key != "density"}
    for changes in ({"particle": [particle]}, {"detector": None, "grid": {"qy": [0.1], "qz": [0.5]}}):
        tables = {key: value for key, value in counted(1e11, **changes).items() if value is not None}
        with pytest.raises(facet.Error, match="counts are of a detector's pixels, of particles with a density on a sample"):
            facet.Simulation(tables)
    with pytest.raises(facet.Error, match=r"unknown key 'fluxx' in \[beam\]\n  help: did you mean 'flux'"):
        facet.Simulation(COUNTED | {"beam": COUNTED["beam"] | {"fluxx": 1}})


def test_poisson_refuses():
    for means, seed, image, what in (([-1.0], 1, 0, "means: some are below 0"), ([1.0], -1, 0, "seed: is -1"), ([1.0], 1, -2, "image: is -2")):
        with pytest.raises(facet.Error, match=what):
            facet.poisson(means, seed, image)


def test_reports_say_sizes_surface_and_volume(tmp_path):
    words = "20 x 30 x 10 nm.*surface 2200 nm.2, volume 6000 nm.3"
    box = {"shape": {"type": "box", "size": [20, 30, 10]}}
    curve = {"kernel": "exact", "particle": [box], "grid": {"q": [0.1]}, "output": {"picture": "none"}}
    import tomli_w
    (tmp_path / "curve.toml").write_text(tomli_w.dumps(curve))
    (tmp_path / "image.toml").write_text(tomli_w.dumps(COUNTED | {"particle": [COUNTED["particle"][0] | box]}))
    for task in (["exact", "--shape", "box,size=20,30,10", "--qy=0:1:5"], ["curve.toml"], ["image.toml"]):
        assert re.search(words, says("plan", *task, cwd=tmp_path).stdout)
        done = says("run", *task, "-o", "made.h5", cwd=tmp_path)
        assert re.search(words, done.stdout), done.stderr
        with h5py.File(tmp_path / "made.h5") as made:
            kept = made["entry/process"].attrs
            assert (kept["volume"], kept["surface"]) == pytest.approx((6000, 2200))
            assert [kept[f"extent_{axis}"] for axis in "xyz"] == pytest.approx([20, 30, 10])
        (tmp_path / "made.h5").unlink()
    assert re.search("area +2200 nm.2\nvolume +6000 nm.3\nbox +20 x 30 x 10 nm", inspected(tmp_path))


def inspected(folder):
    assert says("mesh", "make", "box", "size=20,30,10", "-o", folder / "box.stl").returncode == 0
    return says("mesh", "inspect", folder / "box.stl").stdout


def test_an_open_mesh_has_no_volume(tmp_path):
    box = facet.Mesh.shape("box", size=(20, 30, 10))
    with h5py.File(tmp_path / "open.h5", "w") as file:
        file["triangles"] = box.triangles[:-1]
    said = says("plan", "exact", "--mesh", tmp_path / "open.h5", "--qy=0:1:5").stdout
    assert "surface" in said and "nm^3" not in said and "absolute   none: the mesh is open" in said
