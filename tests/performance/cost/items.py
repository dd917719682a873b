#!/usr/bin/env python3
"""What each item of an experiment costs: CPU seconds of facet run on one thread, beside the run without it. Runs take turns; the least counts.

    items.py FACET [--runs 3]
"""
import argparse
import resource
import subprocess
import tempfile
from pathlib import Path

import tomli_w

BALL = {"shape": {"type": "sphere", "radius": 5.0, "n": 12}, "z": 0.0, "delta": 3e-5, "beta": 2e-6, "density": 1e-4}
MATERIAL = {key: value for key, value in BALL.items() if key not in ("delta", "beta")} | {"material": "Au"}
LATTICE = {"type": "lattice", "a": 20.0, "b": 20.0, "gamma": 60.0, "decay": 200.0}
PLAIN = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": 0.3, "flux": 1e12}, "run": {"threads": 1}, "output": {"picture": "none"},
         "sample": {"layers": [{"name": "vacuum"}, {"name": "Si", "delta": 4.9e-6, "beta": 7e-8}]}, "particle": [BALL],
         "detector": {"pixels": [300, 300], "pixel_size": 4e-4, "distance": 2.0, "beam_centre": [10.0, 150.0]}}
ITEMS = {"nothing": {},
         "the particle in the substrate": {"particle": [BALL | {"layer": "Si", "z": -12.0}]},
         "half of it in the substrate": {"particle": [BALL | {"z": -5.0}]},
         "point spread": {"resolution": {"point_spread": 1.5}},
         "divergence, 5 beams": {"resolution": {"phi": 0.02}},
         "hard disks": {"arrangement": {"type": "hard-disks", "radius": 8.0, "fraction": 0.3}},
         "a lattice": {"arrangement": LATTICE},
         "a lattice, all turns of its domains": {"arrangement": LATTICE | {"xi_spread": 360.0}},
         "materials": {"particle": [MATERIAL]},
         "a mask": {"detector": PLAIN["detector"] | {"mask": [[300, 300], [45000, 300]]}},
         "noise": {"output": {"picture": "none", "noise": 1}},
         "four terms": {"output": {"picture": "none", "terms": True}},
         "Fresnel maps": {"output": {"picture": "none", "fresnel": True}}}


def seconds(facet, experiment, folder):
    """CPU seconds of facet and what it starts."""
    (folder / "e.toml").write_text(tomli_w.dumps(experiment))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([facet, "run", "e.toml", "-o", "r.h5", "--overwrite"], cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facet")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        def once():
            return {name: seconds(Path(args.facet).resolve(), PLAIN | item, Path(place)) for name, item in ITEMS.items()}
        once()  # compiles
        turns = [once() for _ in range(args.runs)]
    least = {name: min(turn[name] for turn in turns) for name in ITEMS}
    print("| with | CPU s | of the image alone |\n|---|---|---|")
    for name, spent in least.items():
        print(f"| {name} | {spent:.2f} | {spent / least['nothing']:.2f} |")


if __name__ == "__main__":
    main()
