"""What data of a fit are made of: arrays, text, HDF5, images; no other numbers than are there."""
import h5py
import numpy as np
import pytest

import facet
from facet import fit


def test_what_numpy_masks_is_masked():
    values = np.ma.masked_array([1.0, 2, 100, 4], [0, 0, 1, 0])
    assert fit.Data(values).left_out.tolist() == [False, False, True, False]
    errors = np.ma.masked_array(np.ones(4), [1, 0, 0, 0])
    assert fit.Data.curve([0.1, 0.2, 0.3, 0.4], values, errors, mask=[0, 1, 0, 0]).left_out.tolist() == [True, True, True, False]
    q = np.ma.masked_array([0.1, 0.2], [1, 0])
    assert fit.Data.curve(q, [5, 6]).left_out.tolist() == [True, False]
    assert fit.Data(np.ma.masked_array([1.0, 2])).points == 2


def hdf5(path, values, axes="Q", entry="entry", unit="", **datasets):
    """A file with a group of data, as NXcanSAS and NXdata have it."""
    with h5py.File(path, "a") as file:
        group = file.create_group(f"{entry}/sasdata01")
        group.attrs.update({"signal": "I", "axes": axes})
        group["I"] = values
        for name, numbers in datasets.items():
            group[name] = numbers
        if unit:
            group[axes].attrs["units"] = unit
        if "Left" in datasets:
            group.attrs["mask"] = "Left"
    return path


@pytest.mark.parametrize("name", ["Mask", "Left"])
def test_mask_of_nxcansas(tmp_path, name):
    file = hdf5(tmp_path / "c.h5", [5.0, 4, 100], Q=[0.1, 0.2, 0.3], I_errors=[1.0, 1, 0], unit="1/nm", **{name: np.array([0, 0, 1], np.int8)})
    assert fit.Data.read(file).left_out.tolist() == [False, False, True]


def test_unit_of_hdf5_that_says_none(tmp_path):
    file = hdf5(tmp_path / "c.h5", [5.0, 4], Q=[0.01, 0.02])
    assert np.allclose(fit.Data.read(file, unit="1/angstrom").q, [0.1, 0.2])
    assert np.allclose(fit.Data.read(file).q, [0.01, 0.02])
    said = hdf5(tmp_path / "d.h5", [5.0, 4], Q=[0.1, 0.2], unit="1/nm")
    assert np.allclose(fit.Data.read(said, unit="1/angstrom").q, [0.1, 0.2])


@pytest.mark.parametrize("unit", ["deg", "rad", "mm", "pixel"])
def test_a_curve_over_angles_is_refused(tmp_path, unit):
    file = hdf5(tmp_path / "c.h5", [5.0, 4], axes="two_theta", two_theta=[0.1, 0.2], unit=unit)
    with pytest.raises(facet.Error, match=f"is over 'two_theta' in {unit}, which is no q\n  help: give its q"):
        fit.Data.read(file)


def test_a_second_entry(tmp_path):
    for entry, values in (("sasentry01", [5.0, 4]), ("sasentry02", [7.0, 6])):
        file = hdf5(tmp_path / "c.h5", values, entry=entry, Q=[0.1, 0.2])
    assert fit.Data.read(file).values.tolist() == [5, 4]
    for group in ("sasentry02", "sasentry02/sasdata01"):
        assert fit.Data.read(file, group=group).values.tolist() == [7, 6]
    with pytest.raises(facet.Error, match="has no group 'sasdata1'\n  help: did you mean 'sasdata01'"):
        fit.Data.read(file, group="sasentry02/sasdata1")


def test_counts_in_hdf5(tmp_path):
    image = np.array([[0, 1], [4, -1]])
    file = hdf5(tmp_path / "i.h5", image.astype(float), axes=["y", "x"], I_errors=np.sqrt(abs(image)))
    data = fit.Data.read(file, counts=True)
    assert data.counts and data.errors is None and data.left_out.tolist() == [[False, False], [False, True]]
    curve = fit.Data.read(hdf5(tmp_path / "c.h5", [5.0, 0], Q=[0.1, 0.2], I_errors=[2.0, 0]), counts=True)
    assert curve.counts and curve.points == 2


