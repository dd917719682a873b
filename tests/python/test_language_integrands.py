"""Integrands that no example has, written in Python, each against the same sum in NumPy at 50 q to 1e-8 of its largest value."""
from dataclasses import dataclass

import numpy as np
import pytest

import facet
from facet.language import (Record, Triangle, cism1, cis, conj, cplx, cross, cvec3, direction3, dot, exp, i, mean_cis, mean_cism1, norm, norm2, offset3, pi,
                            position3, real, sinc, where)

Q = np.random.default_rng(7).uniform(-1, 1, (50, 3))
GAUSS = np.polynomial.legendre.leggauss(20)


class Displaced(Triangle):
    displacement: offset3


@facet.kernel(amplitude=facet.param(0.5))
def displaced(q, t: Displaced, p):
    """A surface whose triangles are displaced, as by strain or a phonon."""
    return t.area * cis(dot(q, t.centroid + p.amplitude * t.displacement))


class Atom(Record):
    place: position3
    weight: real
    u11: real
    u22: real
    u33: real
    u12: real
    u13: real
    u23: real


@facet.kernel
def anisotropic(q, t: Atom):
    """Atoms with anisotropic Debye-Waller factors e^{-q.U.q / 2}."""
    along = q.x * q.x * t.u11 + q.y * q.y * t.u22 + q.z * q.z * t.u33
    across = q.x * q.y * t.u12 + q.x * q.z * t.u13 + q.y * q.z * t.u23
    return t.weight * exp(-0.5 * along - across) * cis(dot(q, t.place))


@facet.kernel
def edges(q, t):
    """The edges of a mesh as wires, each once for each of its triangles."""
    corners = [t.vertex0, t.vertex1, t.vertex2]
    return sum(norm(b - a) * mean_cis(dot(q, a), dot(q, b)) for a, b in zip(corners, corners[1:] + corners[:1])) / 2


@facet.kernel
class shelled:
    """A core, and a shell whose outer faces are those of the core moved along their normals."""

    thickness, core, shell = facet.param(1.5), facet.param(2.0), facet.param(0.5)

    def term(q, t, p):
        moved = cis(p.thickness * dot(q, t.normal)) * mean_cis(q, t) - 1
        inside = (p.core - p.shell) * mean_cism1(q, t)
        return t.area * dot(conj(q), t.normal) * (inside + p.shell * moved)

    def finish(q, s):
        return -i * s / norm2(q)


class Magnet(Triangle):
    moment: direction3


@dataclass
class Sums:
    charge: cplx
    spin: cvec3


@dataclass
class Dichroism:
    right: cplx
    left: cplx


@facet.kernel
class dichroism:
    """Circular dichroism: F of both helicities, charge +- i (beam . moment)."""

    beam = facet.param([0, 0, 1])

    def term(q, t: Magnet):
        flux = t.area * dot(conj(q), t.normal) * mean_cism1(q, t)
        return Sums(flux, flux * t.moment)

    def finish(q, s, p):
        charge, spin = -i * s.charge / norm2(q), -i * dot(p.beam, s.spin) / norm2(q)
        return Dichroism(charge + i * spin, charge - i * spin)


@facet.kernel(radius=facet.param(0.8))
def islands(q, t, p):
    """Islands on the facets that face up, where a grid of 4 x 4 has a place within the triangle."""
    places = [((a + 0.5) / 4, (b + 0.5) / 4) for a in range(4) for b in range(4) if a + b < 3]
    across = norm2(cross(q, t.normal))
    each = np.pi * p.radius**2 * sinc(0.5 * p.radius * across)
    return where(t.normal.z > 0.5, each * sum(cis(dot(q, t.vertex0 + a * t.edge1 + b * t.edge2)) for a, b in places), 0)


@facet.kernel(sigma=facet.param(0.3))
def spread(q, t, p):
    """Heights along the normals by 20 nodes of Gauss and Legendre, weighted by a Gaussian of width sigma."""
    x, w = GAUSS
    whole = sum(w[k] * np.exp(-x[k] ** 2 * 4.5) * cism1(3 * p.sigma * x[k] * dot(q, t.normal) + dot(q, t.centroid)) for k in range(20))
    return t.area * whole * pi


def triangles(mesh):
    corners = mesh.triangles
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    area = np.linalg.norm(across, axis=1)
    return corners, area, across / area[:, None]


