"""Experiments from Python: the same files as the command line's, results with axes, units and errors."""
import gc
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import facet
from conftest import BUILD

GISAXS = {
    "title": "gold on silicon",
    "kernel": "exact",
    "beam": {"energy": 9998.7, "alpha_i": np.float64(0.3)},
    "sample": {"layers": [{"name": "vacuum"}, {"name": "silicon", "delta": 4.8857e-6, "beta": 7.391e-8}]},
    "particle": [{"shape": {"type": "box", "size": np.array([10, 20, 30])}, "z": 0.0, "delta": 2.97e-5, "beta": 2.08e-6, "density": 1e-4}],
    "detector": {"pixels": [12, 16], "pixel_size": 8e-3, "distance": 2.0, "beam_centre": [2.0, 8.0]},
}
CURVE = """kernel = "exact"
[[particle]]
shape = { type = "box", size = [8, 8, 8] }
orientation = { average = "full" }
[grid]
q = "0.1:1:6"
"""
PLANE = """kernel = "exact"
particle = { shape = { type = "box" } }
grid = { qy = { from = -1, to = 1, n = 5 }, qz = { from = 0.1, to = 1, n = 4 } }
"""


def test_dict():
    result = facet.run(GISAXS)
    assert result.intensity.shape == (12, 16) and list(result.axes) == ["row", "column"]
    assert result.data["image/qy"].unit == "1/nm" and result.data["image/alpha_f"].unit == "deg"
    assert result.error < 1e-5 and result.provenance["contract_met"] == "yes"
    assert "gold on silicon" in repr(result) and "alpha_i" in result.experiment
    assert np.isnan(result.intensity.values[0]).all() and np.nanmax(result.intensity.values) > 0


def test_ranges_and_long_doubles_are_numbers():
    def run(qz):
        return facet.run({"kernel": "exact", "particle": {"shape": {"type": "box"}}, "grid": {"qz": qz}})

    assert run(range(1, 4)).axes["qz"].values.tolist() == run(np.array([1, 2, 3], np.longdouble)).axes["qz"].values.tolist() == [1, 2, 3]


def test_text_is_the_command_line(command, tmp_path):
    (tmp_path / "curve.toml").write_text(CURVE)
    command("run", "curve.toml", "-o", "run.h5", "--picture", "none")
    result = facet.run(CURVE, tmp_path / "mine.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["entry/sasdata/I"][()].tobytes() == result.intensity.values.tobytes()
    assert result.path == tmp_path / "mine.h5" and list(result.axes) == ["Q"]
    assert result.data["sasdata/I_errors"].shape == (6,)


RANK = """
import os, sys
import facet
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
for height in ([30], [15, 45])[rank]:
    f = facet.run({"kernel": "exact", "particle": {"shape": {"type": "box", "size": [10, 20, height]}},
                   "grid": {"qx": [0.1], "qy": [0.2], "qz": [0.3]}}).F.values.item()
    print(height, f.real, f.imag, file=open(f"{rank}.txt", "a"))
"""


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="no mpirun")
def test_ranks_of_mpirun_have_each_its_own_results(tmp_path):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PYTHONPATH": str(BUILD / "python"),
                   "OMPI_MCA_orte_tmpdir_base": str(tmp_path)}
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", sys.executable, "-c", RANK], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = [np.loadtxt(tmp_path / f"{rank}.txt", ndmin=2) for rank in range(2)]
    assert [f[:, 0].tolist() for f in found] == [[30], [15, 45]]
    for height, real, imaginary in np.concatenate(found):
        assert real == pytest.approx(6000 * np.prod(np.sinc(np.array([0.5, 2, 0.15 * height]) / np.pi)) * height / 30, rel=1e-5)
        assert abs(imaginary) < 1e-4 * abs(real)


