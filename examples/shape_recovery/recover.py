#!/usr/bin/env python3
"""The shape of a nanoparticle on silicon from its GISAXS images: all vertices are unknown.

    recover.py [--sides 6] [--rings 14] [--distortion 0.05] [--counts 1e6] [--steps 30] [--seed 1] [-o recovered.png]

A gold particle of some 20 nm with bumps is seen from several sides, at the angles of incidence and q of experiment.toml, with Poisson noise. A
mesh that is distorted by a few percent of its radius is changed until its images are those: L-BFGS on the Poisson-weighted misfit and a
smoothness of what has changed, with derivatives by all vertices from facet (docs/derivatives.md). Printed and drawn: the mean distance of
the mesh from the true surface.
"""
from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize, sparse
from scipy.spatial import cKDTree

import facet
from facet.labels import shown

EXPERIMENT = Path(__file__).with_name("experiment.toml")


class Particle:
    """Vertices on a sphere of 10 nm, their faces, and shapes made of them whose lowest vertex is `height` below the origin, on the silicon."""

    def __init__(self, rings: int, seed: int, height: float) -> None:
        corners = facet.Mesh.sphere(10.0, n=rings).triangles.reshape(-1, 3)
        self.vertices, numbers = np.unique(np.round(corners, 9), axis=0, return_inverse=True)
        self.faces = numbers.reshape(-1, 3)
        self.height = height
        self.draw = np.random.default_rng(seed)
        self.truth = self.standing(self.vertices * [1.0, 0.85, 0.7] + self.waves(4, 0.03))

    def standing(self, vertices: np.ndarray) -> np.ndarray:
        return vertices - [0, 0, vertices[:, 2].min() + self.height]

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


class Sides:
    """The experiment with a mesh of these faces in the place of its shape, turned about the normal to several sides."""

    def __init__(self, experiment: dict[str, Any], faces: np.ndarray, count: int, folder: Path) -> None:
        self.faces, self.mesh = faces, folder / "mesh.h5"  # in double precision
        self.experiments = [{**experiment, "particle": [{**experiment["particle"][0], "mesh": str(self.mesh)}],
                             "object": [{**experiment["object"][0], "euler": [180.0 * k / count, 0.0, 0.0]}]} for k in range(count)]
        for turned in self.experiments:
            del turned["particle"][0]["shape"]
        self.simulations: list[facet.Simulation] = []

    def look(self, vertices: np.ndarray) -> list[facet.Simulation]:
        facet.Mesh(vertices, self.faces).write(self.mesh)
        for simulation in self.simulations:
            simulation.update()  # sees that the file is another one
        self.simulations = self.simulations or [facet.Simulation(turned) for turned in self.experiments]
        return self.simulations

    def images(self, vertices: np.ndarray) -> np.ndarray:
        """nm^2, by side, angle of incidence, qz and qy."""
        return np.array([[image.values for image in side.images] for side in self.look(vertices)])

    def misfit(self, vertices: np.ndarray, seen: np.ndarray, variance: np.ndarray) -> tuple[float, np.ndarray]:
        """Half of chi2, and its derivatives by the vertices."""
        rest = self.images(vertices) - seen
        slope = np.zeros_like(vertices)
        for side, cotangent in zip(self.simulations, rest / variance):  # dL/dI of L = chi2 / 2
            np.add.at(slope, self.faces, side.gradient(list(cotangent)).corners[0])
        return 0.5 * float((rest**2 / variance).sum()), slope


class Surface:
    """Of a mesh of triangles: how far others are from it. Images do not tell a particle from one that is shifted along the silicon."""

    def __init__(self, vertices: np.ndarray, faces: np.ndarray, fine: int = 24) -> None:
        weights = np.array([(i, j, fine - i - j) for i in range(fine + 1) for j in range(fine + 1 - i)]) / fine
        self.tree = cKDTree((weights[None] @ vertices[faces]).reshape(-1, 3))

    def distances(self, vertices: np.ndarray) -> np.ndarray:
        """Of each vertex, nm, after a shift along the silicon to where all of them are nearest."""
        for _ in range(20):
            vertices = vertices - (vertices - self.tree.data[self.tree.query(vertices)[1]]).mean(0) * [1, 1, 0]
        return self.tree.query(vertices)[0]


@dataclass
class Recovered:
    vertices: np.ndarray
    misfits: list[float]  # after each step


