#!/usr/bin/env python3
"""Derivatives of a GISAXS image by all corners of a mesh and by 12 numbers, beside the image.

    simulation_gradient.py BUILD [STEPS]

A truncated octahedron of gold, 18,432 triangles, on silicon, 260 x 240 pixels at 1e-6: a grid of q, and one of angles. The mesh is another one in each
step, as in a search for its shape, so that nothing but plans and kernels stays. Milliseconds, minimum and median, in one run.
"""
import os
import sys
import time
from pathlib import Path
from statistics import median

BUILD = Path(sys.argv[1]).resolve()
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "python"), str(BUILD / "python")]
os.environ["FACET_BUILD"] = str(BUILD)

import conftest  # noqa: E402, F401
import facet  # noqa: E402
import numpy as np  # noqa: E402

REQUIRED = 5  # times the image's time, for the image and its derivatives
KEYS = ["particle.density", "particle.delta", "particle.beta", "particle.z", "particle.orientation.euler", "particle.shape.size",
        "sample.layers.1.delta", "sample.layers.1.beta", "sample.layers.1.roughness", "beam.alpha_i"]
GRIDS = {
    "q": {"qy": {"from": -1.5, "to": 1.5, "n": 260}, "qz": {"from": 0.35, "to": 3.0, "n": 240}},
    "angles": {"alpha_f": {"from": 0.05, "to": 2.5, "n": 240}, "phi_f": {"from": -1.2, "to": 1.2, "n": 260}},
}


def experiment(grid):
    return {
        "kernel": "born",
        "beam": {"wavelength": 0.1, "alpha_i": 0.3},
        "sample": {"layers": [{}, {"delta": 7e-6, "beta": 1e-7, "roughness": 0.5}]},
        "particle": [{"shape": {"type": "truncated-octahedron", "size": 12.0, "n": 16}, "delta": 2.98e-5, "beta": 2e-6, "density": 1e-4,
                      "z": 0.5, "orientation": {"euler": [20.0, 10.0, 5.0]}}],
        "grid": grid,
        "accuracy": {"relative": 1e-6},
    }


def timed(work):
    start = time.perf_counter()
    found = work()
    return 1e3 * (time.perf_counter() - start), found


def main():
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    worst = 0.0
    for name, grid in GRIDS.items():
        simulation = facet.Simulation(experiment(grid))
        image = simulation.intensity.values
        cotangent = np.nan_to_num(image / np.nanmax(image))
        found = {"image": [], "by corners": [], "by corners and keys": []}
        for k in range(steps + 1):
            simulation.update(changes={"particle.shape.size": 12 + 1e-3 * k})
            times = (timed(lambda: simulation.intensity), timed(lambda: simulation.gradient(cotangent)), timed(lambda: simulation.gradient(cotangent, KEYS)))
            assert len(times[2][1].corners[0]) == 18432 and sum(np.size(v) for v in times[2][1].keys.values()) == 12
            for of, (taken, _) in zip(found.values(), times if k > 0 else ()):  # the first one plans
                of.append(taken)
        for what, times in found.items():
            print(f"{name:7s} {what:20s} {min(times):8.1f} {median(times):8.1f} ms")
        for what in list(found)[1:]:
            ratios = [(of(found["image"]) + of(found[what])) / of(found["image"]) for of in (min, median)]
            print(f"{name:7s} image and derivatives {what} / image   {ratios[0]:.2f} by minima, {ratios[1]:.2f} by medians")
        worst = max(worst, ratios[0])
    sys.exit(f"an image and its derivatives take {worst:.2f} times the image's time, {REQUIRED} are required" if worst > REQUIRED else 0)


if __name__ == "__main__":
    main()
