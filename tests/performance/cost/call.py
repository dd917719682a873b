#!/usr/bin/env python3
"""What a call costs beside its sums, least (median): a sphere of few triangles and a box at few q, from C++ and Python.

    call.py PROGRAM KERNEL.cpp PACKAGES

PROGRAM is facet_bench_call. Goals: a planned call 20 us, one that plans 1 ms, after the first.
"""
import statistics
import subprocess
import sys
import time

program, kernel, packages = sys.argv[1:4]
sys.path.insert(0, packages)
import facet  # noqa: E402


def times(call, n):
    """Microseconds: the least and the median of n."""
    all = []
    for _ in range(n + 1):
        start = time.perf_counter()
        call()
        all.append(1e6 * (time.perf_counter() - start))
    return min(all[1:]), statistics.median(all[1:])


missed = 0


def line(what, call, n, goal):
    global missed
    least, median = times(call, n)
    missed += least > goal
    print(f"{what:36}{least:8.1f} ({median:.1f}) us, goal {goal:g}", flush=True)


subprocess.run([program, kernel], check=True)
exact = facet.compile(kernel)
rough = facet.compile("""#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL rough {
  using Grid = product<real, real, real>;
  struct Params { real sigma; };
  static cplx term(Grid::q q, const Triangle &t, const Params &) {
    return t.area * dot(q, t.normal) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum, const Params &p) { return exp(-p.sigma * norm2(q)) * sum; }
};
""")
box, sphere = facet.Mesh.shape("box"), facet.Mesh.shape("sphere", radius=10, n=2)
q = dict(qy=0.1, qz="0.1:1:10")
for name, mesh in (("box", box), ("sphere", sphere)):
    line(f"plan(), {name}, {len(mesh)} triangles, 10 q", exact.plan(mesh, **q), 5000, 20)
plan, sigma = rough.plan(sphere, sigma=0.1, **q), iter(range(10**6))
line("plan(sigma=...)", lambda: plan(sigma=1e-3 * next(sigma)), 5000, 20)
for name, mesh in (("box", box), ("sphere", sphere)):
    line(f"kernel(mesh, ...), {name}", lambda: exact(mesh, **q), 500, 1000)
line("kernel(box, ...), 4 x 10 q", lambda: exact(box, qy="0.1:0.4:4", qz="0.1:1:10"), 500, 1000)
sys.exit(missed > 0)
