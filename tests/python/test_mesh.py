"""Meshes from arrays, files, shapes, other packages."""
import inspect
import os
import pickle
import subprocess
import sys
import warnings

import h5py
import numpy as np
import pytest

import facet
from facet import _core

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def test_arrays():
    mesh = facet.Mesh(CORNERS, FACES)
    assert len(mesh) == 4 and mesh.report.closed and mesh.report.oriented
    assert mesh.report.volume == pytest.approx(1 / 6)
    assert np.array_equal(mesh.triangles, CORNERS[FACES])
    assert np.array_equal(facet.Mesh(mesh.triangles).triangles, mesh.triangles)


def test_says_what_it_has():
    assert repr(facet.Mesh(CORNERS, FACES, name="tip")) == "<facet.Mesh tip: 4 triangles>"
    assert repr(facet.Mesh.records({"weight": [1.0, 2.0]}, name="atoms")) == "<facet.Mesh atoms: 2 records>"


def test_a_program_that_ends_with_meshes_is_silent():
    text = "import facet\nfirst = facet.Mesh.shape('sphere')\nsecond = facet.Mesh(first.triangles)"
    done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_units():
    assert facet.Mesh(CORNERS, FACES, unit="um").report.high == [1000, 1000, 1000]
    assert facet.Mesh(CORNERS, FACES, unit=10).report.volume == pytest.approx(1000 / 6)