def recover(particle: Particle, sides: Sides, seen: np.ndarray, variance: np.ndarray, start: np.ndarray, steps: int) -> Recovered:
    smooth, misfits, last = particle.smoothing(), [sides.misfit(start, seen, variance)[0]], [0.0]
    weight = 100.0 * seen[..., 0, 0].size  # nm^-2: a bend of 0.1 nm at a vertex costs as much as a pixel of 1 sigma in each image
    above = optimize.Bounds(np.tile([-np.inf, -np.inf, -particle.height], len(start)))  # the silicon

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        v = x.reshape(-1, 3)
        last[0], slope = sides.misfit(v, seen, variance)
        bent = smooth @ (v - start)
        return last[0] + 0.5 * weight * (bent**2).sum(), (slope + weight * (smooth.T @ bent)).ravel()

    def step(x: np.ndarray) -> None:
        misfits.append(last[0])
        if sys.stdout.isatty():
            print(f"\rstep {len(misfits) - 1} of {steps}, misfit {misfits[-1]:.0f}  ", end="", flush=True)

    options = {"maxiter": steps, "maxcor": 30}
    found = optimize.minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", bounds=above, callback=step, options=options)
    return Recovered(found.x.reshape(-1, 3), misfits)


def draw(path: str, particle: Particle, shapes: dict[str, np.ndarray], images: dict[str, np.ndarray], grid: dict[str, Any],
         misfits: list[float]) -> None:
    """`images`: by qz and qy."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(13, 8), layout="constrained")
    truth = Surface(particle.truth, particle.faces)
    for k, (name, v) in enumerate(shapes.items()):
        axes = figure.add_subplot(2, 3, k + 1, projection="3d")
        away = truth.distances(v)
        faces = axes.plot_trisurf(*v.T, triangles=particle.faces, cmap="viridis", linewidth=0.1, edgecolor="none")
        faces.set_array(away[particle.faces].mean(1))
        faces.set_clim(0, 0.8)
        told = f": {away.mean():.3f} nm away" if away.any() else ""
        axes.set(title=name + told, xlabel="x (nm)", ylabel="y (nm)", zlabel="z (nm)", xlim=(-11, 11), ylim=(-11, 11), zlim=(-11, 11), aspect="equal")
        if k == 2:
            figure.colorbar(faces, ax=axes, label="distance from the true surface (nm)", shrink=0.6, pad=0.12)
    most = max(image.max() for image in images.values())
    for k, (name, image) in enumerate(images.items()):
        axes = figure.add_subplot(2, 3, k + 4)
        extent = [grid[axis][end] for axis in ("qy", "qz") for end in ("from", "to")]
        picture = axes.imshow(np.log10(np.maximum(image, 0.5)), origin="lower", extent=extent, cmap="magma", vmin=-0.3,
                              vmax=np.log10(most), aspect="auto")
        axes.set(title=name, xlabel=shown("qy (1/nm)"), ylabel=shown("qz (1/nm)"))
        figure.colorbar(picture, ax=axes, label=shown("log_{10} of counts"), shrink=0.8)
    axes = figure.add_subplot(2, 3, 6)
    axes.semilogy(misfits)
    axes.set(title="misfit", xlabel="step", ylabel=shown("half of chi^2"))
    figure.savefig(path, dpi=110)


def run(asked: argparse.Namespace, folder: Path) -> None:
    began = time.perf_counter()
    experiment = facet.Simulation(EXPERIMENT).tables
    particle = Particle(asked.rings, asked.seed, experiment["object"][0]["position"][2])
    # What is seen is integrated over each triangle exactly, what is compared with it takes triangles at their centroids, which is faster.
    clean = Sides({**experiment, "kernel": "exact"}, particle.faces, asked.sides, folder).images(particle.truth)
    scale = asked.counts / clean.sum(axis=(2, 3)).max()  # counts for a nm^2: so many in the brightest image
    counts = particle.draw.poisson(clean * scale)
    start = particle.standing(particle.truth + particle.waves(10, asked.distortion))
    sides = Sides(experiment, particle.faces, asked.sides, folder)
    found = recover(particle, sides, counts / scale, np.maximum(counts, 1) / scale**2, start, asked.steps)
    seconds = time.perf_counter() - began
    surface = Surface(particle.truth, particle.faces)
    before, after = surface.distances(start).mean(), surface.distances(found.vertices).mean()
    several, angles, *pixels = counts.shape
    print(f"{len(start)} vertices, images from {several} sides at {angles} angles of {pixels[0]} x {pixels[1]} pixels: "
          f"half of chi2 {found.misfits[0]:.0f} -> {found.misfits[-1]:.0f} ({counts.size / 2:.0f} expected of noise), "
          f"mean distance {before:.3f} -> {after:.3f} nm, {before / after:.1f} times less, {seconds:.0f} s")
    shapes = {"before": start, "after": found.vertices, "truth": particle.truth}
    images = {"seen, with noise": counts[0, -1], "of the mesh found": sides.images(found.vertices)[0, -1] * scale}
    draw(asked.output, particle, shapes, images, experiment["grid"], found.misfits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("sides", 6), ("rings", 14), ("distortion", 0.05), ("counts", 1e6), ("steps", 30), ("seed", 1)):
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("-o", "--output", default="recovered.png")
    with tempfile.TemporaryDirectory() as folder:
        run(parser.parse_args(), Path(folder))


if __name__ == "__main__":
    main()
