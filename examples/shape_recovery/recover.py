#!/usr/bin/env python3
"""The shape of a nanoparticle from its small-angle images: all vertices are unknown.

    recover.py [--images 12] [--pixels 41] [--rings 14] [--distortion 0.05] [--counts 1e6] [--steps 60] [--seed 1] [-o recovered.png]

A particle of some 20 nm with bumps is seen from several sides; each image has Poisson noise. A mesh that is distorted by a few
percent of its radius is changed until its images are those: L-BFGS on the Poisson-weighted misfit and a smoothness of what has changed, with
derivatives by all vertices from facet (docs/derivatives.md). Printed and drawn: the mean distance of the mesh from the true surface.
"""
from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from scipy import optimize, sparse
from scipy.spatial import cKDTree

import facet


class Particle:
    """Vertices on a sphere of 10 nm, their faces, and shapes made of them."""

    def __init__(self, rings: int, seed: int) -> None:
        corners = facet.Mesh.sphere(10.0, n=rings).triangles.reshape(-1, 3)
        self.vertices, numbers = np.unique(np.round(corners, 9), axis=0, return_inverse=True)
        self.faces = numbers.reshape(-1, 3)
        self.draw = np.random.default_rng(seed)
        self.truth = self.vertices * [1.0, 0.85, 0.7] + self.waves(4, 0.03)

    def waves(self, count: int, part: float) -> np.ndarray:
        """Shifts along the radius of `part` of it (root mean square), nm: a sum of plane waves."""
        u = self.vertices / np.linalg.norm(self.vertices, axis=1)[:, None]
        shifts = sum(np.cos(u @ (2 * self.draw.normal(size=3)) + self.draw.uniform(0, 2 * np.pi)) for _ in range(count))
        return u * (10 * part * shifts / shifts.std())[:, None]

    def smoothing(self) -> sparse.csr_matrix:
        """A vertex less the mean of its neighbours."""
        f, n = self.faces, len(self.vertices)
        pairs = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]])
        near = sparse.coo_matrix((np.ones(len(pairs)), pairs.T), shape=(n, n)).tocsr()
        near = ((near + near.T) > 0).astype(float)
        return sparse.identity(n) - sparse.diags(1 / np.asarray(near.sum(1)).ravel()) @ near


class Images:
    """|F|^2 of a mesh from several sides, and derivatives by its vertices."""

    def __init__(self, particle: Particle, count: int, pixels: int) -> None:
        q = np.linspace(-1, 1, pixels)  # nm^-1
        self.faces = particle.faces
        self.plan = facet.compile("closed").plan(facet.Mesh(particle.vertices, self.faces), qy=q, qz=q, accuracy=1e-6)
        angles = np.arange(count) * np.pi / count
        self.turns = [np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) for a in angles]

    def amplitude(self, vertices: np.ndarray, turn: np.ndarray) -> np.ndarray:
        self.plan.set_mesh(facet.Mesh(vertices @ turn.T, self.faces))
        return self.plan()

    def all(self, vertices: np.ndarray) -> np.ndarray:
        return np.array([abs(self.amplitude(vertices, turn)) ** 2 for turn in self.turns])

    def misfit(self, vertices: np.ndarray, seen: np.ndarray, variance: np.ndarray) -> tuple[float, np.ndarray]:
        """Half of chi2, and its derivatives by the vertices."""
        value, slope = 0.0, np.zeros_like(vertices)
        for turn, image, v in zip(self.turns, seen, variance):
            f = self.amplitude(vertices, turn)
            rest = (abs(f) ** 2 - image) / v
            value += 0.5 * float((rest**2 * v).sum())
            by_corner = self.plan.vjp(rest * f)  # dL/d(conj F) of L = chi2 / 2
            own = np.zeros_like(vertices)
            np.add.at(own, self.faces, by_corner)
            slope += own @ turn
        return value, slope


class Surface:
    """Of a mesh of triangles: how far others are from it."""

    def __init__(self, vertices: np.ndarray, faces: np.ndarray, fine: int = 24) -> None:
        weights = np.array([(i, j, fine - i - j) for i in range(fine + 1) for j in range(fine + 1 - i)]) / fine
        self.tree = cKDTree((weights[None] @ vertices[faces]).reshape(-1, 3))

    def distance(self, vertices: np.ndarray) -> float:
        """Mean, nm. Images do not tell a particle from one that is shifted, or inverted at a point: the nearer is taken."""
        least = np.inf
        for sign in (1, -1):
            x = sign * vertices - (sign * vertices).mean(0) + self.tree.data.mean(0)
            for _ in range(20):
                x = x - (x - self.tree.data[self.tree.query(x)[1]]).mean(0)
            least = min(least, float(self.tree.query(x)[0].mean()))
        return least


