"""Densities of orientations that are tables, by what docs/experiments.md says."""
import math

import numpy as np


def gauss_of(x, w, m):
    """m nodes and weights that integrate polynomials of degree 2m - 1 as the points x with weights w do: of the matrix of their recurrence."""
    before, now, at, next_ = np.zeros(len(x)), np.full(len(x), w.sum() ** -0.5), [], []
    for _ in range(m):
        at.append(w @ (x * now * now))
        before, now = now, (x - at[-1]) * now - (next_[-1] if next_ else 0.0) * before
        next_.append(math.sqrt(w @ (now * now)))
        now = now / next_[-1]
    nodes, vectors = np.linalg.eigh(np.diag(at) + np.diag(next_[:-1], 1) + np.diag(next_[:-1], -1))
    return nodes, w.sum() * vectors[0] ** 2


def table_of(how, n):
    """[(theta, phi, weight)] of a density in a table, degrees; n angles of a full turn."""
    theta, phi = np.array(how["theta"], float), np.array(how.get("phi", [0.0]), float)
    rows = np.array(how["density"], float).reshape(len(theta), -1)
    mirrored = theta[-1] < 135  # u and -u have one density
    phi, rows = (phi[:-1], rows[:, :-1]) if phi[-1] - phi[0] == 360 else (phi, rows)

    def density(t, p):
        t, p = (180 - t, p + 180) if mirrored and t > 90 else (t, p)
        return np.interp(t, theta, [np.interp(p, phi, row, period=360) if len(phi) > 1 else row[0] for row in rows])

    def cells(ends, count):
        x, w = np.polynomial.legendre.leggauss(count)
        return [((low + high) / 2 + (high - low) / 2 * y, (high - low) * v) for low, high in zip(ends, ends[1:]) for y, v in zip(x, w)]

    tilts = cells([*theta, *(180 - theta[-2::-1])] if mirrored else theta, 3 * max(2, n // 2) + 20)
    corners = np.unique(np.round(np.concatenate([phi, phi + 180] if mirrored else [phi]) % 360, 9))
    ends = [*corners, corners[0] + 360]
    turns = cells(ends, 3 + math.ceil(n * math.radians(np.diff(ends).max()) / 4)) if len(phi) > 1 else [(360 * k / n, 1.0) for k in range(n)]
    made = []
    for p, v in turns:
        weight = np.array([w * density(t, p) * math.sin(math.radians(t)) for t, w in tilts])
        if weight.any():
            t, m = np.radians([t for t, _ in tilts])[weight > 0], max(2, n // 2)
            if len(phi) > 1:
                nodes, w = gauss_of(t, weight[weight > 0], math.ceil(1.6 * m))
            else:
                u, w = gauss_of(np.cos(t), weight[weight > 0], m)
                nodes = np.arccos(u)
            made += [(math.degrees(x), p, v * y) for x, y in zip(nodes, w)]
    whole = sum(weight for *_, weight in made)
    return [(t, p, weight / whole) for t, p, weight in made]
