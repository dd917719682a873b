"""facet run --gradient-of: the same derivatives as those of a simulation in memory, for every kind of experiment."""

import facet
import h5py
import numpy as np
import pytest
from test_simulation_gradient import CASES


def observe(tables, path):
    """A result of the experiment with noise."""
    facet.run(tables, path)
    with h5py.File(path, "a") as file:
        image = file["entry/sasdata/I" if "q" in tables.get("grid", {}) else "entry/image/I"]
        image[...] = image[()] * np.random.default_rng(3).normal(1, 0.1, image.shape)
        return image[()]


def by_vertex(group, corners):
    """Derivatives by corners added up at the vertices of a result."""
    faces = group["faces"][()].astype(int)
    sums = np.zeros(group["vertices"].shape)
    np.add.at(sums, faces, corners)
    return sums


@pytest.mark.filterwarnings("ignore:the kernel takes each triangle")
@pytest.mark.parametrize("case", CASES)
def test_as_a_simulation(case, tmp_path):
    tables, keys = CASES[case]
    observed = observe(tables, tmp_path / "observed.h5")
    facet.run(tables, tmp_path / "a.h5", options=("--gradient-of", str(tmp_path / "observed.h5"), "--gradient-keys", ",".join(keys)))
    simulation = facet.Simulation(tables)
    image = simulation.intensity.values
    residual = np.where(np.isfinite(image), image - observed, 0)
    expected = simulation.gradient(residual, keys)
    with h5py.File(tmp_path / "a.h5") as file:
        said = file["entry/process"].attrs
        assert said["misfit"] == pytest.approx((residual**2).sum() / 2, rel=1e-9)
        assert said["misfit_pixels"] == np.isfinite(image).sum()
        assert said["misfit_left_out"] == np.isnan(image).sum()
        for particle, corners in enumerate(expected.corners):
            group = file["entry/gradient" if particle == 0 else f"entry/gradient_{particle + 1}"]
            slopes = by_vertex(group, corners)
            assert np.abs(group["slope"][()] - slopes).max() <= 1e-9 * np.abs(slopes).max()
        for key in keys:
            numbers = np.ravel(expected.keys[key])
            names = [f"slope_{key}"] if len(numbers) == 1 else [f"slope_{key}.{k}" for k in range(len(numbers))]
            assert np.allclose([said[name] for name in names], numbers, rtol=1e-8, atol=1e-8 * np.abs(numbers).max())