def recover(particle: Particle, images: Images, seen: np.ndarray, variance: np.ndarray, start: np.ndarray, steps: int) -> tuple[np.ndarray, list[float]]:
    """The vertices, and the misfit after each step."""
    smooth, misfits, last = particle.smoothing(), [images.misfit(start, seen, variance)[0]], [0.0]
    weight = 100.0 * len(images.turns)  # of the smoothness, nm^-2: a bend of 0.1 nm at a vertex costs as much as a pixel of 1 sigma in each image

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        v = x.reshape(-1, 3)
        value, slope = images.misfit(v, seen, variance)
        last[0] = value
        bent = smooth @ (v - start)
        return value + 0.5 * weight * (bent**2).sum(), (slope + weight * (smooth.T @ bent)).ravel()

    def step(x: np.ndarray) -> None:
        misfits.append(last[0])
        if sys.stdout.isatty():
            print(f"\rstep {len(misfits) - 1} of {steps}, misfit {misfits[-1]:.0f}  ", end="", flush=True)

    found = optimize.minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", callback=step, options={"maxiter": steps, "maxcor": 30})
    return found.x.reshape(-1, 3), misfits


def draw(path: str, particle: Particle, start: np.ndarray, found: np.ndarray, shown: list[np.ndarray], misfits: list[float], told: list[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(13, 8), layout="constrained")
    truth = Surface(particle.truth, particle.faces)
    for k, (name, v) in enumerate([("before" + told[0], start), ("after" + told[1], found), ("truth", particle.truth)]):
        axes = figure.add_subplot(2, 3, k + 1, projection="3d")
        away = truth.tree.query(v - v.mean(0) + particle.truth.mean(0))[0][particle.faces].mean(1)
        faces = axes.plot_trisurf(*v.T, triangles=particle.faces, cmap="viridis", linewidth=0.1, edgecolor="none")
        faces.set_array(away)
        faces.set_clim(0, 0.8)
        axes.set(title=name, xlabel="x, nm", ylabel="y, nm", zlabel="z, nm", xlim=(-11, 11), ylim=(-11, 11), zlim=(-11, 11), aspect="equal")
        if k == 2:
            figure.colorbar(faces, ax=axes, label="distance from the true surface, nm", shrink=0.6)
    for k, (name, image) in enumerate(zip(("seen, with noise", "of the mesh found"), shown)):
        axes = figure.add_subplot(2, 3, k + 4)
        picture = axes.imshow(np.log10(np.maximum(image[0], shown[1].max() * 1e-7)), origin="lower", extent=(-1, 1, -1, 1), cmap="magma")
        axes.set(title=name, xlabel="q.z, 1/nm", ylabel="q.y, 1/nm")
        figure.colorbar(picture, ax=axes, label="log10 |F|$^2$, nm$^6$", shrink=0.8)
    axes = figure.add_subplot(2, 3, 6)
    axes.semilogy(misfits)
    axes.set(title="misfit", xlabel="step", ylabel="half of chi$^2$")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("images", 12), ("pixels", 41), ("rings", 14), ("distortion", 0.05), ("counts", 1e6), ("steps", 60), ("seed", 1)):
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("-o", "--output", default="recovered.png")
    asked = parser.parse_args()
    began = time.perf_counter()
    particle = Particle(asked.rings, asked.seed)
    images = Images(particle, asked.images, asked.pixels)
    clean = images.all(particle.truth)
    scale = asked.counts / clean.sum(axis=(1, 2)).mean()  # counts of an image on average
    counts = particle.draw.poisson(clean * scale)
    seen, variance = counts / scale, np.maximum(counts, 1) / scale**2
    start = particle.truth + particle.waves(10, asked.distortion)
    found, misfits = recover(particle, images, seen, variance, start, asked.steps)
    surface = Surface(particle.truth, particle.faces)
    before, after = surface.distance(start), surface.distance(found)
    print(f"{len(start)} vertices, {asked.images} images of {asked.pixels} x {asked.pixels} pixels: half of chi2 {misfits[0]:.0f} -> {misfits[-1]:.0f} "
          f"({counts.size / 2:.0f} expected of noise), mean distance {before:.3f} -> {after:.3f} nm, {before / after:.1f} times less, "
          f"{time.perf_counter() - began:.0f} s")
    draw(asked.output, particle, start, found, [seen, images.all(found)], misfits, [f": {before:.2f} nm away", f": {after:.3f} nm away"])


if __name__ == "__main__":
    main()
