#!/usr/bin/env python3
"""Draws kernels, meshes, grids, targets, algorithms, knobs and experiments from new seeds, and looks for a disagreement, for so many minutes.

    tests/fuzz/campaign.py BUILD --minutes 60 [--first N] [--only random_kernels ...] [--keep FOLDER] [--jobs 2]

The programs are those of tests/property, a batch of seeds each in turn. What a batch that fails has said goes to FOLDER, with
the seeds, the smallest failing kernel and the command that shows it again; the campaign goes on, and ends with 1. The last lines are how many
seeds each program drew, how many an hour, and how many batches failed, after Ctrl-C or SIGTERM too. `--first`: the first seed, by the clock if it is not given.
"""
import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

PROPERTY = Path(__file__).resolve().parents[1] / "property"


def programs(build, jobs):
    """name: (command, seeds of a batch)."""
    facetc, judge = f"--facetc={build}/bin/facetc", f"--judge={build}/bin/facet_judge"
    script, driver = [sys.executable], f"--driver={build}/tests/gpu/interpreter/ptx_driver.so"
    return {
        "second_interpreter": (script + [PROPERTY / "second_interpreter.py", facetc, f"--jobs={jobs}"], 80),
        "random_kernels": (script + [PROPERTY / "random_kernels.py", facetc, judge, driver, f"--jobs={jobs}"], 24),
        "algorithm_kernels": (script + [PROPERTY / "algorithm_kernels.py", facetc, judge, driver, f"--jobs={jobs}"], 24),
        "random_adjoints": (script + [PROPERTY / "random_adjoints.py", f"--judge={build}/bin/facet_adjoint_judge", "--compiled=0", f"--jobs={jobs}"], 200),
        "random_knobs": ([build / "bin/facet_random_knobs"], 24),
        "random_experiments": (script + [PROPERTY / "random_experiments.py", build / "bin/facet", f"--jobs={jobs}"], 100),
        "random_slopes": (script + [PROPERTY / "random_slopes.py"], 40),
    }


def batch(command, first, count):
    """(what it said, whether it failed)."""
    words = [str(word) for word in command] + ["--seeds", str(count), "--first", str(first)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return f"{' '.join(words)}\n\n{done.stdout}\nended with {done.returncode}\n", done.returncode != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--first", type=int, default=int(time.time()))
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    build = args.build.resolve()
    keep = args.keep or build / "campaign"
    keep.mkdir(parents=True, exist_ok=True)
    # As in run_suites.py: never the user's own cache, profile and schedules.
    os.environ.update(FACET_CACHE=str(build / "test-cache"), FACET_PROFILE=str(build / "test-machine.toml"), FACET_SCHEDULES="",
                      PYTHONPATH=str(build / "python"), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    some = {name: each for name, each in programs(build, args.jobs).items() if not args.only or name in args.only}
    if not some or (args.only and len(some) < len(args.only)):
        sys.exit(f"campaign.py: there are {', '.join(programs(build, 1))}")
    drawn, seconds, failed = dict.fromkeys(some, 0), dict.fromkeys(some, 0.0), dict.fromkeys(some, 0)
    end = time.monotonic() + 60 * args.minutes
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C, or SIGTERM: ends early, and says what was drawn
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        while time.monotonic() < end:
            for name, (command, count) in some.items():
                if time.monotonic() >= end:
                    break
                began, first = time.monotonic(), args.first + drawn[name]
                said, bad = batch(command, first, count)
                seconds[name] += time.monotonic() - began
                drawn[name] += count
                if bad:
                    failed[name] += 1
                    (keep / f"{name}-{first}.txt").write_text(said)
                    again = re.findall(r"^again: .*", said, re.M)
                    print(f"{name}: seeds {first} to {first + count - 1} disagree: {keep}/{name}-{first}.txt", *again, sep="\n  ", flush=True)
    for name in some:
        rate = 3600 * drawn[name] / seconds[name] if seconds[name] else 0
        print(f"{name:20s} {drawn[name]:7d} seeds from {args.first} {rate:8.0f} an hour {failed[name]:3d} batches failed")
    return any(failed.values())


if __name__ == "__main__":
    sys.exit(main())
