#!/usr/bin/env python3
"""Random kernels of the low-rank form and of forms just outside it: every algorithm that can keeps the accuracy
asked for, and the others are refused by the expression that forbids them.

    algorithm_kernels.py --facetc F --agree A --verify V [--seeds 108] [--first 0] [--jobs 2] [--seed N]

Each seed draws one integrand, one target this CPU has, a grid, real or complex q, and an accuracy, in rotation so that all
are met equally often, and knobs; one in five is outside the form. A failure is minimised and printed as a kernel file with
the command that shows it again.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import draw_knobs
import expressions
import low_rank

GRIDS, QS = (("product", "uniform"), ("product", "irregular"), ("points", "irregular")), ("real", "cplx")
ACCURACIES = ("1e-3", "1e-5", "1e-7", "1e-10")
KERNEL = """#include <facet/dsl.h>
using namespace facet;
struct Coated : Triangle {{ real contrast; }};
struct FACET_KERNEL random_kernel {{
  using Grid = {grid}<real, real, cplx>;
  struct Params {{ real kappa; }};
  static cplx term(Grid::q q, const Coated &t, Params p) {{
    return {term};
  }}
  static cplx finish(Grid::q q, cplx sum, Params p) {{ return {finish}; }}
}};
"""
FINISH = ("sum", "-i * sum / norm2(q)", "p.kappa * sum", "cis(0.5 * q.x) * sum", "sum / (1.0 + norm2(q))")


class Case:
    def __init__(self, seed, targets):
        combos = list(itertools.product(targets, GRIDS, QS, ACCURACIES))
        random.Random(1).shuffle(combos)
        self.seed, rng = seed, random.Random(seed)
        self.target, (self.grid, self.axes), self.q, self.accuracy = combos[seed % len(combos)]
        self.in_form = seed % 5 != 4
        self.tree = low_rank.grow(rng, rng.choice((2, 3, 3, 4)), not self.in_form)
        self.finish = rng.choice(FINISH)
        self.knobs = draw_knobs.draw(seed)

    def __str__(self):
        form = "in the form" if self.in_form else "outside the form"
        return f"seed {self.seed}: {self.target} {self.grid} {self.axes} {self.q} {self.accuracy}, {form} {' '.join(self.knobs)}"

    def kernel(self, tree):
        return KERNEL.format(grid=self.grid, term=expressions.text(tree), finish=self.finish)

    def run(self, args, tree):
        """(failed, what was said)."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "k.cpp").write_text(self.kernel(tree))
            commands = ([args.facetc, f"{folder}/k.cpp", f"--targets={self.target}", f"--grid={self.grid}", f"--q={self.q}",
                         *self.knobs, "--emit=library", "--check-passes", "-o", f"{folder}/k.so"],
                        [args.agree, f"{folder}/k.so", "--target", self.target, "--grid", self.grid, "--axes", self.axes,
                         "--q", self.q, "--accuracy", self.accuracy, "--seed", str(self.seed)]
                        + ["--in-form"] * self.in_form)
            for command in commands:
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    return True, (done.stdout + done.stderr).strip() or f"{command[0]} ended with {done.returncode}"
        return False, done.stdout

    def minimise(self, args, said):
        """Greedy: the first smaller tree that still fails, until none does. The factor outside the form stays."""
        tree, tries = self.tree, 0
        while tries < 40:
            steps = list(expressions.smaller(tree))
            if not self.in_form:
                steps = [s for s in steps if s[0] == tree[0]]
            for step in sorted(steps, key=expressions.size):
                tries += 1
                failed, message = self.run(args, step)
                if failed:
                    tree, said = step, message
                    break
                if tries >= 40:
                    break
            else:
                break
        return tree, said


def judge(args, seed, targets):
    case = Case(seed, targets)
    failed, said = case.run(args, case.tree)
    if not failed:
        return None, said
    tree, said = case.minimise(args, said)
    return (f"{case}\n{said}\nsmallest failing kernel:\n{case.kernel(tree)}\nagain: tests/property/algorithm_kernels.py "
            f"--facetc {args.facetc} --agree {args.agree} --verify {args.verify} --seed {seed}\n"), ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--facetc", required=True)
    parser.add_argument("--agree", required=True)
    parser.add_argument("--verify", required=True)
    parser.add_argument("--seeds", type=int, default=300 if os.environ.get("FACET_FULL_TESTS") == "1" else 108)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    low_rank.install()
    targets = subprocess.run([args.verify, "--list-targets"], capture_output=True, text=True, check=True).stdout.split()
    seeds = [args.seed] if args.seed is not None else range(args.first, args.first + args.seeds)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda s: judge(args, s, targets), seeds))
    failures = [failure for failure, _ in results if failure]
    print("\n".join(failures))
    # What was run and what refused: a suite in which an algorithm never ran would show here, and fail.
    said = "".join(text for _, text in results)
    counts = collections.Counter(re.findall(r"^(\w+)(?: .*agrees$|: (refused))", said, re.M))
    print("; ".join(f"{name} {'refused' if refused else 'agreed'} {n}" for (name, refused), n in sorted(counts.items())))
    idle = [name for name in ("auto", "direct", "separable", "nufft") if len(seeds) >= 100 and not counts[(name, "")]]
    print(f"algorithms: seeds {seeds[0]} to {seeds[-1]} on {', '.join(targets)}: {len(failures)} failed"
          + "".join(f"; {name} never ran" for name in idle))
    return bool(failures or idle)


if __name__ == "__main__":
    sys.exit(main())
