"""The kernels of examples/kernels as they are written in Python, each beside the file of its name."""
from dataclasses import dataclass

import facet
from facet.language import (Record, Triangle, abs, cism1, cis, conj, cplx, cross, cvec3, direction3, dot, exp, expm1, i, max, mean_cism1, norm2, per, pi,
                            points, position3, product, real, scaled, where)


def volume(t):
    return t.area * dot(t.centroid, t.normal) / 3


def hermitian(q, s):
    return -i * s / norm2(q)


class Atom(Record):
    place: position3
    a1: real
    a2: real
    a3: real
    a4: real
    a5: real
    c: real
    b1: real
    b2: real
    b3: real
    b4: real
    b5: real
    B: real


@facet.kernel
class atoms:
    """Amplitude of all atoms, in electrons."""

    def term(q, t: Atom):
        s2 = norm2(q) / (16 * pi * pi)
        f = sum(getattr(t, f"a{k}") * exp(-getattr(t, f"b{k}") * s2) for k in range(1, 6)) + t.c
        return f * exp(-t.B * s2) * cis(dot(q, t.place))


@facet.kernel
class born:
    def term(q, t):
        return t.area * dot(q, t.normal) * cis(dot(q, t.centroid))

    def finish(q, s):
        return -i * s / dot(q, q)

    origin = volume


@facet.kernel
class closed:
    def term(q, t):
        return t.area * dot(conj(q), t.normal) * cism1(dot(q, t.centroid))

    finish, origin = hermitian, volume


@facet.kernel
class exact:
    def term(q, t):
        return t.area * dot(conj(q), t.normal) * mean_cism1(q, t)

    finish, origin = hermitian, volume


class Layered(Triangle):
    """A triangle of an interface."""

    contrast: real


@facet.kernel
class layered:
    def term(q, t: Layered):
        return t.contrast * t.area * dot(conj(q), t.normal) * cism1(dot(q, t.centroid))

    def origin(t):
        return t.contrast * t.area * dot(t.centroid, t.normal) / 3

    finish = hermitian


class Magnetised(Triangle):
    contrast: real
    moment: direction3


@dataclass
class Amplitudes:
    nuclear: cplx
    magnetic: cvec3


@dataclass
class Channels:
    uu: cplx
    dd: cplx
    ud: cplx
    du: cplx


@facet.kernel
class magnetic:
    u = facet.param([1, 0, 0])
    v = facet.param([0, 1, 0])

    def term(q, t: Magnetised):
        flux = t.area * dot(q, t.normal) * mean_cism1(q, t)
        return Amplitudes(t.contrast * flux, flux * t.moment)

    def finish(q, sum, p):
        scale = -i / dot(q, q)
        n = scale * sum.nuclear
        m = scale * (sum.magnetic - q * (dot(q, sum.magnetic) / dot(q, q)))
        along, u, v = dot(cross(p.u, p.v), m), dot(p.u, m), i * dot(p.v, m)
        return Channels(n + along, n - along, u + v, u - v)


class Wave(Record):
    w = per("Y", cplx)
    inner = per("Y", cplx)
    m = per("Z", cplx)


@dataclass
class Parts:
    exchange: cplx
    hole: cplx


@facet.kernel
class plasmon_pole:
    grid = product(real, real, real)

    def term(q, t: Wave):
        e = where(abs(q.x - q.z) < 1e-12, 1e-12, q.x - q.z)
        away, size = norm2(e - t.w), norm2(t.w)
        near = where(away > 1e12 * size, 0, -0.5)
        far = away > max(0.25, 4e-6 * size)
        d = t.w / (e - t.w)
        x = t.w / (e + t.w) * where(far, d, near)
        strength = t.m * t.inner
        return Parts(strength * where((e < 0) & (norm2(x) > 16), 0, x), strength * where(far, d, 0))

    def finish(q, sum):
        return Parts(-sum.exchange, 0.5 * sum.hole)


class Oriented(Triangle):
    axis: direction3


def contrast(t, p):
    return dot(conj(p.out), p.across * getattr(p, "in") + (p.along - p.across) * t.axis * dot(t.axis, getattr(p, "in")))


@facet.kernel(along=facet.param(cplx), across=facet.param(cplx), **{"in": facet.param(cvec3)}, out=facet.param(cvec3))
class resonant:
    def term(q, t: Oriented, p):
        return contrast(t, p) * t.area * dot(conj(q), t.normal) * mean_cism1(q, t)

    def origin(t, p):
        return contrast(t, p) * t.area * dot(t.centroid, t.normal) / 3

    finish = hermitian


class Rough(Triangle):
    sigma = scaled(1)


@facet.kernel
class rough:
    def term(q, t: Rough):
        lost = expm1(-0.5 * t.sigma**2 * norm2(dot(q, t.normal)))
        return t.area * dot(conj(q), t.normal) * ((1 + lost) * mean_cism1(q, t) + lost)

    finish, origin = hermitian, volume


@facet.kernel
class surface:
    def term(q, t):
        return t.area * cis(dot(q, t.centroid))

    def origin(t):
        return t.area


class Position(Record):
    amount: real
    foreign: real
    years: real


@facet.kernel(grid=points(real, real, real))
class value_at_risk:
    def term(q, t: Position):
        return t.amount * where(t.foreign > 0, q.y * exp(-q.z * t.years), q.x)
