"""Odd files of data: each is read right, or refused by a message that names the thing."""
import shutil
import warnings

import h5py
import numpy as np
import pytest

import facet
from facet import fit

ROWS = "0.01 123.4 1.2\n0.02 120.1 1.1\n"
BASE = ([0.01, 0.02], [123.4, 120.1], [1.2, 1.1], [False, False])
TWO = "0.01 123.4\n0.02 120.1\n0.03 110\n"

#: text or bytes, and the curve (q, I, dI, left out), or words of a refusal; words of a warning
TEXTS = {
    "count line": ("2\n" + ROWS, BASE, ""),
    "heading and count line": ("sample 7\n  2\nq I dI\n" + ROWS, BASE, ""),
    "wrong count line": ("5\n" + ROWS, "c.txt:1: a number alone, 5, and 2 rows follow", ""),
    "count of rows and columns": ("3 2\n" + TWO, ([0.01, 0.02, 0.03], [123.4, 120.1, 110], None, [False] * 3), ""),
    "numbers alone": ("5\n6\n7\n", "1 columns", ""),
    "footer": (ROWS + "\nEnd of data\nmeasured by hand\n", BASE, ""),
    "footer of comments": (ROWS + "# end\n", BASE, ""),
    "words amid rows": ("0.01 123.4 1.2\npaused\n0.02 120.1 1.1\n", "c.txt:2: no numbers: paused", ""),
    "UTF-16 little endian": (("# q I dI\n" + ROWS).encode("utf-16"), BASE, ""),
    "UTF-16 big endian": (b"\xfe\xff" + ROWS.encode("utf-16-be"), BASE, ""),
    "UTF-16 without a mark": (ROWS.encode("utf-16-le"), "bytes that are 0, and is no text in UTF-8", ""),
    "UTF-8 with a mark": (b"\xef\xbb\xbf" + ROWS.encode(), BASE, ""),
    "Latin-1": ("# Probe für Å\n".encode("latin-1") + ROWS.encode(), BASE, ""),
    "unit in Latin-1": ("q (Å^-1) I dI\n0.001 123.4 1.2\n0.002 120.1 1.1\n".encode("latin-1"), BASE, ""),
    "CR": (ROWS.replace("\n", "\r").encode(), BASE, ""),
    "CRLF and tabs": (ROWS.replace(" ", "\t").replace("\n", "\r\n").encode(), BASE, ""),
    "Fortran D": ("1.0D-02 1.234D+02 .12d1\n2.0d-02 1.201D2 1.1D+0\n", BASE, ""),
    "Fortran stars": ("0.01 ******** 1.2\n", "c.txt:1: no numbers: 0.01 \\*\\*\\*", ""),
    "digits parted by _": ("0.01 1_000 1.2\n", "c.txt:1: no numbers: 0.01 1_000", ""),
    "NaN in I": ("# q I dI\n" + ROWS + "0.03 nan 1\n", ([0.01, 0.02, 0.03], [123.4, 120.1, None], [1.2, 1.1, 1], [False, False, True]),
                 "c.txt:4: NaN or infinite; 1 of 3 rows are left out"),
    "infinite dI": (ROWS + "0.03 7 inf\n", ([0.01, 0.02, 0.03], [123.4, 120.1, 7], [1.2, 1.1, None], [False, False, True]), "c.txt:3: NaN"),
    "NaN in q": (ROWS + "nan 7 1\n", "c.txt:3: q is nan", ""),
    "dQ": ("0.01 123.4 1.2 0.001\n0.02 120.1 1.1 0.001\n", BASE, "of 4 columns q I dI are read; a resolution dQ in the others is left out"),
    "NIST's six columns": ("0.01 123.4 1.2 1e-3 0.01 1\n0.02 120.1 1.1 1e-3 0.02 1\n", BASE, "of 6 columns q I dI are read"),
    "short row": ("0.01 123.4 1.2\n0.02 120.1\n", "c.txt:2: 2 columns, 3 in the first row", ""),
    "nothing": ("", "no numbers", ""),
    "a spreadsheet": (b"PK\x03\x04\0\0", "bytes that are 0, and is no text", ""),
}


