"""silx finds the default plot of every kind of result, with the right shape, axes and numbers.

    silx_default.py WRITER      (facet_write_results)
"""
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import silx.io
from silx.io import nxdata

# kind of result: shape of |F|^2, what silx takes it for, labels of its axes
EXPECTED = {
    "image": ((5, 6), "image", ["qz (1/nm)", "qy (1/nm)"]),
    "absorbing": ((5, 6), "image", ["qz (1/nm)", "qy (1/nm)"]),
    "plane": ((6, 4), "image", ["qy (1/nm)", "qx (1/nm)"]),
    "detector": ((3, 4), "image", [None, None]),
    "curve": ((50,), "curve", ["qy (1/nm)"]),
    "line": ((12,), "curve", ["qz (1/nm)"]),
    "one": ((1,), "curve", ["qx (1/nm)"]),
    "scatter": ((12,), "scatter", ["qy (1/nm)", "qz (1/nm)"]),
    "volume": ((2, 3, 4), "stack", ["qx (1/nm)", "qy (1/nm)", "qz (1/nm)"]),
}


def kind(plot):
    if plot.is_image:
        return "image"
    if plot.is_x_y_value_scatter:
        return "scatter"
    return "curve" if plot.is_curve else "stack"


def check(folder, name, way, shape, what, labels):
    with silx.io.open(f"{folder}/{name}{way}.h5") as file:
        plot = nxdata.get_default(file)
        assert plot is not None and plot.is_valid, "no default plot"
        assert plot.signal.shape == shape, plot.signal.shape
        assert kind(plot) == what, kind(plot)
        assert plot.axes_names == labels, plot.axes_names
        assert plot.title == name, plot.title
        assert plot.signal_name == "|F|^2" or plot.signal_dataset_name == "I"
    with h5py.File(f"{folder}/{name}{way}.h5") as file:
        f = file["/entry/amplitude/F"][()]
        assert f.dtype == complex, f.dtype  # h5py knows the compound {r, i}
        default = file["/entry"].attrs["default"]
        intensity = file[f"/entry/{default}/I"][()]
        assert intensity.sum() > 0
        assert np.isclose(intensity.sum(), (abs(f) ** 2).sum())
        if name == "image":  # (x, y, z) turned so that qz is upright
            assert np.allclose(intensity, abs(f[0].T) ** 2)
        process = file["/entry/process"]
        assert process.attrs["kernel"] == "born" and process.attrs["measured_error"] == 1.5e-7
        assert process["experiment"][()].decode().startswith("kernel")
        assert file[f"/entry/{default}/I"].attrs["units"] == "nm^6"


def same(folder, name, other):
    """All datasets and attributes of another file of the same result, names and bits."""
    def content(file):
        found = {}

        def visit(path, thing):
            found[path] = {k: str(v) for k, v in thing.attrs.items()}
            if isinstance(thing, h5py.Dataset):
                found[path]["="] = (thing.dtype, thing.shape, np.asarray(thing[()]).tobytes() if thing.dtype != object else thing[()])
        file.visititems(visit)
        return found
    with h5py.File(f"{folder}/{name}.h5") as a, h5py.File(f"{folder}/{name}.{other}.h5") as b:
        assert content(a) == content(b), f"{other}: not the same as written at once"
        assert (b["/entry/amplitude/F"].compression is not None) == (other == "compressed")


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        for name, (shape, what, labels) in EXPECTED.items():
            try:
                for way in ("", ".tiled", ".compressed"):
                    check(folder, name, way, shape, what, labels)
                same(folder, name, "tiled")
                same(folder, name, "compressed")
            except AssertionError as error:
                sys.exit(f"{name}: {error}")
    print(f"{len(EXPECTED)} results shown by silx")


main()
