#!/usr/bin/env python3
"""A step of a fit: an experiment in memory against one built anew each step, and against facet run.

    simulation.py BUILD [STEPS]

The experiment is that of tests/python/test_gisaxs_fit.py: hexagonal prisms of gold on silicon, 200 x 200 pixels. In each
step radius, height and rotation change. `anew` is what a program does that keeps nothing but the compiled kernel: mesh,
plan, and image from the experiment, in this process. All take turns in one run; milliseconds, minimum and median.
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
from facet import fit  # noqa: E402
from test_gisaxs_fit import EXPERIMENT, PARAMETERS, TRUTH  # noqa: E402

REQUIRED = 5  # times faster than anew


def timed(work):
    start = time.perf_counter()
    image = work()
    return 1e3 * (time.perf_counter() - start), image


def main():
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    model = fit.ExperimentModel(EXPERIMENT, PARAMETERS)
    model(TRUTH)
    found = {"step": [], "density alone": [], "anew": [], "facet run": []}
    for k in range(1, steps + 1):
        values = {"radius": 8 + 0.01 * k, "height": 10 - 0.01 * k, "rotation": 12 + 0.1 * k, "density": 1e-4}
        taken, image = timed(lambda: model(values))
        assert not model.simulation.last.planned and model.simulation.last.reused == 0
        found["step"].append(taken)
        found["density alone"].append(timed(lambda: model({**values, "density": 2e-4}))[0])
        experiment = model.experiment(values)
        taken, other = timed(lambda: facet.Simulation(experiment).intensity.values)
        found["anew"].append(taken)
        found["facet run"].append(timed(lambda: facet.run(experiment))[0])
        assert abs(image - other)[image == image].max() <= 1e-5 * other[image == image].max()
    for name, times in found.items():
        print(f"{name:14s} {min(times):8.2f} {median(times):8.2f} ms")
    for name in ("anew", "facet run"):
        least, middle = (of(found[name]) / of(found["step"]) for of in (min, median))
        print(f"{name} / step   {least:.1f} by minima, {middle:.1f} by medians")
    ratio = min(found["anew"]) / min(found["step"])
    sys.exit(f"a step is {ratio:.1f} times faster than anew, {REQUIRED} are required" if ratio < REQUIRED else 0)


if __name__ == "__main__":
    main()
