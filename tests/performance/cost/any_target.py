#!/usr/bin/env python3
"""Does --target any take the fastest target? Seconds of whole runs by the CPU, by a device and by what facet takes, in turns; the least counts.

    any_target.py FACET [--device opencl] [--runs 3]
"""
import argparse
import itertools
import re
import subprocess
import tempfile
import time

MESHES = {"300": "sphere,radius=5,n=12", "5,000": "sphere,radius=5,n=50"}
GRIDS = {"60 x 60": ["--qy=-1:1:60", "--qz=0.1:1:60"], "300 x 300": ["--qy=-1:1:300", "--qz=0.1:1:300"]}
CELLS = [*itertools.product(("born", "exact"), MESHES, GRIDS, ("auto", "direct")),
         *itertools.product(("born", "exact"), MESHES, ["300 x 300"], ("separable",))]


def run(facet, words, folder):
    """Seconds of the process, and the target that its report names."""
    start = time.perf_counter()
    told = subprocess.run([facet, "run", *words, "-o", "r.h5", "--overwrite"], cwd=folder, check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - start, re.search(r"algorithm .* grid, .*?(sse41|avx2|avx512|opencl|cuda-sm_\d+)", told)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facet")
    parser.add_argument("--device", default="opencl")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    right = 0
    print("| kernel | triangles | q | algorithm | CPU s | device s | any s | took | |\n|---|---|---|---|---|---|---|---|---|")
    for kernel, mesh, grid, algorithm in CELLS:
        words = [kernel, "--shape", MESHES[mesh], *GRIDS[grid], "--picture", "none", *(() if algorithm == "auto" else ("--algorithm", algorithm))]
        ways = {"cpu": words, "device": [*words, "--target", args.device], "any": [*words, "--target", "any"]}
        with tempfile.TemporaryDirectory() as folder:
            turns = [{way: run(args.facet, asked, folder) for way, asked in ways.items()} for _ in range(args.runs + 1)][1:]
        least = {way: min(turn[way][0] for turn in turns) for way in ways}
        taken = turns[-1]["any"][1]
        own = least["device" if taken == args.device else "cpu"]
        good = own <= 1.15 * min(least["cpu"], least["device"])
        right += good
        print(f"| {kernel} | {mesh} | {grid} | {algorithm} | {least['cpu']:.3f} | {least['device']:.3f} | {least['any']:.3f} | {taken} | {'right' if good else 'WRONG'} |",
              flush=True)
    print(f"{right} of {len(CELLS)} within 15% of the faster")


if __name__ == "__main__":
    main()
