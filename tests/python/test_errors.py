"""Bad input from Python: one exception each, that says what, where, what to do."""
import h5py
import numpy as np
import pytest

import facet

MESH = facet.Mesh.shape("box")
TRIANGLE = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]


def masked(values):
    """The first of them is."""
    array = np.ma.array(values)
    array[(0,) * array.ndim] = np.ma.masked
    return array


BAD = {
    "a vertex is NaN": (lambda k: facet.Mesh([[np.nan, 0, 0], *TRIANGLE[1:]], [[0, 1, 2]]), "triangle 1: a corner is NaN"),
    "vertices of two numbers": (lambda k: facet.Mesh([[0, 0], [1, 0]], [[0, 1, 1]]), r"vertices: has the shape \(2, 2\)"),
    "vertices are words": (lambda k: facet.Mesh([["a", "b", "c"]], [[0, 0, 0]]), "vertices: no array of real numbers"),
    "complex vertices": (lambda k: facet.Mesh(np.array(TRIANGLE) * 1j, [[0, 1, 2]]), "vertices: no array of real numbers"),
    "faces are fractions": (lambda k: facet.Mesh(TRIANGLE, [[0.0, 1.0, 2.0]]), "faces: have the shape"),
    "a face beyond the vertices": (lambda k: facet.Mesh(TRIANGLE, [[0, 1, 3]]), "faces: name vertices 0 to 3, of 3"),
    "a face before the vertices": (lambda k: facet.Mesh(TRIANGLE, [[0, 1, -1]]), "faces: name vertices -1 to 1"),
    "no triangles": (lambda k: facet.Mesh(np.zeros((0, 3, 3))), "no triangles"),
    "triangles without area": (lambda k: facet.Mesh(TRIANGLE, [[0, 0, 1]]), "zero area"),
    "a column too short": (lambda k: facet.Mesh(TRIANGLE, [[0, 1, 2]], columns={"c": [1, 2]}), "column 'c' has 2 values for 1"),
    "masked vertices": (lambda k: facet.Mesh(masked(TRIANGLE), [[0, 1, 2]]), "vertices: has masked values\n  help: leave them out"),
    "masked triangles": (lambda k: facet.Mesh(masked([TRIANGLE])), "triangles: has masked values"),
    "masked faces": (lambda k: facet.Mesh(TRIANGLE, masked([[0, 1, 2]])), "faces: has masked values"),
    "a masked column": (lambda k: facet.Mesh(TRIANGLE, [[0, 1, 2]], columns={"c": masked([1])}), "column 'c': has masked values"),
    "no unit": (lambda k: facet.Mesh(TRIANGLE, [[0, 1, 2]], unit="inch"), "unit 'inch'"),
    "a unit of 0": (lambda k: facet.Mesh(TRIANGLE, [[0, 1, 2]], unit=0), "greater than 0"),
    "no such file": (lambda k: facet.Mesh.read("nowhere.stl"), "nowhere.stl"),
    "an unknown argument of a shape": (lambda k: facet.Mesh.shape("sphere", radus=1), "did you mean 'radius'"),
    "no kernel of this name": (lambda k: facet.compile("exat"), "did you mean 'exact'"),
    "no kernel file": (lambda k: facet.compile("none.cpp"), "none.cpp: no such kernel file"),
    "no kernel in the text": (lambda k: facet.compile("int main() {\n}\n"), r"\^"),
    "q of two numbers": (lambda k: k(MESH, q=[[0, 1]]), r"q: has the shape \(1, 2\)"),
    "q and qz": (lambda k: k(MESH, q=[[0, 0, 1]], qz=1.0), "q: is a list of q"),
    "qz is a table": (lambda k: k(MESH, qz=[[0, 1], [2, 3]]), "qz: no list of numbers"),
    "qz is a word": (lambda k: k(MESH, qz="many"), "many"),
    "qz is NaN": (lambda k: k(MESH, qz=[0.1, np.nan]), "qz: value number 2 is not a finite number"),
    "masked q": (lambda k: k(MESH, q=masked([[0, 0, 1]])), "q: has masked values"),
    "masked qz": (lambda k: k(MESH, qz=masked([0.1, 0.2])), "qz: has masked values"),
    "a masked parameter": (lambda k: k(MESH, qz=1.0, sigma=masked([1])), "parameter 'sigma': has masked values"),
    "a masked cotangent": (lambda k: k.plan(MESH, qz=[0.1, 0.2]).vjp(masked([1, 2])), "cotangent: has masked values"),
    "a masked change": (lambda k: k.plan(MESH, qz=1.0).jvp(masked(MESH.triangles)), "change: has masked values"),
    "no q": (lambda k: k(MESH, qz=[]), "."),
    "too accurate": (lambda k: k(MESH, qz=1.0, accuracy=1e-20), "out of reach"),
    "no such algorithm": (lambda k: k(MESH, qz=1.0, algorithm="nuft"), "did you mean 'nufft'"),
    "no such precision": (lambda k: k(MESH, qz=1.0, precision="f16"), "f16"),
    "no such target": (lambda k: k(MESH, qz=1.0, target="avx3"), "avx3"),
    "no such parameter": (lambda k: k(MESH, qz=1.0, sigma=1), "sigma"),
    "a parameter is a word": (lambda k: k(MESH, qz=1.0, sigma="x"), "parameter 'sigma': no number"),
    "a parameter is beyond all doubles": (lambda k: k(MESH, qz=1.0, sigma=10**400), "parameter 'sigma': no number"),
    "no rotation": (lambda k: k.plan(MESH, qz=1.0).set_rotation(np.ones((3, 3))), "is no rotation"),
    "a mirror": (lambda k: k.plan(MESH, qz=1.0).set_rotation(-np.eye(3)), "is no rotation"),
    "too little memory": (lambda k: k(MESH, qy="-1:1:1000", qz="0:1:1000", memory="1kB"), "(?i)allow more"),
}