def mean_of(q, corners):
    """The mean of e^{iq.r} over triangles by a rule of 20 x 20 nodes."""
    x, w = GAUSS
    s, r = np.meshgrid((x + 1) / 2, (x + 1) / 2, indexing="ij")
    weight = np.outer(w * (x + 1) / 2, w) / 2
    whole = 0
    for l1, l2, share in zip((s * (1 - r)).ravel(), (s * r).ravel(), weight.ravel()):
        whole = whole + share * np.exp(1j * (corners[:, 0] * (1 - l1 - l2) + corners[:, 1] * l1 + corners[:, 2] * l2) @ q)
    return whole


BALL = facet.Mesh.sphere(2, n=4)
CORNERS, AREA, NORMAL = triangles(BALL)
MIDDLE = CORNERS.mean(axis=1)
OWN = np.random.default_rng(3).uniform(-1, 1, (len(CORNERS), 3))
TABLE = np.random.default_rng(5).uniform(0, 0.3, (30, 7))
PLACES = np.random.default_rng(6).uniform(-2, 2, (30, 3))


def with_own(name):
    return facet.Mesh(CORNERS, columns={name: OWN})


def atoms():
    columns = {f"place.{axis}": PLACES[:, k] for k, axis in enumerate("xyz")}
    return facet.Mesh.records({**columns, **dict(zip(("weight", "u11", "u22", "u33", "u12", "u13", "u23"), TABLE.T))})


def flux(q):
    return AREA * (NORMAL @ q) * (mean_of(q, CORNERS) - 1)


def of_atoms(q):
    w, a, b, c, d, e, f = TABLE.T
    tensor = a * q[0]**2 + b * q[1]**2 + c * q[2]**2 + 2 * (d * q[0] * q[1] + e * q[0] * q[2] + f * q[1] * q[2])
    return (w * np.exp(-tensor / 2 + 1j * PLACES @ q)).sum()


def of_edges(q):
    whole = 0
    for k in range(3):
        a, b = CORNERS[:, k], CORNERS[:, (k + 1) % 3]
        along = (b - a) @ q
        whole += (np.linalg.norm(b - a, axis=1) * np.exp(1j * (a + b) @ q / 2) * np.sinc(along / 2 / np.pi)).sum() / 2
    return whole


def of_shell(q):
    moved = np.exp(1.5j * NORMAL @ q) * mean_of(q, CORNERS) - 1
    return -1j * (AREA * (NORMAL @ q) * (1.5 * (mean_of(q, CORNERS) - 1) + 0.5 * moved)).sum() / (q @ q)


def of_islands(q):
    each = np.pi * 0.64 * np.sinc(0.4 * (np.cross(q, NORMAL) ** 2).sum(axis=1) / np.pi)
    places = [((a + 0.5) / 4, (b + 0.5) / 4) for a in range(4) for b in range(4) if a + b < 3]
    waves = sum(np.exp(1j * ((1 - a - b) * CORNERS[:, 0] + a * CORNERS[:, 1] + b * CORNERS[:, 2]) @ q) for a, b in places)
    return (each * waves)[NORMAL[:, 2] > 0.5].sum()


def of_heights(q):
    heights = sum(w * np.exp(-4.5 * x * x) * (np.exp(1j * (0.9 * x * NORMAL @ q + MIDDLE @ q)) - 1) for x, w in zip(*GAUSS))
    return np.pi * (AREA * heights).sum()


CASES = {
    "displaced": (displaced, lambda: with_own("displacement"), lambda q: (AREA * np.exp(1j * (MIDDLE + 0.5 * OWN) @ q)).sum()),
    "anisotropic": (anisotropic, atoms, of_atoms),
    "edges": (edges, lambda: BALL, of_edges),
    "shelled": (shelled, lambda: BALL, of_shell),
    "islands": (islands, lambda: BALL, of_islands),
    "spread": (spread, lambda: BALL, of_heights),
}


@pytest.mark.parametrize("name", CASES)
def test_against_a_loop(name):
    kernel, mesh, judge = CASES[name]
    found, wanted = kernel(mesh(), q=Q, accuracy=1e-9), np.array([judge(q) for q in Q])
    assert abs(found - wanted).max() < 1e-8 * abs(wanted).max()


def test_two_outputs():
    found = dichroism(with_own("moment"), q=Q, accuracy=1e-9)
    for name, sign in (("right", 1j), ("left", -1j)):
        wanted = np.array([(-1j * flux(q) * (1 + sign * OWN[:, 2])).sum() / (q @ q) for q in Q])
        assert abs(found[name] - wanted).max() < 1e-8 * abs(wanted).max()
