"""Bad input of fits: one exception each, that says what, where, what to do."""
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
from test_fit import FIXED, Counted, plain

import facet
from facet import fit

MESH = facet.Mesh.shape("box")
THREE = fit.Data([1.0, 2.0, 3.0], errors=[1, 1, 1])
START = {"a": (0.0, -1, 1), "b": 1.0}


def line():
    return Counted(plain, "a", "b")


def problem(data=THREE, parameters=START, model=None, **options):
    return fit.Problem(model or line(), data, parameters, **options)


def plan():
    return facet.compile("born").plan(MESH, qy="-1:1:4", qz=0.5)


def by(function, **values):
    return lambda: fit.PlanModel(plan(), **function)(values)


def curve(mesh=MESH, q=(0.1, 0.2), kernel="exact", **options):
    return fit.CurveModel(kernel, q, mesh, **options)({"a": 1.0})


def open_mesh(a):
    return facet.Mesh(MESH.triangles[1:])


def mirrored(a=1.0):
    return facet.Mesh(MESH.triangles * [a, 1, 1])


def mirrored_later(**options):
    model = fit.CurveModel("exact", (0.1, 0.2), mirrored, **options)
    for a in (1.0, -1.0):
        model({"a": a})


BAD = {
    "data are words": (lambda: fit.Data(["a"]), "data: values: no array of real numbers"),
    "data are complex": (lambda: fit.Data([1j]), "they are complex"),
    "no data": (lambda: fit.Data([]), r"values: have the shape \(0,\)"),
    "four axes": (lambda: fit.Data(np.ones((2, 2, 2, 2))), r"have the shape \(2, 2, 2, 2\)"),
    "too few errors": (lambda: fit.Data([1, 2], errors=[1]), r"errors: have the shape \(1,\), the values \(2,\)"),
    "a mask of another shape": (lambda: fit.Data([1, 2], mask=[[True, False]]), "mask: have the shape"),
    "a mask of fractions": (lambda: fit.Data([1, 2], mask=[0.5, 1]), "mask: is of float64"),
    "all is masked": (lambda: fit.Data([1, 2], mask=[1, 1]), "leaves nothing"),
    "NaN": (lambda: fit.Data([[1, np.nan], [np.inf, 2]], name="d"), r"d: values: 2 are NaN or infinite, the first at \[0, 1\]\n  help: leave"),
    "an error is NaN": (lambda: fit.Data([1, 2], errors=[1, np.nan]), r"errors: 1 is NaN or infinite, the first at \[1\]"),
    "an error of 0": (lambda: fit.Data([1, 2], errors=[1, 0]), r"errors: 1 is not above 0, the first at \[1\]"),
    "counts below 0": (lambda: fit.Data([1, -1], counts=True), r"counts: 1 is below 0, the first at \[1\]"),
    "fractions of counts": (lambda: fit.Data([1, 0.5], counts=True), "1 is no whole number.*\n  help: give errors"),
    "q of another shape": (lambda: fit.Data.curve([0.1], [1, 2]), r"q: has the shape \(1,\)"),
    "q below 0": (lambda: fit.Data.curve([-0.1], [1]), "none may be below 0"),
    "an image has no q": (lambda: fit.Data([[1.0]]).q, "has no axis Q"),
    "an axis that is an array": (lambda: fit.Data([1.0], axes={"Q": [0.1]}), "data: axis 'Q': is list\n  help: give a facet.Quantity"),
    "no such likelihood": (lambda: problem(likelihood="gauss"), "did you mean 'gaussian'"),
    "no errors": (lambda: problem(fit.Data([1.0, 2, 3])), "has no errors"),
    "no counts": (lambda: problem(likelihood="poisson"), "are no counts"),
    "no Data": (lambda: problem([1.0, 2, 3]), "data: is list"),
    "an unknown parameter": (lambda: problem(parameters={**START, "scal": 1.0}), "has no 'scal'\n  help: did you mean 'scale'"),
    "a parameter without a value": (lambda: problem(parameters={"a": 1.0}), "'b' has no value"),
    "all are fixed": (lambda: problem(parameters={"a": 1.0, "b": 1.0}), "all are fixed"),
    "a start beyond its bounds": (lambda: problem(parameters={**START, "a": (2.0, 0, 1)}), "parameter 'a': starts at 2, from 0 to 1"),
    "bounds upside down": (lambda: problem(parameters={**START, "a": (0.0, 1, -1)}), "parameter 'a': starts at 0"),
    "a start that is NaN": (lambda: problem(parameters={**START, "a": (np.nan, 0, 1)}), "starts at nan"),
    "a step of 0": (lambda: problem(parameters={**START, "a": fit.Parameter(0.0, -1, 1, step=0)}), "parameter 'a': its step is 0"),
    "two numbers": (lambda: problem(parameters={**START, "a": (0.0, 1)}), "parameter 'a': is"),
    "a word": (lambda: problem(parameters={**START, "a": "much"}), "parameter 'a': is str"),
    "a model with a scale": (lambda: problem(model=Counted(plain, "a", "b", "scale")), "has a parameter 'scale', which every problem has"),
    "a vector too short": (lambda: problem().residuals([]), r"vector: has the shape \(0,\)"),
    "a model of another shape": (lambda: problem(fit.Data([1.0, 2], errors=[1, 1])).residuals([0]), r"gives the shape \(3,\), data has \(2,\)"),
    "a model that is NaN": (lambda: problem(model=Counted(lambda v: [1, np.nan, 1], "a", "b")).nllf([0]), r"is NaN or infinite at \[1\] with a = 0, b = 1"),
    "a start that cannot be": (lambda: fit.least_squares(problem(fit.Data([1, 2, 3], counts=True), {"a": (-5.0, -9, 9), "b": 0.0})), "the theory is 0 or below"),
    "no plan": (lambda: fit.PlanModel(MESH), "plan: is Mesh"),
    "no function": (lambda: fit.PlanModel(plan(), mesh=MESH), "mesh: is Mesh\n  help: give a function"),
    "a function of anything": (lambda: fit.PlanModel(plan(), mesh=lambda *sizes: MESH), "mesh: takes any arguments"),
    "no parameter of the kernel": (lambda: fit.PlanModel(plan(), parameters=["sgma"]), "the kernel has no 'sgma'"),
    "parameters that are none": (by({"parameters": lambda a: a}, a=1.0), "parameters: gave float"),
    "a value is absent": (by({"mesh": lambda a, b: MESH}, a=1.0), "model: 'b' has no value"),
    "a mesh that is none": (by({"mesh": lambda a: 1}, a=1.0), "mesh: is int"),
    "a rotation that is none": (by({"rotation": lambda a: np.ones((3, 3))}, a=1.0), "is no rotation"),
    "a curve of no mesh": (lambda: curve(None), "mesh: is None"),
    "a curve of atoms": (lambda: curve(facet.Mesh.records({"weight": [1.0]}, name="atoms"), kernel="atoms"), "mesh: atoms has records, and no triangles"),
    "a curve of a word": (lambda: curve(lambda a: "sphere"), "mesh: is str"),
    "q of two dimensions": (lambda: curve(q=[[0.1]]), r"q: has the shape \(1, 1\)"),
    "q of a curve below 0": (lambda: curve(q=[-0.1]), r"\|q\| number 1 is -0.1"),
    "too large for a curve": (lambda: curve(q=[1e6]), "out of reach; see the units"),
    "an accuracy out of reach": (lambda: curve(accuracy=1e-15), "accuracy 1e-15: is out of reach"),
    "no volume": (lambda: curve(open_mesh, per_volume=True), "is not closed"),
    "inside out later": (lambda: mirrored_later(per_volume=True), "is not closed with its faces outward"),
    "a plugin's mesh inside out": (lambda: fit.plugin(mirrored)["form_volume"](-10.0), "is not closed with its faces outward"),
    "directions alone": (lambda: curve(directions=[[0, 0, 1]]), "directions: are no pair"),
    "a weight too many": (lambda: curve(directions=([[0, 0, 1.0]], [0.5, 0.5])), "1 with 2 weights"),
    "no unit vectors": (lambda: curve(directions=([[0, 0, 2.0]], [1.0])), "are no unit vectors"),
    "weights that sum to 2": (lambda: curve(directions=([[0, 0, 1.0]], [2.0])), "do not sum to 1"),
    "a kernel with fixed directions": (lambda: curve(kernel=facet.compile(FIXED), parameters=lambda: {"shift": [0, 0, 0]}), "fixed directions"),
    "a plugin without defaults": (lambda: fit.plugin(lambda radius: MESH), "'radius' has no default"),
    "no such file": (lambda: fit.Data.read("none.h5"), "none.h5: no such file"),
}