@pytest.mark.parametrize("case", BAD)
def test_refused(exact, case):
    call, words = BAD[case]
    with pytest.raises(facet.Error, match=words) as caught:
        call(exact)
    assert caught.value.exit in (1, 2)


def test_after_errors_all_is_well(exact):
    assert np.isfinite(exact(MESH, qz=[0.1, 0.2])).all()


def test_what_double_cannot_verify_is_said(exact):
    with pytest.warns(UserWarning, match="an error of 1e-09 of max.F. cannot be verified in double.*\n  help: q.r is large"):
        exact(MESH, qx=3e7, qy=np.linspace(-1, 1, 7) * 1e8, qz=np.linspace(0.1, 2, 6) * 1e8, accuracy=1e-9)


def test_errors_travel():
    import pickle

    error = pickle.loads(pickle.dumps(facet.Error("what\n  help: do", 3)))
    assert str(error) == "what\n  help: do" and error.exit == 3


def test_what_crashes_hdf5_is_an_error(tmp_path):
    path = tmp_path / "itself.h5"
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout(shape=(3, 3, 3), dtype=float)
        layout[...] = h5py.VirtualSource(".", "entry/triangles", shape=(3, 3, 3))
        file.create_virtual_dataset("entry/triangles", layout)
    for read in (facet.Result, facet.fit.Data.read, facet.Mesh.read):
        with pytest.raises(facet.Error, match=r"itself\.h5: HDF5 crashes when it reads /entry/triangles of it"):
            read(path)
    with h5py.File(path, "w") as file:
        file["I"] = [1.0]
    with facet.trial.opened(path) as file:  # written anew: tried anew
        assert file["I"][0] == 1


def test_what_hdf5_cannot_list_is_an_error(tmp_path):
    path = tmp_path / "unlisted.h5"
    with h5py.File(path, "w") as file:
        file.create_group("data").attrs.update({"first": 1.0, "second": 2.0})
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index(b"second\0") - 8] = 77  # of a version that there is not
    path.write_bytes(damaged)
    for read in (facet.Result, facet.fit.Data.read, facet.Mesh.read):
        with pytest.raises(facet.Error, match=r"unlisted\.h5: HDF5 (cannot list what is in|crashes when it reads) /data"):
            read(path)


def test_what_steers_a_terminal_is_text():
    with pytest.raises(facet.Error, match=r"^\\u001b\[31m\.stl: ") as refused:
        facet.Mesh.read("\x1b[31m.stl")
    assert "\x1b" not in str(refused.value)
    with pytest.warns(UserWarning, match=r"^a\\u0007$"):
        facet.errors.warn("a\a")
    assert str(facet.Error("a\0b")) == r"a\u0000b"
