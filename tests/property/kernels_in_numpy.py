"""Kernels of examples/kernels, and two of random_experiments.py, by their own text in NumPy and complex128: for experiment_in_numpy.py.

Records are a dict of arrays [n] or [n, 3]; what a pose does to one is its role (docs/language.md, What turns and moves).
"""
import functools
import math

import numpy as np

BATCH = 1 << 21  # numbers held at once
# Role: the power of a size, or "position", "offset", "direction" and "fixed", for columns beside those of a triangle.
ROLES = {"contrast": 0, "sigma": 1, "axis": "direction", "place": "position", "bond": "offset", "moment": "direction", "other": "direction",
         "field": "fixed", "Z": 0, "radius": 1}
ATOMS = ("spins", "bonds")  # kernels whose records are no triangles
SPINS = """#include <facet/dsl.h>
using namespace facet;
struct Spin {
  position3 place;
  offset3 bond;
  direction3 moment;
  FIELD;
  scaled<1> radius;
  real Z;
};
struct FACET_KERNEL NAME {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Spin &t) {
    return (t.Z + dot(t.moment, t.OF)) * exp(-0.2 * pow(t.radius, 2) * norm2(q)) * cis(dot(q, t.place)) * cos(dot(q, t.bond));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
"""
# `spins` has something of the lab in it, `bonds` has not.
TEXTS = {"spins": SPINS.replace("FIELD", "fixed3 field").replace("OF", "field").replace("NAME", "spins"),
         "bonds": SPINS.replace("FIELD", "direction3 other").replace("OF", "other").replace("NAME", "bonds")}


def posed(records, rotation, scale):
    """The records, turned and sized about the origin."""
    made = {}
    for name, values in records.items():
        role = "position" if name == "corners" else ROLES[name]
        if role in ("position", "offset"):
            made[name] = scale * values @ rotation.T
        elif role == "direction":
            made[name] = values @ rotation.T
        else:
            made[name] = values if role == "fixed" else values * scale ** role
    return made


def moved(records, by):
    return {name: values + by if name in ("corners", "place") else values for name, values in records.items()}


def places(records):
    """All corners, or the places of atoms: [n, 3]."""
    return records["corners"].reshape(-1, 3) if "corners" in records else records["place"]


def middle(records):
    """The middle of the bounding box."""
    at = places(records)
    return (at.min(axis=0) + at.max(axis=0)) / 2


def radius(records):
    """The radius of the sphere about the middle."""
    return np.linalg.norm(places(records) - middle(records), axis=1).max()


def volume(records):
    a, b, c = records["corners"].transpose(1, 0, 2)
    return (a * np.cross(b, c)).sum() / 6


@functools.cache
def triangle_rule(nodes):
    """Barycentric coordinates [3, nodes^2] and weights of sum 1: Gauss and Legendre on a square whose side is drawn to a point."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    s, t = np.meshgrid((x + 1) / 2, (x + 1) / 2, indexing="ij")
    weight = np.outer(w * (x + 1) / 2, w) / 2
    return np.array([1 - s, s * (1 - t), s * t]).reshape(3, -1), weight.ravel()


def means(phases):
    """Means of e^{i phase} over triangles, from the phases of the corners [3, ...]: divided differences, or a rule where two are
    close, of as many nodes as the third asks for."""
    a, b, c = phases
    apart = np.array([abs(a - b), abs(b - c), abs(c - a)])
    near = apart.min(axis=0) < 0.02
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = -2 * (np.exp(1j * a) / ((a - b) * (a - c)) + np.exp(1j * b) / ((b - a) * (b - c)) + np.exp(1j * c) / ((c - a) * (c - b)))
    if near.any():
        corners, weights = triangle_rule(18 + math.ceil(apart[:, near].max() / 2))
        some = np.array_split(phases[:, near].T, math.ceil(near.sum() * len(weights) / BATCH))
        mean[near] = np.concatenate([np.exp(1j * (part @ corners)) @ weights for part in some])
    return mean


def sums(kernel, q, records, parameters):
    """The sum over the records' terms: [n] for q [3, n]. q.q and |q|^2 are finish's."""
    if kernel in ATOMS:
        weight = records["Z"] + (records["moment"] * records["field" if kernel == "spins" else "other"]).sum(axis=1)
        damped = np.exp(-0.2 * np.outer((abs(q) ** 2).sum(axis=0), records["radius"] ** 2))
        return (weight * damped * np.exp(1j * (q.T @ records["place"].T)) * np.cos(q.T @ records["bond"].T)).sum(axis=1)
    corners = records["corners"]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2  # area times normal
    wave = np.exp(1j * (q.T @ corners.mean(axis=1).T))
    if kernel == "surface":
        return wave @ np.linalg.norm(across, axis=1)
    if kernel == "born":
        return ((q.T @ across.T) * wave).sum(axis=1)
    flux = np.conj(q.T) @ across.T
    if kernel in ("closed", "layered"):
        return (flux * records.get("contrast", 1) * (wave - 1)).sum(axis=1)
    mean = means(np.array([q.T @ corners[:, k].T for k in range(3)]))
    if kernel == "rough":
        normal = across / np.linalg.norm(across, axis=1)[:, None]
        mean = mean * np.exp(-records["sigma"] ** 2 * abs(q.T @ normal.T) ** 2 / 2)
    if kernel == "resonant":
        p, axis = parameters, records["axis"]
        factor = p["across"] * np.vdot(p["out"], p["in"]) + (p["along"] - p["across"]) * (axis @ np.conj(p["out"])) * (axis @ p["in"])
        flux = flux * factor
    return (flux * (mean - 1)).sum(axis=1)


def at_zero(kernel, records, parameters):
    if kernel in ATOMS or kernel == "surface":
        return sums(kernel, np.zeros((3, 1), complex), records, parameters)[0]
    corners = records["corners"]
    each = (corners.mean(axis=1) * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])).sum(axis=1) / 6
    if kernel == "layered":
        each = each * records["contrast"]
    if kernel == "resonant":
        p, axis = parameters, records["axis"]
        each = each * (p["across"] * np.vdot(p["out"], p["in"]) + (p["along"] - p["across"]) * (axis @ np.conj(p["out"])) * (axis @ p["in"]))
    return each.sum()


def form_factor(kernel, q, records, parameters):
    """F [n] at q [3, n], complex."""
    f = sums(kernel, q, records, parameters)
    if kernel not in ATOMS and kernel != "surface":
        with np.errstate(divide="ignore", invalid="ignore"):
            f = -1j * f / ((q * q).sum(axis=0) if kernel == "born" else (abs(q) ** 2).sum(axis=0))
    zero = (q == 0).all(axis=0)
    return np.where(zero, at_zero(kernel, records, parameters), f) if zero.any() else f
