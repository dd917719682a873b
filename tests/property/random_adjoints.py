#!/usr/bin/env python3
"""Random kernels: <J v, g> = <v, J* g>, J what F changes by along columns, J* derivatives by all of them; and J by dual numbers.

    random_adjoints.py --judge J --compiler C++ [--seeds 300] [--compiled 20] [--first 0] [--jobs 2] [--seed N]

The kernels are those of random_kernels.py and algorithm_kernels.py, some with an origin, some with a finish that is not linear. A batch
of them is one file for the front end, and one library of the same text compiled with dual numbers; adjoint/judge.cpp draws meshes and
grids and compares. `--compiled`: how many, small ones, are compiled, too, and summed by every algorithm (FACET_FULL_TESTS=1: all
of 300). It fails where two differ, where too few are compared, and where an algorithm never ran. A failure is minimised and printed as a
kernel file with the command that shows it again.
"""
import collections
import concurrent.futures
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import algorithm_kernels
import drawn
import expressions
import low_rank
import random_kernels

SOURCE = Path(__file__).resolve().parents[2]
BATCH, MADE_SMALL = 25, 4
HEAD = "#include <facet/dsl.h>\nusing namespace facet;\n"
# Finish that is not linear in its sum, by the name that the sum has.
NONLINEAR = ("norm2({0}) * {0}", "0.5 * {0} * {0} + conj({0})", "abs({0}) * {0}", "{0} / (1.0 + norm2({0}))",
             "{0} * cis(0.1 * re({0}))")
NONLINEAR_OUTPUTS = "{f * abs(f), norm2(f), conj(f) * re(f)}"
ORIGIN = "  static real origin(const Coated &t) { return t.area * t.contrast; }\n};\n"
# Numbers of a record in the order of judge.cpp, each with what it changes by.
HARNESS = """#include <facet/reference.h>
template <class S> static void add(S &to, S more) {
  real *a = reinterpret_cast<real *>(&to), *b = reinterpret_cast<real *>(&more);
  for (unsigned k = 0; k < sizeof(S) / sizeof(real); ++k)
    a[k] += b[k];
}
static void get(const double *&from, real &to) { to = real((long double)from[0], (long double)from[1]), from += 2; }
static void get(const double *&from, vec3 &to) { get(from, to.x), get(from, to.y), get(from, to.z); }
template <class T> static T record(const double *from) {
  T t;
  get(from, t.area), get(from, t.normal), get(from, t.centroid), get(from, t.vertex0), get(from, t.vertex1), get(from, t.vertex2);
  get(from, t.edge1), get(from, t.edge2), get(from, t.contrast);
  return t;
}
template <class K, class T, class P> static void change(const double *at, const double *records, long n, double kappa, double *to) {
  typename K::Grid::q q;
  P p;
  q.x = at[0], q.y = at[1], q.z = cplx(at[2], at[3]), p.kappa = kappa;
  auto give = [&](const cplx &f) { *to++ = (double)f.re.change, *to++ = (double)f.im.change; };
  if constexpr (requires { K::origin(T()); })
    if (at[0] == 0 && at[1] == 0 && at[2] == 0 && at[3] == 0) {
      real sum = 0;
      for (long t = 0; t < n; ++t)
        sum += K::origin(record<T>(records + 46 * t));
      return give(sum);
    }
  auto sum = K::term(q, record<T>(records), p);
  for (long t = 1; t < n; ++t)
    add(sum, K::term(q, record<T>(records + 46 * t), p));
  auto f = K::finish(q, sum, p);
  facet::detail::each(f, give);
}
"""


def body(text, seed):
    """A kernel file's text in a namespace of its own, its kernel by the name of its seed."""
    return f"namespace n{seed} {{\n{text.split(chr(10), 2)[2].replace('random_kernel', f'k{seed}')}}}\n"


