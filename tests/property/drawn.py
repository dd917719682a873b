"""Kernels drawn from seeds: run, and where one fails made as small as it can be, with the command that shows it again."""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import expressions

KNOBS = {"tile_y": (1, 2, 3, 4), "tile_z": (1, 2, 3), "block_t": (1, 7, 64, 500, 2048),
           "vector_bytes": (0, 16, 64), "addition": (0, 1), "grid_y": (0, 8, 24), "grid_z": (0, 64)}
# For a device; its memory holds so many of the largest records.
DEVICE_KNOBS = {"tile_y": (1, 2, 3, 4), "tile_z": (1, 2, 3), "block_t": (1, 7, 64, 100), "block_z": (8, 32), "unroll_t": (1, 2)}
DEVICE = "cuda-sm_80"  # with --driver
LARGEST = 4  # rows x vectors: long terms compile slowly
FULL = os.environ.get("FACET_FULL_TESTS") == "1"


def knobs(seed, target):
    """An argument of facetc for every fourth seed, else none: a list. random_knobs.cpp draws all of knobs.def for fixed kernels."""
    rng = random.Random(seed ^ 0x6b6e6f62)
    if rng.random() < 0.75:
        return []
    while True:
        values = {name: rng.choice(some) for name, some in (DEVICE_KNOBS if target == DEVICE else KNOBS).items()}
        if values["tile_y"] * values["tile_z"] * max(1, values.get("vector_bytes", 0) // 16) <= LARGEST:
            return ["--knobs=" + ",".join(f"{name}={value}" for name, value in values.items())]


class Drawn:
    """A case has `seed`, `trees` (expressions), kernel(trees): the file's text, commands(args, folder), and its str()."""
    tries = 60  # smaller kernels, where one fails

    def keeps(self, trees):
        """Whether smaller trees are still of the kind that was drawn."""
        return True

    def run(self, args, trees):
        """(failed, what was said)."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "k.cpp").write_text(self.kernel(trees))
            for command in self.commands(args, folder):
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    return True, (done.stdout + done.stderr).strip() or f"{command[0]} ended with {done.returncode}"
        return False, done.stdout

    def smallest(self, args, said):
        """Greedy: the first smaller trees that still fail, until none do."""
        trees, tries = self.trees, 0
        while tries < self.tries:
            steps = [trees[:i] + [s] + trees[i + 1:] for i in range(len(trees)) for s in expressions.smaller(trees[i])]
            for step in sorted(filter(self.keeps, steps), key=lambda t: sum(map(expressions.size, t))):
                tries += 1
                failed, message = self.run(args, step)
                if failed:
                    trees, said = step, message
                    break
                if tries >= self.tries:
                    break
            else:
                break
        return trees, said

    def report(self, args, said):
        """What to say of a failure."""
        trees, said = self.smallest(args, said)
        programs = " ".join(f"--{name} {getattr(args, name)}" for name in ("facetc", "judge", "driver") if getattr(args, name, None))
        return (f"{self}\n{said}\nsmallest failing kernel:\n{self.kernel(trees)}\n"
                f"again: tests/property/{Path(sys.argv[0]).name} {programs} --seed {self.seed}\n")


def judge(case, args):
    """(what to say of a failure or None, what was said)."""
    failed, said = case.run(args, case.trees)
    return (case.report(args, said), "") if failed else (None, said)


def options(seeds, *programs):
    """The parser of what all that draw kernels are told."""
    parser = argparse.ArgumentParser()
    for name in programs:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int)
    return parser


def run_all(draw, some, all_, known=()):
    """Draws and judges. `draw`(seed, targets): a case; `some`, `all_`: how many seeds, the latter with
    FACET_FULL_TESTS=1; `known`: seeds besides, unless the command line says which. (the seeds, the targets, failures,
    all that was said)."""
    parser = options(all_ if FULL else some, "facetc", "judge")
    parser.add_argument("--driver", help="ptx_driver.so: sums of CUDA, too, which it interprets")
    args = parser.parse_args()
    targets = subprocess.run([args.judge, "--list-targets"], capture_output=True, text=True, check=True).stdout.split()
    if args.driver:
        targets.append(DEVICE)
        os.environ["FACET_CUDA_LIBRARY"] = args.driver
    drawn = list(range(args.first, args.first + args.seeds))
    seeds = [args.seed] if args.seed is not None else drawn + [seed for seed in known if args.first == 0]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda seed: judge(draw(seed, targets), args), seeds))
    failures = [failure for failure, _ in results if failure]
    print("\n".join(failures))
    return seeds, targets, failures, "".join(said for _, said in results)
