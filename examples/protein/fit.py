#!/usr/bin/env python3
"""A SAXS curve of a protein in water, fitted by the densities of the solvent and of the bound water.

    fit.py protein.pdb data.dat [--unit 1/angstrom] [-o fit.png]

The table of sites is written beside the picture, as fit.h5. It needs gemmi, SciPy, h5py and Matplotlib.
"""
import argparse
import subprocess
import sys
from pathlib import Path

from facet import fit

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("protein", help=".pdb or .cif")
    parser.add_argument("data", help="q, I and its error")
    parser.add_argument("--unit", default="1/angstrom", help="of q (1/angstrom)")
    parser.add_argument("-o", "--output", type=Path, default=Path("fit.png"))
    asked = parser.parse_args()
    sites = asked.output.with_suffix(".h5")
    script = HERE.parent / "meshes" / "atoms.py"
    made = subprocess.run([sys.executable, script, asked.protein, "--solution", "-o", sites])
    if made.returncode:
        sys.exit(made.returncode)
    data = fit.Data.read(asked.data, unit=asked.unit)
    experiment = {"kernel": str(HERE / "solution.cpp"), "particle": [{"mesh": str(sites)}], "grid": {"q": [float(q) for q in data.q]},
                  "parameters": {"solvent": 334.0, "hydration": 30.0}, "accuracy": {"relative": 1e-4}}
    model = fit.ExperimentModel(experiment, {name: f"parameters.{name}" for name in ("solvent", "hydration")})
    dry = model({"solvent": 334.0, "hydration": 0.0})
    scale = float((data.values / dry).mean())
    found = fit.least_squares(fit.Problem(model, data, {"solvent": (334.0, 300, 400), "hydration": (10.0, -30, 80),
                                                        "scale": (scale, scale / 10, scale * 10), "background": 0.0}))
    print(found)
    found.plot().savefig(asked.output, dpi=120)


if __name__ == "__main__":
    main()
