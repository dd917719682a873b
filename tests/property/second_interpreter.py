#!/usr/bin/env python3
"""Random kernels: the file compiled as plain C++ and its IR, evaluated by an interpreter in Python, agree.

    second_interpreter.py --facetc F [--seeds 40] [--first 0] [--jobs 2] [--seed N] [--minutes M]

The kernels are those of random_kernels.py. A batch of them is compiled as one plain C++ program. facetc writes the IR of each
as the front end made it, and after all passes for double; ir_in_numpy.py evaluates both, at random points. A failure is
minimised and printed as a kernel file with the command that shows it again. --minutes: seed after seed for so long.
"""
import concurrent.futures
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import drawn
import ir_in_numpy
import random_kernels

SOURCE = Path(__file__).resolve().parents[2]
BATCH, POINTS = 40, 5
HARNESS = """#include <facet/dsl.h>
#include <cstdio>
using namespace facet;
static void print(real x) { std::printf("%.17g 0 ", x); }
static void print(cplx x) { std::printf("%.17g %.17g ", x.re, x.im); }
static void print(const cvec3 &v) { print(v.x), print(v.y), print(v.z); }
template <class S> static void print(const S &s) {
  if constexpr (requires { s.whole; })
    print(s.whole), print(s.size), print(s.part);
  else
    print(s.n), print(s.w), print(s.m);
}
static real next() {
  real x = 0;
  if (std::scanf("%lf", &x) != 1)
    __builtin_trap();
  return x;
}
static vec3 vector() {
  const real x = next(), y = next();
  return {x, y, next()};
}
template <class K, class T, class P> static void run() {
  T t;
  P p;
  typename K::Grid::q q;
  t.area = next(), t.normal = vector(), t.centroid = vector(), t.vertex0 = vector(), t.vertex1 = vector(), t.vertex2 = vector();
  t.edge1 = vector(), t.edge2 = vector(), t.contrast = next();
  const real depth = next(), re = next(), im = next();
  if constexpr (requires { t.depth; })
    t.depth = depth, t.pole = cplx(re, im);
  p.kappa = next(), q.x = next(), q.y = next(), q.z.re = next(), q.z.im = next();
  const auto sum = K::term(q, t, p);
  print(sum), print(K::finish(q, sum, p)), std::printf("\\n");
}
"""


class Case(random_kernels.Case):
    def __init__(self, seed):
        super().__init__(seed, ["none"])
        rng = np.random.default_rng(seed)
        corners = rng.uniform(-4, 4, (1, 3, POINTS)) + rng.uniform(-1, 1, (3, 3, POINTS))
        across = np.cross(corners[1] - corners[0], corners[2] - corners[0], axis=0)
        size = np.linalg.norm(across, axis=0)
        q = rng.uniform(-1.15, 1.15, (3, POINTS)) + 1j * np.outer([0, 0, self.q == "cplx"], rng.uniform(0, 0.2, POINTS))
        self.numbers = {"area": size / 2, "normal": across / size, "centroid": corners.mean(axis=0), "edge1": corners[1] - corners[0],
                        "edge2": corners[2] - corners[0], **{f"vertex{k}": corners[k] for k in range(3)},
                        **{name: rng.uniform(0.5, 1.5, POINTS) for name in ("contrast", "depth", "pole.re", "pole.im")}}
        self.kappa, self.at = rng.uniform(0.5, 2, POINTS), q

    def __str__(self):
        return f"seed {self.seed}: {self.grid} {self.q}"

    def points(self, rng=None, by=0):
        """For the interpreter; all numbers moved by up to `by`, relatively."""
        def near(a):
            return a if rng is None else a * (1 + by * rng.uniform(-1, 1, a.shape))

        record = {name: near(a) for name, a in self.numbers.items()}
        return ir_in_numpy.Points(record, {"kappa": near(self.kappa)}, near(self.at.real) + 1j * near(self.at.imag))

    def lines(self):
        """The same for the C++ program."""
        n = self.numbers
        rows = np.vstack([n["area"], n["normal"], n["centroid"], n["vertex0"], n["vertex1"], n["vertex2"], n["edge1"], n["edge2"], n["contrast"],
                          n["depth"], n["pole.re"], n["pole.im"], self.kappa, self.at[0].real, self.at[1].real, self.at[2].real, self.at[2].imag])
        return "\n".join(" ".join(map(repr, map(float, row))) for row in rows.T) + "\n"

    def texts(self, args, folder, trees):
        """The IR of the front end, and that after all passes."""
        file = Path(folder, f"k{self.seed}.cpp")
        file.write_text(self.kernel(trees))
        lowered = ["--after=all", "--class=f64", f"--grid={self.grid}", f"--q={self.q}", *(k for k in self.knobs if "addition=1" in k and "," not in k)]
        made = []
        for options in [], lowered:
            done = subprocess.run([args.facetc, file, "--emit=ir", *options], capture_output=True, text=True)
            if done.returncode:
                raise ir_in_numpy.Fault(done.stderr)
            made.append(done.stdout)
        return made

    def differs(self, text, reference):
        """What is wrong with the values of an IR, or None. `reference` [points, components, then outputs]."""
        kernel = ir_in_numpy.Kernel(text)
        _, values = kernel.outputs(self.points())
        values = np.array([np.broadcast_to(v, POINTS) for v in values]).T
        wanted = reference[:, reference.shape[1] - values.shape[1]:]
        rng, moved = np.random.default_rng(1), 0
        for _ in range(2):
            there = np.array([np.broadcast_to(v, POINTS) for v in kernel.outputs(self.points(rng, 1e-10))[1]]).T
            moved = np.maximum(moved, np.abs(there - values))
        # What rounding may make: a hundred times what moving all numbers by a rounding does.
        allowed = 1e-11 * np.maximum(1e-3, np.abs(wanted).max()) + 1e-4 * moved
        off = np.abs(values - wanted)
        if (off <= allowed).all():
            return None
        k = np.unravel_index(np.argmax(off / allowed), off.shape)
        return f"point {k[0]}, output {k[1]}: {values[k]} and {wanted[k]}, {off[k]:.3g} apart, {allowed[k]:.3g} is allowed"

    def run(self, args, trees):
        with tempfile.TemporaryDirectory() as folder:
            return run_batch([self], args, folder, {self.seed: trees})[0]