def test_amplitude_and_again(tmp_path):
    result = facet.run(PLANE)
    f = facet.compile("exact")(facet.Mesh.shape("box"), qx=[0.0], qy="-1:1:5", qz="0.1:1:4")
    assert result.F.shape == f.shape == (1, 5, 4) and list(result.F.axes) == ["qx", "qy", "qz"]
    assert np.allclose(result.F.values, f, rtol=0, atol=2e-5 * abs(f).max())
    again = facet.run(result.experiment)
    assert again.F.values.tobytes() == result.F.values.tobytes()
    with pytest.raises(facet.Error, match="no amplitude"):
        facet.run(GISAXS).F


MIXED = {
    "particle": [{**GISAXS["particle"][0], "name": "gold"}, {**GISAXS["particle"][0], "name": "thin", "delta": 1e-5}],
    "object": [{"particle": "gold", "position": [0, 0, 16]}, {"particle": "thin", "position": [30, 0, 16]}],
}
for particle in MIXED["particle"]:
    del particle["density"], particle["z"]


@pytest.mark.parametrize("name, changes", [
    ("Phi", {}), ("Phi", {"beam": {**GISAXS["beam"], "alpha_i": [0.3, 0.4]}}), ("A", MIXED)], ids=["Phi", "of two images", "A"])
def test_amplitude_has_other_names(name, changes):
    experiment = {**GISAXS, **changes, "output": {"amplitude": True}}
    f, simulated = facet.run(experiment).F, facet.Simulation(experiment).F
    assert f.label == simulated.label == name and list(f.axes) == list(simulated.axes) == ["row", "column"]
    assert f.values.dtype == complex and f.shape == simulated.shape
    assert np.allclose(f.values, simulated.values, rtol=0, atol=2e-5 * np.nanmax(abs(f.values)), equal_nan=True)


def test_files_beside_the_experiment(tmp_path):
    (tmp_path / "sub").mkdir()
    facet.Mesh.shape("box").write(tmp_path / "sub" / "box.stl")
    (tmp_path / "sub" / "e.toml").write_text(PLANE.replace('shape = { type = "box" }', 'mesh = "box.stl"'))
    assert facet.run(tmp_path / "sub" / "e.toml").F.shape == (1, 5, 4)


def test_save_read_pickle(tmp_path):
    result = facet.run(PLANE)
    result.save(tmp_path / "x.h5")
    again = facet.Result(tmp_path / "x.h5")
    assert again.F.values.tobytes() == result.F.values.tobytes() and again.provenance == result.provenance
    assert pickle.loads(pickle.dumps(again)).F.values.tobytes() == result.F.values.tobytes()


def test_shown(tmp_path):
    result = facet.run(GISAXS)
    assert result._repr_png_().startswith(b"\x89PNG") and "measured error" in result._repr_html_()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = result.plot()
    axes.figure.savefig(tmp_path / "image.png")
    facet.run(CURVE).plot().figure.savefig(tmp_path / "curve.png")
    assert axes.get_title() == "gold on silicon" and "row" in axes.get_ylabel()


def test_an_array_of_a_quantity_is_a_copy():
    quantity = facet.Quantity(np.ones(3))
    assert not np.shares_memory(np.array(quantity), quantity.values) and np.shares_memory(np.asarray(quantity), quantity.values)
    assert np.array(quantity, dtype=np.float32).dtype == np.float32


def test_xarray():
    pytest.importorskip("xarray")
    image = facet.run(PLANE).intensity.to_xarray()
    assert image.dims == ("qz", "qy") and image.coords["qy"].attrs["units"] == "1/nm" and image.shape == (4, 5)


