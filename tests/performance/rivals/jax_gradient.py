#!/usr/bin/env python3
"""Value and gradient by vertices: facet beside JAX with jax-finufft, the same chain, in turns in one process.

    jax_gradient.py BUILD [REPEATS] [RINGS]

L = sum abs(F)^2 of a torus of 91,600 triangles (RINGS 229) at 1 x 500 x 500 q, all threads there are. JAX: vertices -> normals and centroids ->
three transforms of type 1 (of the components of the area normals) -> F -> L, compiled, in double, derivatives by jax.value_and_grad.
Here facet keeps 1e-6 of the largest F and of the largest derivative. The rival runs with the same eps, and with the loosest with which its
derivatives err by no more, as known afterwards. It wants jax and jax-finufft: pip install jax jax-finufft. FACET_BENCH_CLOCK=cpu takes CPU time.
"""
import os
import sys
import time

import numpy as np

sys.path.insert(0, sys.argv[1] + "/python")
import facet

try:
    import jax
    import jax.numpy as jnp
    from jax_finufft import nufft1
except ImportError as missing:
    sys.exit(f"[SKIP] no rival: {missing}")

jax.config.update("jax_enable_x64", True)
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
RINGS = int(sys.argv[3]) if len(sys.argv) > 3 else 229
N, ACCURACY = 500, 1e-6
clock = time.process_time if os.environ.get("FACET_BENCH_CLOCK") == "cpu" else time.perf_counter


def torus(around, tube, large=30.0, small=12.0):
    a, b = np.meshgrid(2 * np.pi * np.arange(around) / around, 2 * np.pi * np.arange(tube) / tube, indexing="ij")
    ring = large + small * np.cos(b)
    vertices = np.stack([ring * np.cos(a), ring * np.sin(a), small * np.sin(b)], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(tube), indexing="ij")
    at = lambda i, j: ((i % around) * tube + j % tube).ravel()
    first = np.stack([at(i, j), at(i + 1, j), at(i + 1, j + 1)], -1)
    second = np.stack([at(i, j), at(i + 1, j + 1), at(i, j + 1)], -1)
    return vertices, np.concatenate([first, second])


VERTICES, FACES = torus(RINGS, 200)
QX, QY, QZ = 0.1, np.linspace(-2, 2, N), np.linspace(0, 2, N)


def chain(vertices, eps):
    """L, as a user of jax-finufft would write it."""
    v0, v1, v2 = (vertices[FACES[:, k]] for k in range(3))
    w, c = jnp.cross(v1 - v0, v2 - v0) / 2, (v0 + v1 + v2) / 3
    steps, middle = (QY[1] - QY[0], QZ[1] - QZ[0]), (QY[N // 2], QZ[N // 2])
    phase = QX * c[:, 0] + middle[0] * c[:, 1] + middle[1] * c[:, 2]
    strengths = w.T * jnp.exp(1j * phase)
    t = nufft1((N, N), strengths, steps[0] * c[:, 1], steps[1] * c[:, 2], eps=eps, iflag=1)
    y, z = QY[:, None], QZ[None, :]
    f = -1j * (QX * t[0] + y * t[1] + z * t[2]) / (QX**2 + y**2 + z**2)
    return (jnp.abs(f) ** 2).sum()


class Rival:
    def __init__(self, eps):
        self.eps = eps
        self.value_ = jax.jit(lambda v: chain(v, eps))
        self.both_ = jax.jit(jax.value_and_grad(lambda v: chain(v, eps)))

    def value(self, v):
        return self.value_(v).block_until_ready()

    def both(self, v):
        return jax.block_until_ready(self.both_(v))


class Facet:
    def __init__(self, accuracy):
        self.mesh = facet.Mesh(VERTICES, FACES)
        self.plan = facet.compile("born").plan(self.mesh, qx=[QX], qy=QY, qz=QZ, accuracy=accuracy)

    def value(self, v):
        self.plan.set_mesh(self.mesh.moved(v))
        return self.plan()

    def both(self, v):
        f = self.value(v)
        return (abs(f) ** 2).sum(), self.plan.by_vertices(f)


def main():
    exact = Facet(1e-10).both(VERTICES)[1]
    error = lambda of: abs(np.asarray(of.both(VERTICES)[1]) - exact).max() / abs(exact).max()
    mine, usual = Facet(ACCURACY), Rival(ACCURACY)
    loosest = next(r for r in map(Rival, (3e-7, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-10)) if error(r) <= ACCURACY)
    all_ = {"facet": mine, f"jax-finufft, eps {usual.eps:g}": usual, f"jax-finufft, eps {loosest.eps:g}": loosest}
    times = {}
    print(f"{len(FACES)} triangles, {N} x {N} q; least (median) of {REPEATS} in turns")
    for turn in range(REPEATS + 1):
        for name, of in all_.items():
            for what, run in (("value", of.value), ("value and gradient", of.both)):
                start = clock()
                run(VERTICES * (1 + 1e-4 * (turn % 2)))
                if turn > 0:
                    times.setdefault((name, what), []).append(clock() - start)
    for (name, what), seconds in times.items():
        print(f"{name}: {what} {1e3 * min(seconds):.0f} ({1e3 * np.median(seconds):.0f}) ms" + (f", error {error(all_[name]):.1e}" if what != "value" else ""))
    least = lambda name, what: min(times[name, what])
    both = least("facet", "value and gradient")
    slower = both / least("facet", "value")
    print(f"  value and gradient / value  {slower:.2f}  goal at most 3  {'met' if slower <= 3 else 'MISSED'}")
    for name in list(all_)[1:]:
        faster = least(name, "value and gradient") / both
        print(f"  times {name}  {faster:.2f}  goal 3  {'met' if faster >= 3 else 'MISSED'}")


main()