def references(cases, args, folder, trees):
    """[case][points, numbers]: the kernels compiled as they are."""
    text = HARNESS
    for case in cases:
        body = case.kernel(trees.get(case.seed, case.trees)).split("\n", 2)[2]  # without the include and using
        text += f"namespace n{case.seed} {{\n{body}}}\n"
    text += "int main() {\n"
    for case in cases:
        name = f"n{case.seed}::"
        text += f"  for (int k = 0; k < {POINTS}; ++k)\n    run<{name}random_kernel, {name}Coated, {name}random_kernel::Params>();\n"
    Path(folder, "all.cpp").write_text(text + "}\n")
    subprocess.run([args.compiler, "-std=c++20", "-w", "-O0", "-I", SOURCE / "dsl", f"{folder}/all.cpp", "-o", f"{folder}/all"], check=True)
    said = subprocess.run([f"{folder}/all"], input="".join(case.lines() for case in cases), capture_output=True, text=True, check=True).stdout
    rows = [np.array(line.split(), float) for line in said.splitlines()]
    return [np.array([row[::2] + 1j * row[1::2] for row in rows[POINTS * k:POINTS * (k + 1)]]) for k in range(len(cases))]


def run_batch(cases, args, folder, trees):
    """(failed, what was said) of each."""
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        plain = pool.submit(references, cases, args, folder, trees)

        def texts(case):
            try:
                return case.texts(args, folder, trees.get(case.seed, case.trees))
            except ir_in_numpy.Fault as fault:
                return fault

        irs = list(pool.map(texts, cases))
    results = []
    for case, texts, reference in zip(cases, irs, plain.result()):
        said = None if isinstance(texts, list) else str(texts)
        for text, name in zip(texts if said is None else (), ("IR of the front end", "IR after all passes")):
            try:
                wrong = case.differs(text, reference)
            except (ir_in_numpy.Fault, KeyError, ValueError) as fault:
                wrong = f"{type(fault).__name__}: {fault}"
            said = said or (f"{name} and plain C++ differ: {wrong}" if wrong else None)
        results.append((said is not None, said or ""))
    return results


def main():
    parser = drawn.options(400 if drawn.FULL else 40, "facetc")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--minutes", type=float)
    args = parser.parse_args()
    first, most = (args.seed, 1) if args.seed is not None else (args.first, args.seeds)
    done, failed, began = 0, 0, time.monotonic()
    while time.monotonic() - began < 60 * args.minutes if args.minutes else done < most:
        cases = [Case(seed) for seed in range(first + done, first + done + (BATCH if args.minutes else min(BATCH, most - done)))]
        with tempfile.TemporaryDirectory() as folder:
            for case, (wrong, said) in zip(cases, run_batch(cases, args, folder, {})):
                failed += wrong
                if wrong:
                    print(case.report(args, said), flush=True)
        done += len(cases)
    print(f"second interpreter: seeds {first} to {first + done - 1}, {3600 * done / (time.monotonic() - began):.0f} an hour: {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