def test_dead_pixels_of_hdf5(tmp_path):
    image = np.array([[5, -1], [4, 7]])
    dead = fit.Data.read(hdf5(tmp_path / "i.h5", image, axes=["y", "x"], I_errors=np.ones((2, 2))))
    assert dead.left_out.tolist() == [[False, True], [False, False]]
    corrected = fit.Data.read(hdf5(tmp_path / "f.h5", image.astype(float), axes=["y", "x"], I_errors=np.ones((2, 2))))
    assert corrected.points == 4


TEXTS = {
    "decimal commas": "q;I;dI\n0,01;123,4;1,2\n0,02;120,1;1,1\n",
    "a mark of the order of bytes": "\ufeff0.01 123.4 1.2\n0.02 120.1 1.1\n",
    "a heading with units": "# Q (1/nm) I [1/cm] dI\n0.01 123.4 1.2\n0.02 120.1 1.1\n",
    "comments": "# by hand\n\nSample 7 at 300 K\n0.01,123.4,1.2\n# here the next began\n0.02,120.1,1.1,\n",
}


@pytest.mark.parametrize("case", TEXTS)
def test_text(case, tmp_path):
    (tmp_path / "c.csv").write_text(TEXTS[case], encoding="utf-8")
    data = fit.Data.read(tmp_path / "c.csv")
    assert data.q.tolist() == [0.01, 0.02] and data.values.tolist() == [123.4, 120.1] and data.errors.tolist() == [1.2, 1.1]