class Case(drawn.Drawn):
    def __init__(self, seed):
        self.seed, own = seed, random.Random(seed ^ 0x61646A)
        if own.random() < 0.5:
            self.case = random_kernels.Case(seed, ["none"])
        else:
            self.case = algorithm_kernels.Case(seed, ["none"])
            self.case.grid = random_kernels.GRIDS[seed // 2 % 2]
        self.trees = self.case.trees
        self.finish = own.choice(NONLINEAR) if own.random() < 1 / 3 else "{0}"
        if "/ norm2(q)" in self.case.finish:  # F is 1e14 at small q: nothing is to be made of it that is not linear
            self.finish = "{0}"
        self.origin = own.random() < 1 / 3

    def keeps(self, trees):
        return self.case.keeps(trees)

    def kernel(self, trees):
        text = self.case.kernel(trees)
        if self.finish != "{0}":  # of an output, of f, or of what is made of the sum
            text = text.replace(random_kernels.OUTPUTS[2], NONLINEAR_OUTPUTS)
            text = re.sub(r"return f;", f"return {self.finish.format('f')};", text)
            text = re.sub(r"(finish\(.*\{ )return (.*); \}", lambda m: f"{m[1]}const cplx f = {m[2]}; return {self.finish.format('f')}; }}", text)
        if self.origin and "Outputs" not in text:
            text = text[:text.rindex("};")] + ORIGIN
        return text

    @property
    def reads_axes(self):
        return bool(getattr(self.case, "columns", ""))

    def size(self):
        return sum(map(expressions.size, self.trees))

    def __str__(self):
        return f"seed {self.seed}: {self.case.grid} {'cplx' if self.seed % 2 else 'real'} q"

    def run(self, args, trees):
        lines, failed = judged([self], args, {self.seed: trees}, {self.seed} if args.compiled else set())
        return failed, "\n".join(line for line in lines if "DIFFERS" in line or not re.match(r"\d+ ", line))


def judged(cases, args, trees, compiled):
    """(the lines of the judge, whether it failed)."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {case.seed: case.kernel(trees.get(case.seed, case.trees)) for case in cases}
        kernels = "".join(body(texts[case.seed], case.seed) for case in cases)
        Path(folder, "k.cpp").write_text(HEAD + kernels)
        # A number beside a complex one, c ? 0.75 : z, becomes complex in one step only if it is of the language's own.
        duals = HEAD + re.sub(r"(?<![\w.])0\.75(?![\w.])", "real(0.75)", kernels) + HARNESS
        for case in cases:
            if not case.reads_axes:
                n = f"n{case.seed}::"
                duals += (f'extern "C" void change{case.seed}(const double *q, const double *r, long n, double kappa, double *f) {{\n'
                          f"  change<{n}k{case.seed}, {n}Coated, {n}k{case.seed}::Params>(q, r, n, kappa, f);\n}}\n")
            if case.seed in compiled:
                Path(folder, f"k{case.seed}.cpp").write_text(texts[case.seed].replace("random_kernel", f"k{case.seed}"))
        Path(folder, "duals.cpp").write_text(duals)
        built = subprocess.run([args.compiler, "-std=c++20", "-w", "-O0", "-fPIC", "-shared", "-include", SOURCE / "tests/support/dual.h",
                                "-DFACET_REAL=facet::test::dual", "-DFACET_REAL_NAMESPACE=dual", "-I", SOURCE / "dsl", f"{folder}/duals.cpp",
                                "-o", f"{folder}/duals.so"], capture_output=True, text=True)
        if built.returncode:
            return built.stderr.splitlines()[:20], True
        done = subprocess.run([args.judge, f"{folder}/k.cpp", "--duals", f"{folder}/duals.so", "--compiled", folder], capture_output=True, text=True)
        return (done.stdout + done.stderr).splitlines(), done.returncode != 0


def reason(text):
    """The reason of a refusal, without the expression, the place and the name that it is about."""
    text = re.sub(r"^kernel '?\w+'?:? |'[^']*'|`[^`]*`|\S*k\d+\.cpp:\d+:\d+:?", "", text)
    return " ".join(text.split()[-9:])


def arguments():
    parser = drawn.options(300, "judge")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--compiled", type=int, default=300 if drawn.FULL else 20)
    return parser.parse_args()


def smallest(cases, count):
    """The seeds of one of each group of cases, the smallest."""
    some = [case for case in cases if not case.reads_axes]
    groups = [some[len(some) * k // count:len(some) * (k + 1) // count] for k in range(count)] if count else []
    return {min(group, key=Case.size).seed for group in groups if group}


def tally(lines, kernels, compiled):
    """Prints what was compared. What is missing."""
    found = collections.Counter()
    reasons = collections.Counter()
    for line in lines:
        if match := re.match(r"\d+ (kernel|ir|adjoint|duals|direct|separable|nufft|(?:code|gradient) \w+) (\w+) (.*)", line):
            found[match[1], match[2]] += 1
            if match[2] == "refused":
                reasons[match[1], reason(match[3])] += 1
    for what in sorted({what for what, _ in found}):
        print(f"  {what:16s}" + ", ".join(f"{verdict} {n}" for (w, verdict), n in sorted(found.items()) if w == what))
    for (what, why), n in reasons.most_common():
        print(f"  {what} refused {n}: {why}")
    good = {what: found[what, "agrees"] + found[what, "moved"] for what, _ in found}
    judged = kernels - found["kernel", "refused"]
    missing = [f"{what}: {good.get(what, 0)} of {judged} compared" for what in ("ir", "adjoint", "duals", "direct")
               if good.get(what, 0) < 0.9 * judged]
    if judged < 0.7 * kernels:
        missing.append(f"{judged} of {kernels} have an adjoint")
    missing += [f"{what}: moved {n}" for (what, verdict), n in found.items() if verdict == "moved" and n > 0.1 * kernels]
    if compiled and good.get("gradient direct", 0) < 0.7 * compiled:
        missing.append(f"gradient direct: {good.get('gradient direct', 0)} of {compiled} compared")
    by_code = ("code direct", "code separable", "code nufft", "gradient nufft") if compiled >= 20 else ()
    return missing + [f"{what} never ran" for what in ("separable", "nufft", *by_code) if not good.get(what)]


def main():
    low_rank.install()
    args = arguments()
    seeds = [args.seed] if args.seed is not None else range(args.first, args.first + args.seeds)
    cases = [Case(seed) for seed in seeds]
    compiled = smallest(cases, min(args.compiled, len(cases)))
    batches = [cases[k:k + BATCH] for k in range(0, len(cases), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        done = list(pool.map(lambda batch: judged(batch, args, {}, compiled), batches))
    lines = [line for said, _ in done for line in said]
    failed = [case for batch, (said, bad) in zip(batches, done) if bad
              for case in batch if any(re.match(rf"{case.seed} .*DIFFERS", line) for line in said)]
    for case in failed[:MADE_SMALL]:
        print(case.report(args, case.run(args, case.trees)[1]), flush=True)
    for case in failed[MADE_SMALL:]:
        print(f"{case}: --seed {case.seed}")
    for batch, (said, bad) in zip(batches, done):
        if bad and not any(case in failed for case in batch):
            failed.append(batch[0])
            print("\n".join(said[-20:]))
    missing = tally(lines, len(cases), len(compiled)) if args.seed is None else []
    print(f"random adjoints: seeds {seeds[0]} to {seeds[-1]}, {len(compiled)} compiled: {len(failed)} failed" + "".join(f"; {m}" for m in missing))
    return bool(failed or missing)


if __name__ == "__main__":
    sys.exit(main())
