"""Structure factors of arrangements by docs/experiments.md, in other ways than facet's: sums over particles, integrals of correlations."""
import math

import numpy as np


def bessel_j0(x):
    """By Bessel's integral; the rule is exact to rounding for x below 150."""
    turns = (np.arange(200) + 0.5) * math.pi / 200
    return np.cos(np.multiply.outer(x, np.sin(turns))).mean(axis=-1)


def vectors(of):
    if isinstance(of["a"], list):
        return np.array(of["a"], float), np.array(of["b"], float)
    xi, gamma = math.radians(of.get("xi", 0.0)), math.radians(of.get("gamma", 90.0))
    return of["a"] * np.array([math.cos(xi), math.sin(xi)]), of["b"] * np.array([math.cos(xi + gamma), math.sin(xi + gamma)])


def spheres(of, q):
    f, (x, w) = of["fraction"], np.polynomial.legendre.leggauss(400)
    t, w, k = (x + 1) / 2, w / 2, 2 * of["radius"] * np.linalg.norm(q, axis=0)
    alpha = (1 + 2 * f) ** 2 / (1 - f) ** 4
    beta, gamma = -6 * f * (1 + f / 2) ** 2 / (1 - f) ** 4, f / 2 * alpha
    return 1 / (1 + 24 * f * np.sinc(np.outer(k, t) / math.pi) @ (w * t ** 2 * (alpha + beta * t + gamma * t ** 3)))


def disks(of, q):
    f, p, (x, w) = of["fraction"], 7 / 3 - 4 * math.sqrt(3) / math.pi, np.polynomial.legendre.leggauss(150)
    t, w, k = (x + 1) / 2, w / 2, 2 * of["radius"] * np.hypot(*q[:2])
    top = 1 + f + 3 * p * f ** 2 - p * f ** 3
    s = 3 * f ** 2 / 8 * (8 * (1 - 2 * p) + (25 - 9 * p) * p * f - (7 - 3 * p) * p * f ** 2) / top
    overlap = 2 / math.pi * (np.arccos(t / 2) - t / 2 * np.sqrt(1 - t ** 2 / 4))
    direct = -top / (1 - f) ** 3 * (1 + 4 * f * (overlap - 1) + s * t)
    return np.array([1 / (1 - 8 * f * (bessel_j0(one * t) @ (w * t * direct))) for one in k])


def paracrystal(of, q):
    k, d = np.hypot(*q[:2]), of["spacing"]
    f = np.exp(1j * k * d - (k * of["spread"]) ** 2 / 2 - (d / of["damping"] if "damping" in of else 0))
    n = of.get("cells")
    if n:
        return 1 + 2 * sum(((1 - m / n) * f ** m).real for m in range(1, n))
    return ((1 + f) / (1 - f)).real


def lattice(of, q):
    a, b = vectors(of)
    if "cells" in of:
        n, m = np.broadcast_to(of["cells"], 2)
        places = np.array([i * a + j * b for i in range(n) for j in range(m)])
        return np.array([abs(np.exp(1j * places @ one).sum()) ** 2 / (n * m) for one in q[:2].T])
    decay = np.broadcast_to(np.array(of["decay"], float), 2)
    u = a / math.hypot(*a)
    frame = np.array([u, [-u[1], u[0]]]) / decay[:, None]
    reach = np.ceil(9 * np.abs(np.linalg.inv(frame @ np.array([a, b]).T)).sum(axis=1)).astype(int)
    n, m = np.meshgrid(*(np.arange(-r, r + 1) for r in reach), indexing="ij")
    places = n.reshape(-1, 1) * a + m.reshape(-1, 1) * b
    weights = np.exp(-((places @ frame.T) ** 2).sum(axis=1) / 2)
    places, weights = places[weights > 1e-19], weights[weights > 1e-19]
    return np.array([np.cos(places @ one) @ weights for one in q[:2].T])


def table(of, q):
    return np.interp(np.linalg.norm(q, axis=0), of["q"], of["s"])


def structure(of, q):
    """S at real q [3, n]; on a sample their z is 0."""
    return {"hard-spheres": spheres, "hard-disks": disks, "paracrystal": paracrystal, "lattice": lattice, "table": table}[of["type"]](of, q)