@pytest.mark.parametrize("case", BAD)
def test_refused(case):
    call, words = BAD[case]
    with pytest.raises(facet.Error, match=words) as caught:
        call()
    assert caught.value.exit == 1 and "\n  help: " in str(caught.value)


FILES = {
    "no columns": ("c.dat", "only words\n", "c.dat: no numbers"),
    "a column": ("c.dat", "1\n2\n", "c.dat:2: 1 columns"),
    "a row too short": ("c.dat", "1 2 3\n2 3\n", "c.dat:2: 2 columns, 3 in the first row"),
    "words amid numbers": ("c.dat", "1 2 3\n2 x 3\n", "c.dat:2: no numbers: 2 x 3"),
    "no HDF5": ("c.h5", "no HDF5", "c.h5: no image or curve that can be read"),
    "no image": ("c.tif", "no image", "c.tif: fabio cannot read it"),
}


@pytest.mark.parametrize("case", FILES)
def test_refused_files(case, tmp_path):
    name, text, words = FILES[case]
    (tmp_path / name).write_text(text)
    with pytest.raises(facet.Error, match=words):
        fit.Data.read(tmp_path / name)


def test_refused_units(tmp_path):
    (tmp_path / "c.dat").write_text("1 2 3\n")
    with pytest.raises(facet.Error, match="the unit of q is '1/angstrm'\n  help: did you mean '1/angstrom'"):
        fit.Data.read(tmp_path / "c.dat", unit="1/angstrm")


