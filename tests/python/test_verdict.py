"""The error that a run by units reports is that of all q, though it sees some of them."""
import itertools

import h5py
import numpy as np
import pytest

import facet


def points(kind):
    """Records as columns: area, normal, centre (nm)."""
    if kind == "lattice":
        along = np.arange(20) - 9.5
        at = np.array(list(itertools.product(along, along, along)))
    else:
        at = np.random.default_rng(1).uniform(-8, 8, (8000, 3))
    area = np.ones(len(at))
    area[-1] = 300 if kind == "one" else 1
    return np.column_stack([area, at / np.linalg.norm(at, axis=1)[:, None], at])


GRIDS = {
    "volume": ["--qx=-0.5:0.5:20", "--qy=-2:2:200", "--qz=0.1:2:120"],
    "plane": ["--qx=0.1", "--qy=-2:2:600", "--qz=-1:2:600"],
}


@pytest.mark.parametrize("kind, grid, accuracy", [("lattice", "plane", 1e-7), ("random", "volume", 1e-5), ("one", "volume", 1e-5)])
def test_units_report_the_error_of_all_q(command, tmp_path, kind, grid, accuracy):
    np.savetxt(tmp_path / "mesh.txt", points(kind))

    def run(name, asked):
        command("run", "surface", "--mesh", "mesh.txt", "--unit", "nm", *GRIDS[grid], "--algorithm", "nufft", "--threads", "1",
                "--accuracy", str(asked), "--picture", "none", "-o", name)
        with h5py.File(tmp_path / name) as file:
            return file["entry/amplitude/F"][()].view(complex), file["entry/process"].attrs["measured_error"]

    exact, _ = run("exact.h5", 1e-11)
    f, reported = run("f.h5", accuracy)
    error = abs(f - exact).max() / abs(exact).max()
    assert 1e-3 * accuracy < error < accuracy
    assert error / 1.25 < reported < 1.5 * error


@pytest.mark.parametrize("kind, accuracy", [("lattice", 1e-3), ("one", 1e-5)])
def test_images_report_the_error_of_all_pixels(tmp_path, kind, accuracy):
    np.savetxt(tmp_path / "mesh.txt", points(kind))

    def run(name, asked):
        result = facet.run({
            "kernel": "surface",
            "beam": {"wavelength": 0.124},
            "particle": [{"mesh": str(tmp_path / "mesh.txt"), "unit": 1.0, "delta": 2.97e-5}],
            "detector": {"pixels": [300, 300], "pixel_size": 172e-6, "distance": 0.6, "beam_centre": [20.3, 150.2]},
            "run": {"algorithm": "nufft", "threads": 1},
            "accuracy": {"relative": asked},
            "output": {"amplitude": True},
        }, tmp_path / name)
        return result.data["amplitude/F"].values, result.error

    exact, _ = run("exact.h5", 1e-11)
    f, reported = run("f.h5", accuracy)
    error = abs(f - exact).max() / abs(exact).max()
    assert 1e-3 * accuracy < error < accuracy
    assert error / 1.5 < reported < 2.5 * error
