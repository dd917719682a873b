"""Beams that spread, the point spread of a detector and smeared curves, by docs/experiments.md: part of the second opinion."""
import math

import numpy as np


def beams(resolution):
    """[(alpha_i, phi, wavelength over the mean one, row, column), weight]; none where nothing spreads."""
    made, n = [((0.0, 0.0, 1.0, 0.0, 0.0), 1.0)], resolution.get("points", 5)
    x, w = np.polynomial.hermite_e.hermegauss(n)
    y, v = np.polynomial.legendre.leggauss(resolution.get("pixel_points", 1))
    widths = [math.radians(resolution.get("alpha_i", 0)), math.radians(resolution.get("phi", 0)), resolution.get("wavelength", 0)]
    for k, (at, weights) in enumerate([*((width * x, w) for width in widths), (y / 2, v), (y / 2, v)]):
        if np.ptp(at) > 0:
            made = [(tuple(p + (place if j == k else 0) for j, p in enumerate(one)), a * b / weights.sum()) for one, a in made for place, b in zip(at, weights)]
    return made if len(made) > 1 else []


def spread_points(image, solid, experiment):
    """What a detector's point spread makes of an image; NaN are no pixels."""
    sigma = np.broadcast_to(experiment.get("resolution", {}).get("point_spread", 0.0), 2)
    if not sigma.any():
        return image

    def matrix(n, sigma):
        away = abs(np.subtract.outer(np.arange(n), np.arange(n)))
        edge = np.vectorize(lambda x: math.erf(x / (sigma * math.sqrt(2))) / 2 if sigma else 0.5 * np.sign(x))
        return np.where(away - 0.5 < 5 * sigma, edge(away + 0.5) - edge(away - 0.5), away == 0)

    seen, counted = ~np.isnan(image), "sample" in experiment and "density" in experiment["particle"][0]
    weight = 1.0 if counted else np.reshape(solid, image.shape)
    down, across = (matrix(n, of) for n, of in zip(image.shape, sigma))
    made = down @ (np.where(seen, image, 0) * weight / np.where(seen, down @ seen @ across, 1)) @ across
    return np.where(seen, made / weight, np.nan)


def smeared(q, resolution, curve):
    """What a pinhole or a slit makes of a curve, a function of q."""
    def width(name):
        return np.broadcast_to(np.array(resolution.get(name, 0.0), float), q.shape)

    def nodes(low, high, n, some):
        x, w = np.polynomial.legendre.leggauss(n if some else 1)
        return ((low + high) / 2 + (high - low) / 2 * x, w / 2) if some else (np.zeros(1), np.ones(1))

    sigma = width("dq") + width("dq_over_q") * q
    if sigma.any():
        t, w = nodes(-2.5, 3, 48, True)
        w = w * np.exp(-t * t / 2)
        at, w = abs(q[:, None] + sigma[:, None] * t), w / w.sum()
    else:
        (a, of_width), (b, of_length) = (nodes(*ends, n, width(name).any()) for ends, n, name in (((-1, 1), 12, "slit_width"), ((0, 1), 32, "slit_length")))
        at = np.hypot(q[:, None, None] + width("slit_width")[:, None, None] * a[:, None], width("slit_length")[:, None, None] * b)
        at, w = at.reshape(len(q), -1), np.outer(of_width, of_length).ravel()
    return curve(at.ravel()).reshape(at.shape) @ w
