#!/usr/bin/env python3
"""The same kernel in ten fresh processes, the least of 20 runs each; the goal is a spread of 3%.

    spread.py FACET_BENCH_ONCE KERNELS [PROCESSES]

Kernels take turns, so that a busy spell of the machine meets all. Spread: largest / least - 1.
"""
import subprocess
import sys
from pathlib import Path

GOAL = 3.0  # percent
CASES = [  # kernel, target, algorithm, ny, nz
    ("born", "avx512", "direct", 200, 200),
    ("born", "avx2", "direct", 200, 200),
    ("born", "avx512", "separable", 250, 500),
    ("born", "avx2", "separable", 250, 500),
    ("exact", "avx512", "direct", 25, 200),
]


def once(program, kernels, case):
    """Seconds, or None where this CPU has no such target."""
    kernel, *rest = case
    command = [program, str(Path(kernels) / f"{kernel}.cpp"), *map(str, rest)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"[SKIP] {' '.join(map(str, case))}: {done.stderr.strip()}")
        return None
    return float(done.stdout.split()[0])


def main(program, kernels, processes=10):
    seconds = {case: [] for case in CASES}
    for _ in range(int(processes)):
        for case in [c for c in CASES if seconds[c] is not None]:
            time = once(program, kernels, case)
            if time is None:
                seconds[case] = None
            else:
                seconds[case].append(time)
    print(f"{processes} fresh processes, least of 20 runs each; 6,600 triangles, f32, one thread; ms")
    met = True
    for (kernel, target, algorithm, ny, nz), times in seconds.items():
        if not times:
            continue
        spread = 100 * (max(times) / min(times) - 1)
        met &= spread <= GOAL
        print(f"{kernel:6} {algorithm:9} {target:7} {ny} x {nz}  least {1e3 * min(times):7.2f}  "
              f"largest {1e3 * max(times):7.2f}  spread {spread:4.1f}%  goal {GOAL}%  "
              f"{'met' if spread <= GOAL else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:4]))
