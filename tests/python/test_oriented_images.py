"""Images of oriented particles in transmission, on a detector, beside sums of a closed form over rotations of NumPy's own rule."""
import numpy as np
import pytest

import facet

SIDES, K = (3.0, 3.0, 14.0), 2 * np.pi / 0.154
TABLES = {"kernel": "exact", "beam": {"wavelength": 0.154}, "accuracy": {"relative": 1e-8}, "output": {"picture": "none"},
          "detector": {"pixels": [7, 6], "pixel_size": 2.5e-3, "distance": 0.6, "beam_centre": [2.3, 2.9]},
          "particle": [{"shape": {"type": "box", "size": list(SIDES)}, "delta": 1e-5, "density": 0.01}]}


def about(angle, axis):
    """Rotations about x, y or z: [n, 3, 3]."""
    a, b = [k for k in range(3) if k != axis] if axis != 1 else (2, 0)
    made = np.tile(np.eye(3), (len(angle), 1, 1))
    made[:, a, a], made[:, b, b], made[:, a, b], made[:, b, a] = np.cos(angle), np.cos(angle), -np.sin(angle), np.sin(angle)
    return made


def intensity(q, director, density):
    """1e7 phi |Delta rho|^2 / V times the mean of |F|^2, in 1/cm; the axis z of the box has that density about the director."""
    x, w = np.polynomial.legendre.leggauss(60)
    turns = 2 * np.pi * (np.arange(40) + 0.5) / 40
    own = 2 * np.pi * (np.arange(20) + 0.5) / 20
    d = np.array(director) / np.linalg.norm(director)
    across = np.cross(d, [1, 0, 0] if abs(d[0]) < 0.9 else [0, 1, 0])
    across /= np.linalg.norm(across)
    frame = np.stack([across, np.cross(d, across), d], axis=1)
    leans = np.einsum("aij,bjk->abik", about(turns, 2), about(np.arccos(x), 1))
    total = 0
    for spun in about(own, 2):
        seen = np.einsum("abji,jn->abin", np.einsum("ij,abjk->abik", frame, leans @ spun), q)  # q as the box has it
        square = np.prod([side * np.sinc(seen[:, :, k] * side / (2 * np.pi)) for k, side in enumerate(SIDES)], axis=0) ** 2
        total = total + square.mean(axis=0).T @ (w * density(x)) / len(own)
    n = 1 - 1e-5
    return 1e7 * 0.01 * (K**2 / (4 * np.pi) * (1 - n**2)) ** 2 * total / np.sum(w * density(x)) / np.prod(SIDES)


@pytest.mark.parametrize("how, density", [
    ({"average": "maier-saupe", "kappa": 4.0, "director": [0, 1, 0]}, lambda x: np.exp(4 * x**2)),
    ({"average": "maier-saupe", "kappa": -3.0, "director": [0.2, 1, 2]}, lambda x: np.exp(-3 * x**2)),
    ({"average": "von-mises-fisher", "kappa": 2.0}, lambda x: np.exp(2 * x)),
    ({"average": "tilt", "sigma": 40}, lambda x: np.exp(-np.arccos(x) ** 2 / (2 * np.radians(40) ** 2)))])
def test_densities_on_a_detector(tmp_path, how, density):
    made = facet.run(TABLES | {"particle": [TABLES["particle"][0] | {"orientation": how}]}, tmp_path / "r.h5")
    q = np.array([made.data[f"image/q{axis}"].values.ravel() for axis in "xyz"])
    wanted = intensity(q, how.get("director", [0, 0, 1]), density).reshape(7, 6)
    assert np.ptp(wanted) > 0.3 * wanted.max() and made.intensity.unit == "1/cm"
    np.testing.assert_allclose(made.intensity.values, wanted, rtol=0, atol=1e-6 * wanted.max())
