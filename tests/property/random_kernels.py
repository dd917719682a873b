#!/usr/bin/env python3
"""Random kernels: the reference, the IR evaluator, every pass and a target agree.

    random_kernels.py --facetc F --verify V [--seeds 72] [--first 0] [--jobs 2] [--seed N]

Each seed draws one integrand, one target this CPU has, one class, one grid kind and real or complex q,
in rotation so that all are met equally often, and knobs. A failure is minimised and printed as a kernel file with
the command that shows it again.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import draw_knobs
import expressions

CLASSES, GRIDS, QS = ("f32", "f32-careful", "f64"), ("product", "points"), ("real", "cplx")
KERNEL = """#include <facet/dsl.h>
using namespace facet;
struct Coated : Triangle {{ real contrast; }};
struct FACET_KERNEL random_kernel {{
  using Grid = {grid}<real, real, cplx>;
  struct Params {{ real kappa; }};
  static constexpr real half = 0.5;
  static real twice(real x) {{ return x + x; }}
  static cplx term(Grid::q q, const Coated &t, Params p) {{
    const cplx a = {first};
    return {second} * a;
  }}
  static cplx finish(Grid::q q, cplx sum, Params p) {{ return sum * {finish}; }}
}};
"""


class Case:
    def __init__(self, seed, targets):
        combos = list(itertools.product(targets, CLASSES, GRIDS, QS))
        self.seed, self.rng = seed, random.Random(seed)
        self.target, self.klass, self.grid, self.q = combos[seed % len(combos)]
        depth = self.rng.choice((1, 2, 2, 3, 3, 4))
        self.trees = [expressions.grow(self.rng, "c", depth), expressions.grow(self.rng, "r", min(depth, 3))]
        addition = self.rng.choice((0, 1))
        self.knobs = draw_knobs.draw(seed) or [f"--knobs=addition={addition}"]
        self.finish = self.rng.choice(("1.0", "i", "cis(0.5 * q.x)", "p.kappa", "(-i / (1.0 + norm2(q)))", "conj(q.z)"))

    def kernel(self, trees):
        return KERNEL.format(grid=self.grid, first=expressions.text(trees[0]), second=expressions.text(trees[1]),
                             finish=self.finish)

    def command(self, args, folder):
        compile_ = [args.facetc, f"{folder}/k.cpp", f"--targets={self.target}", f"--class={self.klass}",
                    f"--grid={self.grid}", f"--q={self.q}", *self.knobs]
        return (compile_ + ["--emit=ir", "-o", f"{folder}/k.fir"],
                compile_ + ["--emit=library", "--check-passes", "-o", f"{folder}/k.so"],
                [args.verify, f"{folder}/k.so", "--ir", f"{folder}/k.fir", "--target", self.target, "--class", self.klass,
                 "--grid", self.grid, "--q", self.q, "--seed", str(self.seed)])

    def fails(self, args, trees):
        """The messages of a failing case, or None."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "k.cpp").write_text(self.kernel(trees))
            for command in self.command(args, folder):
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    return (done.stdout + done.stderr).strip() or f"{command[0]} ended with {done.returncode}"
        return None

    def minimise(self, args, message):
        """Greedy: the first smaller tree that still fails, until none does."""
        trees, tries = self.trees, 0
        while tries < 60:
            steps = [[s, trees[1]] for s in expressions.smaller(trees[0])]
            steps += [[trees[0], s] for s in expressions.smaller(trees[1])]
            for step in sorted(steps, key=lambda t: sum(map(expressions.size, t))):
                tries += 1
                found = self.fails(args, step)
                if found:
                    trees, message = step, found
                    break
                if tries >= 60:
                    break
            else:
                break
        return trees, message


def run(args, seed, targets):
    case = Case(seed, targets)
    message = case.fails(args, case.trees)
    if not message:
        return None
    trees, message = case.minimise(args, message)
    return (f"seed {seed}: {case.target} {case.klass} {case.grid} {case.q} {' '.join(case.knobs)}\n{message}\nsmallest failing kernel:\n"
            f"{case.kernel(trees)}\nagain: tests/property/random_kernels.py --facetc {args.facetc} --verify {args.verify} --seed {seed}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--facetc", required=True)
    parser.add_argument("--verify", required=True)
    parser.add_argument("--seeds", type=int, default=200 if os.environ.get("FACET_FULL_TESTS") == "1" else 72)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    targets = subprocess.run([args.verify, "--list-targets"], capture_output=True, text=True, check=True).stdout.split()
    seeds = [args.seed] if args.seed is not None else range(args.first, args.first + args.seeds)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        failures = [f for f in pool.map(lambda s: run(args, s, targets), seeds) if f]
    print("\n".join(failures))
    print(f"random kernels: seeds {seeds[0]} to {seeds[-1]} on {', '.join(targets)}: {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