REFUSED = {
    "decimal commas amid spaces": ("0,01 123,4\n0,02 120,1\n", "c.csv:1: no numbers: 0,01 123,4"),
    "an index of pandas": (",q,I,dI\n0,0.01,100,1\n1,0.02,90,1\n", "its columns are called , q, I, dI\n  help: give q I dI as the first"),
    "another order": ("q,dI,I\n0.01,1,100\n", "its columns are called q, dI, I"),
    "errors of q": ("#q I dQ dI\n0.01 100 0.001 1\n", "its columns are called #q, I, dQ, dI"),
    "an image": ("Qx Qy I\nASCII\n0.1 0.2 30\n", "its columns are called Qx, Qy, I"),
    "an empty cell": ("0.01,5,1,9\n0.02,,1,9\n", "c.csv:2: no numbers: 0.02,,1,9"),
    "an empty cell at first": ("0.01,,1,9\n0.02,5,1,9\n", "c.csv:1: no numbers"),
    "a first row without I": ("0.1 --- 1\n0.2 5 1\n", "c.csv:1: no numbers: 0.1 --- 1\n  help: give columns q I dI, and begin headings"),
    "a first row without q": ("--- 5 1\n0.2 5 1\n", "c.csv:1: no numbers: --- 5 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_text(case, tmp_path):
    text, words = REFUSED[case]
    (tmp_path / "c.csv").write_text(text)
    with pytest.raises(facet.Error, match=words):
        fit.Data.read(tmp_path / "c.csv")


def test_files_of_several_images_are_refused(tmp_path):
    fabio = pytest.importorskip("fabio")
    both = fabio.edfimage.EdfImage(data=np.ones((2, 3), np.int32))
    both.append_frame(data=np.full((2, 3), 9, np.int32))
    both.write(str(tmp_path / "two.edf"))
    with pytest.raises(facet.Error, match="two.edf: is to hold one image, and fabio finds 2 images\n  help: save one alone"):
        fit.Data.read(tmp_path / "two.edf")


def test_an_image_that_fabio_cannot_make_out(tmp_path, monkeypatch):
    """As of a TIFF with a stack, of which it opens the file alone."""
    fabio = pytest.importorskip("fabio")
    fabio.tifimage.TifImage(data=np.ones((2, 3), np.int32)).write(str(tmp_path / "a.tif"))
    opened = fabio.open(str(tmp_path / "a.tif"))
    monkeypatch.setattr(fabio, "open", lambda name: opened)
    for data, words in ((None, "none"), (np.ones((2, 3, 3)), r"an array of the shape \(2, 3, 3\)")):
        opened.data = data
        with pytest.raises(facet.Error, match=f"a.tif: is to hold one image, and fabio finds {words}"):
            fit.Data.read(tmp_path / "a.tif")


#: as a unit of q states it: nm^-1 of one, None: not understood
SPELLINGS = {"1/nm": 1, "nm^-1": 1, "nm-1": 1, "nm**-1": 1, "NM^-1": 1, "nm⁻¹": 1, "1 / nm": 1, "nm^{-1}": 1, "1/nanometre": 1,
             "inverse nanometers": 1, "1/A": 10, "A^-1": 10, "A-1": 10, "1/Å": 10, "Å⁻¹": 10, "1/\u212b": 10, "1/Angstrom": 10,
             "1/angstroms": 10, "1/ANGSTROM": 10, "angstrom-1": 10, "Angstrom^-1": 10, "1/ang": 10, "inverse Angstrom": 10,
             "\\AA^{-1}": 10, "1/um": 1e-3, "1/µm": 1e-3, "1/μm": 1e-3, "1/m": 1e-9, "1/cm": 1e-7, "1/pixel": None, "furlong": None}


@pytest.mark.parametrize("unit", SPELLINGS)
def test_a_unit_of_q_is_understood_or_refused(unit, tmp_path):
    size, files = SPELLINGS[unit], {"of the argument": ("q I\n0.1 5\n0.2 4\n", {"unit": unit})}
    files |= {heading: (f"{heading}\n0.1 5\n0.2 4\n", {}) for heading in (f"# Q ({unit}) I [1/cm]", f"q[{unit}],I", f"# q: {unit}")}
    said = hdf5(tmp_path / "c.h5", [5.0, 4], Q=[0.1, 0.2], unit=unit)
    for name, (text, options) in files.items():
        file = tmp_path / "c.txt"
        file.write_text(text, encoding="utf-8")
        if size is not None:
            assert np.allclose(fit.Data.read(file, **options).q, [0.1 * size, 0.2 * size], rtol=1e-12), name
        elif not name.startswith("# q:"):
            with pytest.raises(facet.Error, match=unit):
                fit.Data.read(file, **options)
    if size is None:
        with pytest.raises(facet.Error, match=f"the unit of q is '{unit}'"):
            fit.Data.read(said)
    else:
        assert np.allclose(fit.Data.read(said).q, [0.1 * size, 0.2 * size], rtol=1e-12)


CONTRADICTIONS = {
    "# q (1/A) I\n# q (1/nm) I\n0.1 5\n": ({}, "states q in '1/nm', and another in '1/A'"),
    "# q (1/A) I\n0.1 5 \n": ({"unit": "1/nm"}, "states q in '1/A', and unit is \"1/nm\""),
    "# q (steps) I\n0.1 5 \n": ({}, "states q in 'steps', which is no unit of q"),
    "# converted from 1/A\n0.1 5 \n": ({}, "speaks of '1/A', and does not say that q is in it"),
}


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_units_of_q_that_contradict(text, tmp_path):
    options, words = CONTRADICTIONS[text]
    (tmp_path / "c.txt").write_text(text)
    with pytest.raises(facet.Error, match=words):
        fit.Data.read(tmp_path / "c.txt", **options)


def test_a_file_that_states_no_unit_says_so(tmp_path):
    (tmp_path / "c.txt").write_text("q I\n0.1 5\n0.2 4\n")
    with pytest.warns(UserWarning, match="states no unit of q, which is taken as 1/nm"):
        assert fit.Data.read(tmp_path / "c.txt").q.tolist() == [0.1, 0.2]
