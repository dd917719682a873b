#!/usr/bin/env python3
"""Runs every kernel of a packed folder on this machine's device and compares with the reference; last line `N passed, N failed`."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import report
import tools

HERE = Path(__file__).resolve().parent
FACET = HERE / "facet"
ACCURACY = {"f32": "1e-5", "f32-careful": "1e-5", "f64": "1e-10"}
# Columns that every mesh has; others are given as 1.
GEOMETRY = re.compile(r"(area|normal|centroid|vertex|v\d|[abc]|edge)\b.*")


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", help="names, by commas (all of the folder)")
    parser.add_argument("--classes", help="f32, f32-careful, f64, by commas (all)")
    parser.add_argument("--size", type=int, default=33, help="q along an axis of the checks (33)")
    parser.add_argument("--speed-size", type=int, default=255, help="the same where speed is noted; 0: no such runs (255)")
    parser.add_argument("--limit", type=int, default=600, help="seconds a run may take (600)")
    parser.add_argument("--output", type=Path, default=Path("gpu-report"), help="folder of the table and the timeline (gpu-report)")
    return parser.parse_args()


def device(target):
    """The device's line of `facet machines`, or exit 2."""
    done = subprocess.run([FACET, "machines"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gpu/run.sh: facet does not run here:\n{done.stderr}")
    row = re.search(rf"^{target} +(.*)", done.stdout, re.M)
    here = re.search(r"yes, on (\S+)|yes", row[1]) if row else None
    if not here:
        why = re.search(rf"^{target.split('-')[0]} +(no device: .*)", done.stdout, re.M)
        print(f"gpu/run.sh: nothing to test for {target}: {why[1] if why else row[1] if row else 'no such target'}", file=sys.stderr)
        sys.exit(2)
    return re.search(rf"^{here[1]} +(.*)", done.stdout, re.M)[1] if here[1] else target


def cases(target, wanted):
    """Kernel, its manifest and (class, grid, q, algorithm) of each sum compiled for the target."""
    for file in sorted((HERE / "kernels").glob("*.json")):
        manifest = json.loads(file.read_text())
        seen = set()
        for v in manifest["variants"]:
            key = v["class"], v["grid"], v["q"], v["algorithm"]
            if v["target"] != target or v["algorithm"] == "nufft" or key in seen:
                continue
            seen.add(key)
            if (not wanted.kernels or file.stem in wanted.kernels.split(",")) and (
                    not wanted.classes or v["class"] in wanted.classes.split(",")):
                yield file.stem, manifest, key


def grid(kind, q, size, folder):
    """Arguments of a grid of odd sizes, off the axes; complex q.z has a constant imaginary part."""
    tail = "" if q == "real" else "+0.01i"
    if kind == "product":
        return [f"--qx=-1.1:1.3:{size}", f"--qy=-1.2:1.4:{size - 2}", f"--qz=0.01:1.5:{max(size - 4, 1)}{tail}"]
    file = folder / f"points-{q}-{size}.txt"
    if not file.exists():
        count = size * size + 1
        with file.open("w") as out:
            for i in range(count):
                x, y, z = (0.05 + (i * s) % 1.0 for s in (0.6180339887, 0.7548776662, 0.8191725134))
                out.write(f"{x:.9f} {y:.9f} {z:.9f}{'' if q == 'real' else ' 0 0 0.01'}\n")
    return ["--points", str(file)]


def command(kernel, manifest, key, target, size, folder, shape="torus,major=20,minor=8"):
    klass, kind, q, algorithm = key
    columns = [w for c in manifest["columns"] if not GEOMETRY.fullmatch(c) for w in ("--column", f"{c}=1")]
    return [str(FACET), "run", "--kernel", str(HERE / "kernels" / f"{kernel}.so"), "--shape", shape, *columns,
            *grid(kind, q, size, folder), "--target", target, "--class", klass, "--algorithm", algorithm,
            "--accuracy", ACCURACY[klass], "--picture", "none", "-o", str(folder / "out.h5")]


def main():
    wanted, target = options(), (HERE / "target").read_text().strip()
    chip = device(target)
    os.environ["FACET_SCHEDULES"] = ""
    wanted.output.mkdir(parents=True, exist_ok=True)
    print(f"{target}: {chip}")
    rows, passed, failed, listed = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["FACET_PROFILE"] = str(folder / "machine.toml")
        for kernel, manifest, key in cases(target, wanted):
            small = report.run(command(kernel, manifest, key, target, wanted.size, folder), key, target, wanted.limit)
            large = None
            if wanted.speed_size and not small.failure:
                shape = "torus,major=20,minor=8,around=256,tube=128"
                large = report.run(command(kernel, manifest, key, target, wanted.speed_size, folder, shape), key, target, wanted.limit)
            failure = small.failure or (large.failure if large else "")
            unseen = not failure and report.unseen(small, large)
            passed, failed, listed = passed + (not failure and not unseen), failed + bool(failure), listed + unseen
            rows.append(((kernel, *key), small, large, failure))
            print(f"{'FAILED' if failure else 'not run' if unseen else 'passed'} {kernel} {' '.join(key)}: error {small.error}{': ' + failure if failure else ''}", flush=True)
        make = lambda kernel, manifest, key, size: command(kernel, manifest, key, target, size, folder)
        notes, good, bad = tools.all_tools(target, list(cases(target, wanted)), make, wanted)
    passed, failed = passed + good, failed + bad
    file = report.write(wanted.output / "table.md", target, chip, rows, notes, HERE / "predictions.md")
    print(f"table: {file}")
    if not rows:
        print("no case was run: no such kernel or class in this folder", file=sys.stderr)
    if listed:
        print(f"{listed} not run: the planner summed these product grids as lists of points; give a larger --size")
    print(f"{passed} passed, {failed} failed")
    return bool(failed or not passed)


if __name__ == "__main__":
    sys.exit(main())
