#!/usr/bin/env python3
"""Two ranks beside one: direct and separable.

    ranks.py FACET [REPEATS]

Runs alternate, so that a busy machine is busy for both. Wall time, and the processor time of the
rank that has most, which other people's programs disturb less; the least of each.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

PROBLEMS = {
    "direct": ["born", "--shape", "torus,around=240,tube=60", "--qx", "0", "--qy", "-2:2:2880", "--qz", "0.01:2:2816"],
    "separable": ["born", "--shape", "torus,around=240,tube=60", "--qx", "0", "--qy", "-2:2:3120", "--qz", "0.01:2:3200"],
}
COMMON = ["--threads", "1", "--class", "f32"]


def rank(folder, command):
    """One process: runs the command, leaves its processor time."""
    done = subprocess.run(command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(f"{folder}/{os.getpid()}.json", "w") as file:
        json.dump(used.ru_utime + used.ru_stime, file)
    sys.exit(done.returncode)


def measure(facet, algorithm, ranks):
    with tempfile.TemporaryDirectory() as folder:
        command = [facet, "run", *PROBLEMS[algorithm], *COMMON, "--algorithm", algorithm, "--picture", "none",
                   "-o", f"{folder}/out.h5"]
        start = time.perf_counter()
        subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.executable, __file__,
                        "--rank", folder, *command], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        wall = time.perf_counter() - start
        used = [json.load(open(f"{folder}/{f}")) for f in os.listdir(folder) if f.endswith(".json")]
        return wall, max(used)


def main(facet, repeats):
    for algorithm in PROBLEMS:
        least = {n: [float("inf")] * 2 for n in (1, 2)}
        for _ in range(repeats):
            for n in least:
                least[n] = [min(a, b) for a, b in zip(least[n], measure(facet, algorithm, n))]
        for n, (wall, used) in least.items():
            print(f"{algorithm:10} {n} rank{'s' if n > 1 else ' '}  wall {wall:6.2f} s  processor {used:6.2f} s")
        print(f"{algorithm:10} 2 ranks are {least[1][0] / least[2][0]:.2f} times as fast by wall time, "
              f"{least[1][1] / least[2][1]:.2f} by processor time", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--rank":
        rank(sys.argv[2], sys.argv[3:])
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
