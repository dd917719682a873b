#!/usr/bin/env python3
"""The steps of a search against every candidate: facet tune and facet tune --exhaustive over the default set.

    exhaustive.py FACET [--json FOLDER] [words of facet tune: KERNEL ... --class f32]

The winners of both and the default schedule are compiled again and run in turns on one thread; the least time of each
counts. There are three goals. Tuned is within 3% of exhaustive in at least 7 of 8. It is never slower than the default
beyond noise (2%). Tuning takes under 60 s in all. --json keeps what the tunings found, and takes it up again from there.
"""
import argparse
import json
import math
import re
import subprocess
import tempfile
import time
from pathlib import Path

TRIANGLES, ROUNDS, SECONDS = 6600, 7, 0.5


def tune(facet, folder, kernels, *more):
    kept = folder / ("exhaustive.json" if more else "tuned.json")
    if not kept.exists():
        start = time.monotonic()
        subprocess.run([facet, "tune", *kernels, "-o", folder / "schedules.toml", "--picture", "none",
                        "--json", kept, *more], check=True)
        found = json.loads(kept.read_text())
        found["wall_seconds"] = time.monotonic() - start
        kept.write_text(json.dumps(found))
    return json.loads(kept.read_text())


def build(facet, variant, knobs, path):
    words = ",".join(f"{name}={value}" for name, value in knobs.items())
    kernel = Path(facet).resolve().parents[2] / "examples/kernels" / f"{variant['kernel']}.cpp"
    subprocess.run([Path(facet).parent / "facetc", kernel, "--emit=library", f"--targets={variant['target']}",
                    "--grid=product", "--q=real", f"--class={variant['class']}",
                    f"--algorithms={variant['algorithm']}", f"--knobs={words}", "-o", path], check=True)


def seconds(facet, variant, library, n, folder):
    said = subprocess.run([facet, "run", library, "--algorithm", variant["algorithm"], "--class", variant["class"],
                           "--threads", "1", "--shape", "torus", "--qx", "0.1", f"--qy=-2:2:{n}", "--qz", f"0.01:2:{n}",
                           "--accuracy", "1e-2", "--picture", "none", "-o", folder / "f.h5"],
                          capture_output=True, text=True, check=True)
    return float(re.search(r"triangle-q-points in ([\d.]+) s", said.stdout)[1])


def compare(facet, variant, exhaustive, folder):
    """Least seconds with the default, the tuned and the exhaustive knobs, in turns."""
    sets = [variant["default"], variant["knobs"], exhaustive["knobs"]]
    libraries = [folder / f"{k}.so" for k in range(3)]
    for knobs, path in zip(sets, libraries):
        build(facet, variant, knobs, path)
    n = max(200, 40 * math.ceil(math.sqrt(SECONDS * variant["throughput"] / TRIANGLES) / 40))
    least = [math.inf] * 3
    for turn in range(ROUNDS):
        for k in sorted(range(3), reverse=turn % 2 == 1):
            least[k] = min(least[k], seconds(facet, variant, libraries[k], n, folder))
    return least


def main():
    words = argparse.ArgumentParser()
    words.add_argument("facet")
    words.add_argument("--json", type=Path)
    request, request.kernels = words.parse_known_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = request.json or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tuned = tune(request.facet, folder, request.kernels)
        every = tune(request.facet, folder, request.kernels, "--exhaustive")
        near = slower = 0
        print(f"{'variant':26s} {'trials':>7s} {'of':>5s} {'tuned/default':>14s} {'tuned/exhaustive':>17s}")
        for mine, all_ in zip(tuned["variants"], every["variants"]):
            default, own, best = compare(request.facet, mine, all_, Path(temporary))
            count = [sum(t["throughput"] > 0 for t in v["trials"]) for v in (mine, all_)]
            print(f"{mine['kernel'] + ', ' + mine['algorithm'] + ', ' + mine['class']:26s} {count[0]:7d} {count[1]:5d} "
                  f"{default / own:14.3f} {best / own:17.3f}", flush=True)
            near += best / own >= 0.97
            slower += default / own < 0.98
    number = len(tuned["variants"])
    wanted = number - 1 if number > 1 else 1
    met = [near >= wanted, slower == 0, tuned["wall_seconds"] < 60]
    verdict = lambda good: "met" if good else "MISSED"
    print(f"within 3% of exhaustive: {near} of {number}, goal {wanted}: {verdict(met[0])}")
    print(f"slower than the default by more than 2%: {slower}, goal 0: {verdict(met[1])}")
    print(f"tuning took {tuned['wall_seconds']:.0f} s, goal 60 s: {verdict(met[2])}; "
          f"exhaustive {every['wall_seconds']:.0f} s")
    return not all(met)


if __name__ == "__main__":
    raise SystemExit(main())