KERNEL = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL scaled {
  using Grid = product<real, real, real>;
  struct Params { real scale = 1; };
  static cplx term(Grid::q q, const Triangle &t) { return t.area * mean_cis(q, t); }
  static cplx finish(Grid::q, cplx sum, const Params &p) { return p.scale * sum; }
};
"""


@pytest.mark.parametrize("sweep", [False, True])
def test_points_have_no_axes(tmp_path, sweep):
    q = np.random.default_rng(1).uniform(0.1, 1, (3, 7)) * [[1], [3], [2]]
    with h5py.File(tmp_path / "points.h5", "w") as file:
        for letter, values in zip("xyz", q):
            file[f"q{letter}"] = values
    (tmp_path / "kernel.cpp").write_text(KERNEL)
    values = {"parameters": {"scale": "1:2:2"}} if sweep else {}
    result = facet.run({"kernel": str(tmp_path / "kernel.cpp"), **values, "particle": {"shape": {"type": "box"}},
                        "grid": {"points": str(tmp_path / "points.h5")}})
    pytest.importorskip("matplotlib").use("Agg")
    axes = result.plot()
    assert (axes.get_xlabel(), axes.get_ylabel()) == tuple(f"q$_{{\\mathregular{{{k}}}}}$ (nm⁻¹)" for k in "yz")  # which vary most
    drawn = axes.collections[0]
    assert np.array_equal(drawn.get_offsets(), q[1:].T)
    assert np.array_equal(drawn.get_array(), result.intensity.values[0] if sweep else result.intensity.values)
    pytest.importorskip("xarray")
    assert np.array_equal(result.intensity.to_xarray(), result.intensity.values) and not result.F.to_xarray().coords


def test_temporary_folders_go(tmp_path, monkeypatch, recwarn):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = facet.run(PLANE)
    kept = pickle.loads(pickle.dumps(result))
    assert result.path.exists() and list(tmp_path.iterdir()) == [result.path.parent]
    del result
    facet.run(PLANE, tmp_path / "mine.h5")
    with pytest.raises(facet.Error):
        facet.run("kernel =\n")
    gc.collect()
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.h5"] and not kept.path.exists()
    assert not [w for w in recwarn if w.category is ResourceWarning]


BAD = {
    "an unknown key": ({**GISAXS, "bean": {}}, "did you mean"),
    "a value of another type": ({**GISAXS, "title": 3}, "title"),
    "None": ({**GISAXS, "run": {"threads": None}}, "run.threads: is NoneType\n  help: .* left out"),
    "a set": ({**GISAXS, "particle": {"shape": {"size": [1, {2}, 3]}}}, "particle.shape.size.1: is set\n  help: give numbers"),
    "complex numbers": ({**GISAXS, "parameters": {"kappa": np.array([1j])}}, r"parameters.kappa.0: is complex\n  help: .*\[re, im\]"),
    "a long complex number": ({**GISAXS, "parameters": {"kappa": np.clongdouble(1j)}}, "parameters.kappa: is clongdouble"),
    "no TOML": ("kernel =\nnothing", "its experiment is not TOML"),
    "no such file": ("none.toml", "none.toml: cannot be read"),
    "a mesh that is not there": (PLANE.replace('shape = { type = "box" }', 'mesh = "none.stl"'), "none.stl"),
}


@pytest.mark.parametrize("case", BAD)
def test_refused(case):
    experiment, words = BAD[case]
    with pytest.raises(facet.Error, match=words) as caught:
        facet.run(experiment)
    assert caught.value.exit == 1 and not str(caught.value).startswith("facet: error")


def test_no_result(tmp_path):
    (tmp_path / "x.h5").write_text("no HDF5")
    with pytest.raises(facet.Error, match="is no result of facet"):
        facet.Result(tmp_path / "x.h5")
    with pytest.raises(facet.Error, match="is no result of facet"):
        facet.Result(Path("none.h5"))


def test_warnings_of_the_command_line_are_heard(tmp_path):
    half = tmp_path / "half.stl"
    facet.Mesh(facet.Mesh.shape("sphere", radius=10).triangles[:100]).write(half)
    with pytest.warns(UserWarning, match="half.stl: the mesh is open .*\n  help: close the mesh"):
        facet.run({"kernel": "exact", "particle": {"mesh": str(half)}, "grid": {"qz": [0.1, 0.2]}})


def test_a_plotted_curve_has_its_unit_once(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    result = facet.run({"kernel": "exact", "grid": {"q": "0.1:1:4"},
                        "particle": {"shape": {"type": "box", "size": [10, 20, 30]}, "delta": 1e-5, "density": 0.01},
                        "beam": {"wavelength": 0.1}})
    assert result.intensity.unit == "1/cm"
    assert result.plot().get_ylabel() == "dΣ/dΩ (cm⁻¹)"
