#!/usr/bin/env python3
"""Random kernels: the reference, the IR evaluator, every pass and a target agree.

    random_kernels.py --facetc F --judge J [--driver D] [--seeds 48] [--first 0] [--jobs 2] [--seed N]

Each seed draws one integrand, one target this CPU has or CUDA's, one class, one grid kind and real or complex q,
in rotation so that all are met equally often, and knobs. A failure is minimised and printed as a kernel file with
the command that shows it again.
"""
import itertools
import random
import sys

import drawn
import expressions

CLASSES, GRIDS, QS = ("f32", "f32-careful", "f64"), ("product", "points"), ("real", "cplx")
HEAD = """#include <facet/dsl.h>
using namespace facet;
struct Coated : Triangle {{ real contrast;{columns} }};
{structs}struct FACET_KERNEL random_kernel {{
  using Grid = {grid}<real, real, cplx>;
  struct Params {{ real kappa; }};
  static constexpr real half = 0.5;
  static constexpr mat3 turn{{{{0.6, -0.8, 0}}, {{0.8, 0.6, 0}}, {{0, 0, 1}}}};
  static real twice(real x) {{ return x + x; }}
"""
KERNEL = HEAD + """  static cplx term(Grid::q q, const Coated &t, Params p) {{
    const cplx a = {first};
    return {second} * a;
  }}
  static {returned} finish(Grid::q q, cplx sum, Params p) {{
    const cplx f = sum * {finish};
    return {result};
  }}
}};
"""
# The same in components: the product, its factors, a real one among them, and a vector.
COMPONENTS = HEAD + """  static Sums term(Grid::q q, const Coated &t, Params p) {{
    const cplx a = {first};
    const real b = {second};
    return {{b * a, b * t.contrast, a * t.normal}};
  }}
  static {returned} finish(Grid::q q, const Sums &sum, Params p) {{
    const cplx f = (sum.n + i * sum.w + sum.m.x + p.kappa * sum.m.z) * {finish};
    return {result};
  }}
}};
"""
# What the components are in, and what finish returns, as outputs by name in every fourth kernel.
SUMS = "struct Sums { cplx n; real w; cvec3 m; };\n"
OUTPUTS = "struct Outputs { cplx whole; real size; cplx part; };\n", "Outputs", "{f, re(f) + 2.0 * im(f), conj(f) * p.kappa}"


class Case(drawn.Drawn):
    def __init__(self, seed, targets):
        combos = list(itertools.product(targets, CLASSES, GRIDS, QS))
        self.seed, self.rng = seed, random.Random(seed)
        self.target, self.klass, self.grid, self.q = combos[seed % len(combos)]
        depth = self.rng.choice((1, 2, 2, 3, 3, 4))
        self.trees = [expressions.grow(self.rng, "c", depth), expressions.grow(self.rng, "r", min(depth, 3))]
        addition = self.rng.choice((0, 1))
        self.knobs = drawn.knobs(seed, self.target) or [f"--knobs=addition={addition}"]
        self.text = COMPONENTS if self.rng.choice((False, False, True)) else KERNEL
        # Columns with an axis in every third kernel of product grids, drawn apart: the others stay as they were.
        own = random.Random(seed ^ 0x706572)
        self.columns, self.first = "", "{0}"
        if self.grid == "product" and own.random() < 1 / 3:
            self.columns = f" per<{own.choice('XYZ')}, real> depth; per<{own.choice('XYZ')}, cplx> pole;"
            self.first = own.choice(("{0} * t.pole", "{0} + t.depth * t.pole", "{0} * cis(q.x * t.depth) / (2.0 + norm2(t.pole))",
                                     "(t.depth < q.y ? {0} : t.pole)", "t.pole / cplx(1.5 + t.depth * t.contrast, q.x)"))
        self.outputs = random.Random(seed ^ 0x6f7574).random() < 1 / 4
        self.finish = self.rng.choice(("1.0", "i", "cis(0.5 * q.x)", "p.kappa", "(-i / (1.0 + norm2(q)))", "conj(q.z)"))

    def kernel(self, trees):
        struct, returned, result = OUTPUTS if self.outputs else ("", "cplx", "f")
        structs = (SUMS if self.text is COMPONENTS else "") + struct
        return self.text.format(structs=structs, returned=returned, result=result, grid=self.grid, first=self.first.format(f"({expressions.text(trees[0])})"),
                             second=expressions.text(trees[1]), finish=self.finish, columns=self.columns)

    def __str__(self):
        return f"seed {self.seed}: {self.target} {self.klass} {self.grid} {self.q} {' '.join(self.knobs)}"

    def commands(self, args, folder):
        compile_ = [args.facetc, f"{folder}/k.cpp", f"--targets={self.target}", f"--class={self.klass}",
                    f"--grid={self.grid}", f"--q={self.q}", *self.knobs]
        return (compile_ + ["--emit=ir", "-o", f"{folder}/k.fir"],
                compile_ + ["--emit=library", "--check-passes", "-o", f"{folder}/k.so"],
                [args.judge, f"{folder}/k.so", "--ir", f"{folder}/k.fir", "--target", self.target, "--class", self.klass,
                 "--grid", self.grid, "--q", self.q, "--seed", str(self.seed)])


def main():
    seeds, targets, failures, _ = drawn.run_all(Case, 48, 240)
    print(f"random kernels: seeds {seeds[0]} to {seeds[-1]} on {', '.join(targets)}: {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
