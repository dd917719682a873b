"""Absolute numbers of the body that triangles bound, by Gauss's theorem: the integral of x^k over it is that of x^(k+1) n_x / (k + 1) over its
surface. Triangles are integrated by a rule of Gauss in each of two directions, exact for the powers here."""
import numpy as np

X, W = np.polynomial.legendre.leggauss(4)
U = (X + 1) / 2
NODES = [(u, (1 - u) * v, wu * wv / 4 * (1 - u)) for u, wu in zip(U, W) for v, wv in zip(U, W)]


def absolute(corners):
    """{name: number} as /entry/process has them; None of an open surface."""
    corners = np.asarray(corners, float)
    middle = corners.reshape(-1, 3).mean(axis=0)
    a, b, c = np.moveaxis(corners - middle, 1, 0)
    s = np.cross(b - a, c - a)  # twice the area times the normal
    surface = np.linalg.norm(s, axis=1).sum() / 2
    if np.linalg.norm(s.sum(axis=0)) > 2e-8 * surface:
        return None
    moments = [sum(w * s * (a + u * (b - a) + v * (c - a)) ** (k + 1) for u, v, w in NODES).sum(axis=0) / (k + 1) for k in range(3)]
    volume = moments[0].mean()
    at = moments[1] / volume
    made = {"volume": abs(volume), "surface": surface, "radius_of_gyration": np.sqrt(moments[2].sum() / volume - at @ at),
            "forward_intensity": volume ** 2, "porod_constant": 2 * np.pi * surface}
    return made | {f"centroid_{axis}": value for axis, value in zip("xyz", at + middle)}