def read(path, warning="", **options):
    """Data of a file; its warnings apart from that of q without a unit are exactly that one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = fit.Data.read(path, **options)
    texts = [str(one.message) for one in caught if "states no unit" not in str(one.message)]
    assert len(texts) == bool(warning) and all(warning in text for text in texts), texts
    return data


def check(path, expected, warning="", **options):
    if isinstance(expected, str):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(facet.Error, match=expected) as raised:
                fit.Data.read(path, **options)
        assert path.name in str(raised.value) and "\n  help: " in str(raised.value)
        return
    data = read(path, warning, **options)
    q, values, errors, left_out = expected
    keep = ~np.array(left_out)
    assert np.allclose(data.q, q) and data.left_out.tolist() == left_out
    assert np.allclose(data.values[keep], np.array(values, float)[keep])
    assert data.errors is None if errors is None else np.allclose(data.errors[keep], np.array(errors, float)[keep])


@pytest.mark.parametrize("case", TEXTS)
def test_odd_text(case, tmp_path):
    content, expected, warning = TEXTS[case]
    (tmp_path / "c.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
    check(tmp_path / "c.txt", expected, warning)


def cansas(points, root="SASroot", curves=1):
    data = "<SASdata>" + "".join(f"<Idata>{point}</Idata>" for point in points) + "</SASdata>"
    return f'<?xml version="1.0"?>\n<{root} xmlns="urn:cansas1d:1.1"><SASentry>{data * curves}</SASentry></{root}>'


POINTS = ['<Q unit="1/A">0.001</Q><I unit="1/cm">123.4</I><Idev unit="1/cm">1.2</Idev>',
          '<Q unit="1/A">0.002</Q><I unit="1/cm">120.1</I><Idev unit="1/cm">1.1</Idev>']
XML = {
    "canSAS": (cansas(POINTS), BASE, ""),
    "with Qdev": (cansas([point + '<Qdev unit="1/A">1e-4</Qdev>' for point in POINTS]), BASE, ""),
    "without Idev": (cansas([point.split("<Idev")[0] for point in POINTS]), (*BASE[:2], None, BASE[3]), ""),
    "Idev of one": (cansas([POINTS[0].split("<Idev")[0], POINTS[1]]), "point 1: Idev is no number", ""),
    "two units": (cansas([POINTS[0], POINTS[1].replace("1/A", "1/nm")]), "states? q in '1/A' and '1/nm'", ""),
    "a unit unknown": (cansas([point.replace("1/A", "furlong") for point in POINTS]), "the unit of q is 'furlong'", ""),
    "two curves": (cansas(POINTS, curves=2), r"holds 2 curves \(SASdata\)", ""),
    "another XML": (cansas(POINTS, root="html"), "XML of <html>, not of canSAS", ""),
    "broken": (cansas(POINTS)[:-9], "no XML that can be read", ""),
}


@pytest.mark.parametrize("case", XML)
def test_cansas_xml(case, tmp_path):
    text, expected, warning = XML[case]
    (tmp_path / "c.xml").write_text(text)
    check(tmp_path / "c.xml", expected, warning)


def image(kind, marks):
    """An image of 4 x 5 counts with marks at its beginning."""
    values = np.arange(20).reshape(4, 5).astype(kind)
    values.flat[:len(marks)] = marks
    return values


#: dtype, marks, how many of them are left out, words of the warning
MARKS = {
    "uint8": ("u1", [255], 1, "1 of 20 pixels have no value and are left out: 1 of 255, the largest uint8"),
    "uint16": ("u2", [65535, 65535], 2, "2 of 65535, the largest uint16"),
    "uint16 below": ("u2", [65534], 0, ""),
    "uint32": ("u4", [2**32 - 1], 1, "1 of 4294967295, the largest uint32"),
    "uint32 dead": ("u4", [2**32 - 1, 2**32 - 2], 2, "1 of 4294967294, by which detectors of 32 bits mark"),
    "uint64": ("u8", [2**64 - 1, 2**64 - 2, 2**32 - 1], 3, "1 of 18446744073709551615, the largest uint64"),
    "int16": ("i2", [-1, 32767], 2, "1 below 0, 1 of 32767, the largest int16"),
    "int32": ("i4", [-1, -2, 2**31 - 1], 3, "2 below 0, 1 of 2147483647, the largest int32"),
    "int64": ("i8", [2**32 - 1, -1], 2, "1 of 4294967295, by which"),
    "float32": ("f4", [2**32 - 1, np.nan], 2, "1 of 4294967296, by which"),
    "float64": ("f8", [2**32 - 1], 1, "1 of 4294967295, by which"),
    "uint32 of 16 bits": ("u4", [65535], 0, "1 pixels are 65535, and none is above: they count as measured"),
    "uint32 above 16 bits": ("u4", [65535, 70000], 0, ""),
}


@pytest.mark.parametrize("case, form", [(case, form) for case in MARKS for form in ("edf", "tif", "h5")
                                        if (case, form) != ("float64", "tif")])  # fabio writes none
def test_pixels_without_a_value(case, form, tmp_path):
    kind, marks, absent, warning = MARKS[case]
    fabio, values, file = pytest.importorskip("fabio"), image(kind, marks), tmp_path / f"i.{form}"
    if form == "h5":
        master(file, values, frame=values)
        if kind[0] == "f":
            warning = warning.replace(", below", "")
    else:
        {"edf": fabio.edfimage.EdfImage, "tif": fabio.tifimage.TifImage}[form](data=values).write(str(file))
        assert fabio.open(str(file)).data.dtype == values.dtype
    data = read(file, warning)
    assert np.flatnonzero(data.left_out).tolist() == list(range(absent))
    assert data.values[3, 4] == 19 and data.points == 20 - absent
    assert (f"{20 - absent} points, {absent} left out" in repr(data)) == bool(absent)


def master(path, values, frame=None, parts=(), **detector):
    """As Dectris writes it: images in parts that are links, and what is known of the detector."""
    with h5py.File(path, "w") as file:
        data = file.create_group("entry/data")
        data.attrs["NX_class"] = "NXdata"
        for k, name in enumerate(parts, 1):
            data[f"data_{k:06d}"] = h5py.ExternalLink(name, "/entry/data/data")
        if frame is not None:
            data["data"] = frame
        for name, value in detector.items():
            file[f"entry/instrument/detector/{'detectorSpecific/' if name.startswith('count') else ''}{name}"] = value
    return path


def part(path, frames, **options):
    with h5py.File(path, "w") as file:
        file.create_dataset("entry/data/data", data=frames, **options)


def test_a_master_file(tmp_path):
    values = image("u4", [2**32 - 1, 3, 100, 65535])
    mask = np.zeros((4, 5), "u4")
    mask[3, 4] = 1
    part(tmp_path / "a_data_000001.h5", values[None])
    known = {"pixel_mask": mask, "countrate_correction_count_cutoff": 100, "bit_depth_image": 16}
    file = master(tmp_path / "a_master.h5", values, parts=["a_data_000001.h5"], **known)
    data = read(file, "4 of 20 pixels have no value and are left out: 1 by its pixel_mask, 3 at the countrate cutoff 100")
    assert np.flatnonzero(data.left_out).tolist() == [0, 2, 3, 19] and data.values[0, 1] == 3
    bits = read(master(tmp_path / "b.h5", values, frame=values, bit_depth_image=16), "1 of 65535, the largest of the 16 bits")
    assert np.flatnonzero(bits.left_out).tolist() == [0, 3]
    top = read(master(tmp_path / "s.h5", values, frame=image("i4", [9, 10, 11]), saturation_value=18), "1 above the saturation_value 18")
    assert np.flatnonzero(top.left_out).tolist() == [19]


def test_hdf5_that_is_refused(tmp_path, monkeypatch):
    lost = master(tmp_path / "lost.h5", None, parts=["lost_data_000001.h5"])
    check(lost, "its 'data_000001' is /entry/data/data of the file 'lost_data_000001.h5', which is not there")
    part(tmp_path / "p.h5", image("u4", [])[None])
    check(master(tmp_path / "two.h5", None, parts=["p.h5", "p.h5"]), "holds 2 images in 2 parts, data_000001 to data_000002")
    check(master(tmp_path / "m.h5", None, frame=image("u4", []), pixel_mask=np.zeros((2, 2))), r"its pixel_mask has the shape \(2, 2\)")
    (tmp_path / "no.h5").write_text("0.1 5\n")
    check(tmp_path / "no.h5", "no image or curve that can be read")
    part(tmp_path / "packed.h5", image("u4", [])[None], compression="lzf")
    packed = master(tmp_path / "packed_master.h5", None, parts=["packed.h5"])
    assert read(packed).values[3, 4] == 19
    with h5py.File(tmp_path / "w.h5", "w", libver="latest") as file:
        file.create_group("entry/data").create_dataset("I", data=image("u4", []))
        file.swmr_mode = True
        shutil.copy(tmp_path / "w.h5", tmp_path / "written.h5")  # as another process sees it
    check(tmp_path / "written.h5", "another program is writing this file")
    monkeypatch.setattr(h5py.h5z, "filter_avail", lambda code: code != 32000)
    check(packed, r"'data_000001' is compressed by the filter 32000 \(lzf\), which is not here\n  help: pip install hdf5plugin")


def test_resolution_and_old_signals_in_hdf5(tmp_path):
    with h5py.File(tmp_path / "c.h5", "w") as file:
        group = file.create_group("entry/data")
        group.attrs.update({"signal": "I", "I_axes": "Q"})
        group["I"], group["Q"], group["Qdev"] = [5.0, 4], [0.1, 0.2], [0.01, 0.01]
        group["Q"].attrs["units"] = "1/nm"
    assert read(tmp_path / "c.h5").resolution["dq"].tolist() == [0.01, 0.01]
    with h5py.File(tmp_path / "old.nxs", "w") as file:
        file["entry/data/counts"] = image("i4", [-1])
        file["entry/data/counts"].attrs["signal"] = 1
    assert read(tmp_path / "old.nxs", "1 below 0").points == 19


def test_what_headers_state(tmp_path):
    fabio = pytest.importorskip("fabio")
    header = {"Dummy": "-10.0", "DDummy": "0.1"}
    fabio.edfimage.EdfImage(data=image("f4", [-10, -10.05, 7]), header=header).write(str(tmp_path / "d.edf"))
    assert read(tmp_path / "d.edf", "2 of -10, the header's Dummy").points == 18
    cbf = fabio.cbfimage.CbfImage(data=image("i4", [-1, -2, 500, 7]))
    cbf.header["_array_data.header_contents"] = "# Detector: PILATUS 1M\r\n# Count_cutoff 500 counts"
    cbf.write(str(tmp_path / "p.cbf"))
    assert read(tmp_path / "p.cbf", "1 at the Count_cutoff 500 or above, 2 below 0").points == 17
    np.save(tmp_path / "c.npy", np.ones((7, 3)))
    check(tmp_path / "c.npy", r"an array of the shape \(7, 3\) may be a curve")


CORNERS = np.array([[[0.0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
                    [[0, 0, 0], [0, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]])


def mesh(path, *groups, **options):
    with h5py.File(path, "w") as file:
        for group in groups:
            file.create_dataset(f"{group}/triangles", data=CORNERS, **options)
            file[group].attrs["units"] = "angstrom"
    return path


def test_hdf5_meshes_in_groups_and_with_filters(tmp_path):
    assert np.isclose(facet.Mesh.read(mesh(tmp_path / "one.h5", "entry/mesh")).report.volume, 1e-3 / 6)
    with pytest.raises(facet.Error, match="several groups hold a mesh: /a, /b"):
        facet.Mesh.read(mesh(tmp_path / "two.h5", "a", "b"))
    packed = mesh(tmp_path / "packed.h5", "/", compression="lzf")
    with pytest.raises(facet.Error, match=r"dataset /triangles is compressed by the filter 32000 \(lzf\), which is not here"):
        facet.Mesh.read(packed)


def test_a_mesh_that_is_being_written(tmp_path):
    with h5py.File(tmp_path / "w.h5", "w", libver="latest") as file:
        file["triangles"] = CORNERS
        file.swmr_mode = True
        shutil.copy(tmp_path / "w.h5", tmp_path / "written.h5")  # as another process sees it
    with pytest.raises(facet.Error, match="another program is writing this file"):
        facet.Mesh.read(tmp_path / "written.h5")
