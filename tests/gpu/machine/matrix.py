#!/usr/bin/env python3
"""Runs every kernel of a packed folder on this machine's device and compares with the reference; last line `N passed, N failed`."""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import extras
import report
import rivals
import tools

HERE = Path(__file__).resolve().parent
FACET = HERE / "facet"
ACCURACY = {"f32": "1e-5", "f32-careful": "1e-5", "f64": "1e-10"}
# Columns that every mesh has; others are given as 1.
GEOMETRY = re.compile(r"area|(normal|centroid|vertex[012]|edge[12])\.[xyz]")
TORUS = "torus,major=20,minor=8"


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", help="names, by commas (all of the folder)")
    parser.add_argument("--classes", help="f32, f32-careful, f64, by commas (all)")
    parser.add_argument("--size", type=int, default=3, help="q along x in the checks, with 63 along y and 253 along z (3)")
    parser.add_argument("--speed-size", type=int, default=255, help="q along each axis where speed is noted; 0: no such runs (255)")
    parser.add_argument("--streams-size", type=int, default=1600, help="q along y and z of the timeline; 0: none (1600)")
    parser.add_argument("--rivals-size", type=int, default=8192, help="rows of the product of matrices; 0: none (8192)")
    parser.add_argument("--sanitizer", help="this compute-sanitizer, whatever the device (one that is found, for CUDA); none: no such runs")
    parser.add_argument("--jobs", type=int, default=1, help="checks side by side; speeds are always noted alone (1)")
    parser.add_argument("--limit", type=int, default=600, help="seconds a run may take (600)")
    parser.add_argument("--output", type=Path, default=Path("gpu-report"), help="folder of the report and its pictures (gpu-report)")
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


def grid(kind, q, sizes, folder):
    """Arguments of a grid off the axes; complex q.z has a constant imaginary part.

    The planner sums a product as a list of points where padding would cost more than a third. So the sizes of y and z
    are just below multiples of what blocks of threads take.
    """
    tail = "" if q == "real" else "+0.01i"
    if kind == "product":
        return [f"--qx=-1.1:1.3:{sizes[0]}", f"--qy=-1.2:1.4:{sizes[1]}", f"--qz=0.01:1.5:{sizes[2]}{tail}"]
    count = sizes[0] * 1000 + 1 if sizes[0] < 100 else sizes[0] * sizes[1] + 1
    file = folder / f"points-{q}-{count}.txt"
    if not file.exists():
        with file.open("w") as out:
            for i in range(count):
                x, y, z = (0.05 + (i * s) % 1.0 for s in (0.6180339887, 0.7548776662, 0.8191725134))
                out.write(f"{x:.9f} {y:.9f} {z:.9f}{'' if q == 'real' else ' 0 0 0.01'}\n")
    return ["--points", str(file)]


class Runs:
    """How sums of the folder are run: the command of each, and its judge."""

    def __init__(self, target, folder, limit):
        self.target, self.folder, self.limit = target, folder, limit
        self.number, self.making = itertools.count(), threading.Lock()
        (folder / "fixed.toml").write_text("fixed = true\n")
        os.environ["FACET_PROFILE"] = str(folder / "machine.toml")

    def command(self, kernel, manifest, key, sizes, shape=TORUS, library=None):
        klass, kind, q, algorithm = key
        columns = [w for c in manifest["columns"] if not GEOMETRY.fullmatch(c) for w in ("--column", f"{c}=1")]
        with self.making:
            places = grid(kind, q, sizes, self.folder)
        return [str(FACET), "run", "--kernel", str(library or HERE / "kernels" / f"{kernel}.so"), "--shape", shape, *columns, *places,
                "--target", self.target, "--class", klass, "--algorithm", algorithm, "--accuracy", ACCURACY[klass], "--picture", "none",
                "-o", str(self.folder / f"out{next(self.number)}.h5")]

    def judged(self, kernel, manifest, key, sizes, shape=TORUS, library=None, more=(), fixed=False, choose=False):
        environment = {**os.environ, "FACET_PROFILE": str(self.folder / "fixed.toml")} if fixed else None
        command = self.command(kernel, manifest, key, sizes, shape, library)
        result = report.run([*command, *more], key, self.target, self.limit, environment, choose)
        Path(command[-1]).unlink(missing_ok=True)
        return result

    def checked(self, kernel, manifest, key, size, library=None):
        """The sum on odd numbers of q; nothing is measured, so that runs side by side choose the same."""
        result = self.judged(kernel, manifest, key, (size, 63, 253), library=library, fixed=True)
        if result.other:
            result = self.judged(kernel, manifest, key, (size, 64, 256), library=library, fixed=True)  # sizes without padding
        return result


PARTS = (extras.hardware, extras.tensor, extras.streams, rivals.compare, tools.sanitize, tools.profile)


def main():
    wanted, target = options(), (HERE / "target").read_text().strip()
    chip = device(target)
    os.environ["FACET_SCHEDULES"] = ""
    wanted.output.mkdir(parents=True, exist_ok=True)
    print(f"{target}: {chip}")
    rows, sections = [], []
    count = {"passed": 0, "failed": 0}
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(wanted.jobs) as pool:
        runs = Runs(target, Path(temporary), wanted.limit)
        all_cases = list(cases(target, wanted))
        results = pool.map(lambda case: runs.checked(*case, wanted.size), all_cases)
        for (kernel, manifest, key), small in zip(all_cases, list(results)):
            large, n = None, wanted.speed_size
            if n and not small.failure:
                # By what was measured a list of points may be as fast as the grid, whose sum the small problem has checked.
                large = runs.judged(kernel, manifest, key, (n, n - 2, n - 4), shape=extras.LARGE, choose=True)
            failure = small.failure or (large.failure if large else "")
            count["failed" if failure else "passed"] += 1
            rows.append(((kernel, *key), small, large, failure))
            print(f"{'FAILED' if failure else 'passed'} {kernel} {' '.join(key)}: error {small.error}, "
                  f"{large.speed if large else '-'} TQP/s"
                  f"{' by ' + large.other if large and large.other else ''}{': ' + failure if failure else ''}", flush=True)
        for part in PARTS if rows else ():
            section, passed, failed = part(runs, HERE, all_cases, wanted)
            sections.append(section)
            count["passed"], count["failed"] = count["passed"] + passed, count["failed"] + failed
            print(section.splitlines()[0].lstrip("# ") + f": {passed} passed, {failed} failed", flush=True)
    file = report.write(wanted.output / "report.md", target, chip, rows, sections)
    print(f"report: {file}")
    if not rows:
        print("no case was run: no such kernel or class in this folder", file=sys.stderr)
    print(f"{count['passed']} passed, {count['failed']} failed")
    return bool(count["failed"] or not rows)


if __name__ == "__main__":
    sys.exit(main())
