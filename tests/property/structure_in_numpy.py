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


def turned(of, q):
    """The mean over xi, of a Gaussian about a whole circle."""
    sigma, one = math.radians(of["xi_spread"]), {key: value for key, value in of.items() if key != "xi_spread"}
    reach = 8 * np.max(of["decay"]) if "decay" in of else sum(np.hypot(*v) * n for v, n in zip(vectors(of), np.broadcast_to(of["cells"], 2)))
    far = reach * np.hypot(*q[:2]).max(initial=0)
    n = math.ceil(far + 14 * far ** (1 / 3) + 60 + 9 / sigma)
    xi = np.arange(n) * 2 * math.pi / n - math.pi
    weights = sum(np.exp(-((xi + 2 * math.pi * k) / sigma) ** 2 / 2) for k in range(-10, 11))
    xi, weights = xi[weights > 1e-18], weights[weights > 1e-18]
    c, s = np.cos(xi), np.sin(xi)
    all_of_them = np.array([np.outer(c, q[0]) + np.outer(s, q[1]), np.outer(c, q[1]) - np.outer(s, q[0])]).reshape(2, -1)
    return weights / weights.sum() @ lattice(one, all_of_them).reshape(len(xi), -1)


def lattice(of, q):
    a, b = vectors(of)
    if "xi_spread" in of:
        return turned(of, q)
    if "cells" in of:
        rows = [(np.exp(1j * np.multiply.outer(np.arange(n), v @ q[:2])), n) for v, n in zip((a, b), np.broadcast_to(of["cells"], 2))]
        return np.prod([abs(waves.sum(axis=0)) ** 2 / n for waves, n in rows], axis=0)
    decay = np.broadcast_to(np.array(of["decay"], float), 2)
    u = a / math.hypot(*a)
    frame = np.array([u, [-u[1], u[0]]]) / decay[:, None]
    reach = np.ceil(9 * np.abs(np.linalg.inv(frame @ np.array([a, b]).T)).sum(axis=1)).astype(int)
    n, m = np.meshgrid(*(np.arange(-r, r + 1) for r in reach), indexing="ij")
    places = n.reshape(-1, 1) * a + m.reshape(-1, 1) * b
    weights = np.exp(-((places @ frame.T) ** 2).sum(axis=1) / 2)
    places, weights = places[weights > 1e-19], weights[weights > 1e-19]
    step = max(1, 10 ** 7 // len(places))
    return np.concatenate([weights @ np.cos(places @ q[:2, k:k + step]) for k in range(0, q.shape[1], step)])


CUBES = {"sc": (np.eye(3), 1), "bcc": ((1 - 2 * np.eye(3)) / 2, 2 / math.sqrt(3)), "fcc": ((1 - np.eye(3)) / 2, math.sqrt(2))}


def cubic(of, q):
    """By Gauss-Legendre over half of the sphere, of an order at which the farthest pairs add e^-16."""
    (primitive, longer), made = CUBES[of["type"]], []
    edge, spread = longer * of["spacing"], of["spread"]
    for length in np.linalg.norm(q, axis=0):
        pairs = min(16 / (0.125 * (length * spread) ** 2), 4000)
        m = math.ceil(length * of["spacing"] * min(pairs, 3000 / (length * of["spacing"]))) // 2 + 20
        x, w = np.polynomial.legendre.leggauss(m)
        phi, sines, total = (np.arange(2 * m) + 0.5) * math.pi / (2 * m), np.sqrt(1 - x * x), 0
        for begin in range(0, m, 64):
            some = slice(begin, begin + 64)
            d = np.array([np.outer(sines[some], np.cos(phi)), np.outer(sines[some], np.sin(phi)), np.outer(x[some], np.ones(2 * m))])
            u = length * np.tensordot(primitive, d, 1)
            f = np.exp(-(spread ** 2) / 2 * (u ** 2).sum(axis=0))
            total += w[some] @ np.prod((1 - f ** 2) / (1 - 2 * f * np.cos(edge * u) + f ** 2), axis=0).mean(axis=1) / 2
        made.append(total)
    return np.array(made)


def table(of, q):
    return np.interp(np.linalg.norm(q, axis=0), of["q"], of["s"])


def structure(of, q):
    """S at real q [3, n]; on a sample their z is 0."""
    return {"hard-spheres": spheres, "hard-disks": disks, "paracrystal": paracrystal, "lattice": lattice, "table": table, **dict.fromkeys(CUBES, cubic)}[of["type"]](of, q)
