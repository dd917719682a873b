// call.cpp - what executing a plan of a small problem costs: 12 triangles, 10 q.
//
//   facet_bench_call KERNEL.cpp
#include "tests/performance/bench.h"

int main(int, char **argv) {
  using namespace facet;
  runtime::Grid grid;
  grid.axes = {runtime::linspace(0, 0, 1), runtime::linspace(0.1, 0.1, 1),
               runtime::linspace(0.1, 1, 10)};
  const runtime::Kernel kernel = bench::kernelFor(argv[1], runtime::bestTarget(), grid);
  runtime::Plan plan(kernel, grid, runtime::makeMesh("box", {}), {});
  bench::Times times;
  for (int i = 0; i < 5000; ++i)
    times.run([&] { plan.execute({}); });
  fmt::print("{:36}{:8.1f} ({:.1f}) us\n", "C++, Plan::execute", 1e6 * times.least(),
             1e6 * times.median());
}