ROUGH = """#include <facet/dsl.h>
using namespace facet;
struct Rough : Triangle { scaled<1> width; };
struct FACET_KERNEL rough {
  using Grid = points<real, real, real>;
  static cplx term(Grid::q q, const Rough &t) { return t.area * exp(-t.width * t.width * norm2(q)) * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""


def test_own_columns_are_in_the_unit_of_the_mesh(tmp_path):
    """Places of atoms and widths in angstrom: in plans, in derivatives, and after pickling."""
    at = np.random.default_rng(1).uniform(-8, 8, (30, 3))
    with h5py.File(tmp_path / "atoms.h5", "w") as file:
        for name in ("a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "b5", "B"):
            file[name] = np.zeros(30)
        file["c"], file["place.x"], file["place.y"], file["place.z"] = np.full(30, 6.0), *at.T
    q = np.array([[0.5, 0.3, 1.0], [2.0, 1, 0], [3.0, -2, 1]])
    mesh = facet.Mesh.read(tmp_path / "atoms.h5", unit="angstrom")
    for atoms in (mesh, pickle.loads(pickle.dumps(mesh))):
        assert facet.compile("atoms")(atoms, q=q, accuracy=1e-8) == pytest.approx(6 * np.exp(1j * q @ at.T / 10).sum(1), rel=1e-4)

    (tmp_path / "rough.cpp").write_text(ROUGH)
    kernel, width = facet.compile(tmp_path / "rough.cpp"), np.linspace(2, 8, len(FACES))
    angstrom = facet.Mesh(CORNERS, FACES, columns={"width": width}, unit="angstrom")
    nm = facet.Mesh(np.array(CORNERS) / 10, FACES, columns={"width": width / 10})
    how = {"q": q, "algorithm": "direct", "precision": "f64"}
    plan, wanted = kernel.plan(angstrom, **how), kernel.plan(nm, **how)
    assert plan() == pytest.approx(wanted(), rel=1e-12)
    assert plan.by_vertices(q[:, 0] + 0j) == pytest.approx(wanted.by_vertices(q[:, 0] + 0j), rel=1e-9)
    plan.set_mesh(nm)
    plan.set_mesh(angstrom)
    assert plan() == pytest.approx(wanted(), rel=1e-12)


def test_roughness_is_a_length():
    q, sigma = np.array([[0.5, 0.3, 1.0], [2.0, 1, 0]]), np.linspace(0.02, 0.08, len(FACES))
    large = facet.Mesh(CORNERS, FACES, columns={"sigma": sigma}, unit=10)
    nm = facet.Mesh(10 * np.array(CORNERS), FACES, columns={"sigma": 10 * sigma})
    rough = facet.compile("rough")
    assert rough(large, q=q, accuracy=1e-9) == pytest.approx(rough(nm, q=q, accuracy=1e-9), rel=1e-8)


@pytest.mark.parametrize("name", ["area", "normal.x", "centroid.y", "edge1.z"])
def test_own_columns_are_not_named_as_geometry(name):
    with pytest.raises(facet.Error, match=f"there is a column '{name}', and corners that say what it is"):
        facet.Mesh(CORNERS, FACES, columns={name: np.ones(4)})


def test_triangles_are_a_view():
    mesh = facet.Mesh(CORNERS, FACES)
    a, b = mesh.triangles, mesh.triangles
    assert a.__array_interface__["data"] == b.__array_interface__["data"]
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 0


def test_faces_are_a_view():
    mesh = facet.Mesh(CORNERS, FACES)
    assert np.shares_memory(mesh.faces, mesh.moved(CORNERS).faces)
    for of in mesh, pickle.loads(pickle.dumps(mesh)):
        assert np.array_equal(of.faces, FACES)
        with pytest.raises(ValueError, match="read-only"):
            of.faces[0] = 0


def test_views_outlive_the_mesh():
    mesh = facet.Mesh(CORNERS, FACES)
    triangles = mesh.triangles
    del mesh
    assert np.array_equal(triangles, CORNERS[FACES])


@pytest.mark.parametrize("extension", ["stl", "ply", "obj", "h5"])
def test_files(tmp_path, extension):
    path = tmp_path / f"mesh.{extension}"
    facet.Mesh(CORNERS, FACES).write(path)
    assert np.allclose(facet.Mesh.read(path).triangles, CORNERS[FACES], atol=1e-7)


def test_shapes():
    assert facet.Mesh.shape("box", size=[1, 2, 3]).report.volume == pytest.approx(6)
    assert facet.Mesh.shape("truncated_octahedron").report.closed
    with pytest.raises(facet.Error, match="did you mean 'sphere'"):
        facet.Mesh.shape("spere")


SHAPES = {name: (doc, arguments) for name, doc, arguments in _core.shapes()}


@pytest.mark.parametrize("shape", SHAPES)
def test_constructors(shape, command, tmp_path):
    """Each shape of `facet mesh make` is a constructor, with its arguments in their order, their defaults and what they are."""
    make = getattr(facet.Mesh, shape.replace("-", "_"))
    doc, arguments = SHAPES[shape]
    assert doc[1:] in make.__doc__ and all(f"{name}: {what}; " in make.__doc__ for name, _, _, what in arguments)
    parameters = inspect.signature(make).parameters.values()
    assert [(p.name, p.default) for p in parameters] == [(name, standard) for name, _, standard, _ in arguments]
    command("mesh", "make", shape, "-o", "shape.h5")
    assert np.array_equal(make().triangles, facet.Mesh.read(tmp_path / "shape.h5").triangles)


def test_arguments_of_shapes():
    assert facet.Mesh.sphere(10).report.high[2] == pytest.approx(10, rel=0.02) and len(facet.Mesh.sphere(10, n=4)) == 20 * 4**2
    assert facet.Mesh.box([30, 20, 10], refine=2).report.volume == pytest.approx(6000)
    with pytest.raises(facet.Error, match="cylinder.around: must be 3 or more"):
        facet.Mesh.cylinder(around=2)


def test_what_follows_lengths_is_by_name():
    for call, takes in ((lambda: facet.Mesh.box(20, 30, 10), "size, n"), (lambda: facet.Mesh.sphere(10, 4), "radius, n")):
        with pytest.raises(facet.Error, match=f"too many positional arguments\n  help: it takes {takes}, refine"):
            call()
    assert facet.Mesh.cylinder(5, 40, around=12).report.high[2] == 20
    assert facet.Mesh.frustum(10, 0, 30).report.volume == pytest.approx(2000)  # a pyramid on a square of 200 nm^2


def test_vectors_are_columns_of_three():
    vectors, table = np.arange(12.0).reshape(4, 3), np.arange(20.0).reshape(5, 4)
    mesh = facet.Mesh(CORNERS, FACES, columns={"m": vectors, "w": table})
    assert all(np.array_equal(mesh.columns[f"m.{axis}"], vectors[:, k]) for k, axis in enumerate("xyz"))
    assert np.array_equal(mesh.columns["w"], table) and set(mesh.columns) == {"m.x", "m.y", "m.z", "w"}
    records = facet.Mesh.records({"place": vectors, "Z": np.ones(4)})
    assert len(records) == 4 and np.array_equal(records.columns["place.y"], vectors[:, 1])
    assert len(facet.Mesh.records({"place": vectors})) == 4
    three = facet.Mesh(CORNERS, FACES[:3], columns={"w": np.ones((3, 3)) * 1j})
    assert three.columns["w"].shape == (3, 3)
    assert facet.Mesh(CORNERS, FACES[:3], columns={"w": np.ones((5, 3))}).columns["w"].shape == (5, 3)
    with pytest.raises(facet.Error, match="'m': .3, 3. of 3 records may be a vector of each, or 3 values of an axis"):
        facet.Mesh(CORNERS, FACES[:3], columns={"m": np.eye(3)})
    with pytest.raises(facet.Error, match="'m': there is a column 'm.x' too"):
        facet.Mesh(CORNERS, FACES, columns={"m": vectors, "m.x": np.ones(4)})


def test_pickle():
    mesh = facet.Mesh(CORNERS, FACES, columns={"contrast": [1, 2, 3, 4]}, name="tetrahedron")
    again = pickle.loads(pickle.dumps(mesh))
    assert np.array_equal(again.triangles, mesh.triangles) and again.name == "tetrahedron"
    assert np.array_equal(again.columns["contrast"], [1, 2, 3, 4])


def test_picture(tmp_path):
    mesh = facet.Mesh(CORNERS, FACES)
    mesh.picture(tmp_path / "mesh.png")
    assert (tmp_path / "mesh.png").read_bytes().startswith(b"\x89PNG")
    assert mesh._repr_png_().startswith(b"\x89PNG")


def test_rotated():
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert np.allclose(facet.Mesh(CORNERS, FACES).rotated(turn).triangles, CORNERS[FACES] @ np.transpose(turn))


@pytest.mark.parametrize("mesh, words", [
    (facet.Mesh(CORNERS, FACES, columns={f"moment.{axis}": np.ones(4) for axis in "xyz"}), "mesh: has vectors of its own, 'moment'"),
    (facet.Mesh.records({"weight": np.ones(4)}), "records: has records, and no triangles"),
], ids=["vectors", "records"])
def test_what_only_a_kernel_can_turn(mesh, words):
    with pytest.raises(facet.Error, match=f"{words}: a kernel knows .*\n  help: turn the plan, with plan.set_rotation"):
        mesh.rotated(np.eye(3))


def test_numbers_of_a_mesh_stay_as_it_turns(tmp_path):
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    mesh = facet.Mesh(CORNERS, FACES, columns={"contrast": [1, 2, 3, 4]})
    assert np.array_equal(mesh.rotated(turn).columns["contrast"], [1, 2, 3, 4])
    mesh.write(tmp_path / "mesh.txt")  # areas, normals, centroids
    assert facet.Mesh.read(tmp_path / "mesh.txt").rotated(turn).report.area == pytest.approx(mesh.report.area)


def test_a_surface_that_is_not_closed_is_said_once():
    mesh = facet.Mesh.sphere(10)
    exact = facet.kernels.exact
    half = facet.Mesh(mesh.triangles[:100], name="half")
    with pytest.warns(UserWarning, match=r"half: the mesh is open \(.*\n  help: close the mesh") as heard:
        exact(half, qz=[0.1, 0.2])
    assert [w.filename for w in heard] == [__file__]  # the caller's line
    inside_out = facet.Mesh(mesh.triangles[:, ::-1].copy())
    with pytest.warns(UserWarning, match="inside out"):
        exact.plan(inside_out, qz=[0.1, 0.2])
    plan = exact.plan(mesh, qz=[0.1, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact(half, qz=[0.3])  # said before
        exact(mesh, qz=[0.1, 0.2])
    with pytest.warns(UserWarning, match="the mesh is open"):
        plan.set_mesh(facet.Mesh(mesh.triangles[:100]))


def test_triangles_too_large_for_points_are_said():
    coarse, q = facet.Mesh.box([20, 20, 20], n=2), {"qy": "0.1:1:20", "qz": 0.3}
    with pytest.warns(UserWarning, match="takes each triangle for a point") as heard:
        facet.kernels.born(coarse, **q)
    assert [w.filename for w in heard] == [__file__]
    plan = facet.kernels.born.plan(coarse, **q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan()
        facet.kernels.exact(coarse, **q)
        facet.kernels.born(coarse.refined(40), qy="0.1:0.4:20", qz=0.1)
    with pytest.warns(UserWarning, match="takes each triangle for a point"):
        assert plan.error < 1e-5
    plan.set_mesh(coarse.refined(2))
    plan()
    with pytest.warns(UserWarning, match="takes each triangle for a point"):
        plan.error
