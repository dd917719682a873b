"""silx finds the curve of an NXcanSAS file, with axes, errors and units; SasView's attributes are there.

    silx_curve.py WRITER      (facet_write_curve)
"""
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import silx.io
from silx.io import nxdata

UNITS = {"absolute": "1/cm", "volume": "nm^3", "none": "arbitrary"}


def attributes(node, **expected):
    for name, value in expected.items():
        assert node.attrs[name] == value, f"{node.name}@{name} is {node.attrs.get(name)!r}"


def check(path, unit):
    with silx.io.open(path) as file:
        plot = nxdata.get_default(file)
        assert plot is not None and plot.is_valid and plot.is_curve, "no default curve"
        assert plot.axes_names == ["q (1/nm)"], plot.axes_names
        assert plot.title == "a ball of 10 nm", plot.title
        assert plot.errors is not None and plot.errors.shape == (60,), "no errors"
        assert plot.plot_style.signal_scale_type == "log", "not logarithmic"
        assert plot.plot_style.axes_scale_types == ("log",), plot.plot_style.axes_scale_types
    with h5py.File(path) as file:  # manual.nexusformat.org/classes/applications/NXcanSAS.html
        entry = file[file.attrs["default"]]
        attributes(entry, NX_class="NXentry", canSAS_class="SASentry", version="1.1")
        assert entry["definition"][()] == b"NXcanSAS"
        assert entry["title"][()] == b"a ball of 10 nm" and entry["run"][()] == b"facet"
        data = entry[entry.attrs["default"]]
        attributes(data, NX_class="NXdata", canSAS_class="SASdata", signal="I", axes="Q", I_axes="Q", Q_indices=0)
        attributes(data["Q"], units="1/nm")
        attributes(data["I"], units=unit, uncertainties="Idev")
        attributes(data["Idev"], units=unit)
        assert data["Q"].shape == data["I"].shape == data["Idev"].shape == (60,)
        assert np.isclose(data["Q"][0], 0.02) and np.all(np.diff(data["Q"]) > 0)
        attributes(entry["process"], kernel="exact", radius=10)
        assert entry["process/directions"][59] == 159
        assert entry["process/experiment"][()] == b'kernel = "exact"\n'


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        for name, unit in UNITS.items():
            check(f"{folder}/{name}.h5", unit)
    print(f"{len(UNITS)} curves shown by silx")


main()