def test_refused_nexus(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_group("entry/sasdata").create_dataset("I", data=[1.0, 2.0])
        file.create_group("entry/other")
    with pytest.raises(facet.Error, match="the curve has no q"):
        fit.Data.read(tmp_path / "x.h5")
    with pytest.raises(facet.Error, match="has no group 'sasdat'\n  help: did you mean 'sasdata'"):
        fit.Data.read(tmp_path / "x.h5", group="sasdat")
    with h5py.File(tmp_path / "y.h5", "w") as file:
        file.create_group("entry/other")
    with pytest.raises(facet.Error, match="has no image or curve"):
        fit.Data.read(tmp_path / "y.h5")


CALLS = {
    "scipy": (lambda: fit.least_squares(problem()), ["scipy.optimize"]),
    "lmfit": (lambda: fit.lmfit_fit(problem()), ["lmfit"]),
    "bumps": (lambda: fit.Fitness(problem()), ["bumps", "bumps.parameter"]),
}


@pytest.mark.parametrize("package", CALLS)
def test_packages_that_are_not_there(package, monkeypatch):
    call, modules = CALLS[package]
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(facet.Error, match=f"needs the package {package}, which is not installed\n  help: pip install {package}"):
        call()


def test_fabio_that_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "fabio", None)
    (tmp_path / "x.edf").write_text("")
    with pytest.raises(facet.Error, match="needs the package fabio"):
        fit.Data.read(tmp_path / "x.edf")


def test_nothing_is_imported_before_it_is_needed():
    text = "import sys, facet; print(sorted({'scipy', 'lmfit', 'bumps', 'sasmodels', 'fabio', 'matplotlib'} & set(sys.modules)), facet.fit.Data)"
    done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("[] <class"), done.stdout + done.stderr
