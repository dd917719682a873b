// once.cpp - least seconds of 20 runs of one kernel in this process, for spread.py.
//
//   facet_bench_once KERNEL.cpp TARGET direct|separable NY NZ [RUNS]
// 6,600 triangles, f32, one thread; F in memory. Prints the seconds and the knobs.
#include "runtime/plan/inside.h"
#include "tests/performance/bench.h"
#include "tests/performance/problems.h"

int main(int argc, char **argv) {
  using namespace facet;
  if (argc < 6) {
    fmt::print(stderr, "usage: facet_bench_once KERNEL.cpp TARGET direct|separable NY NZ [RUNS]\n");
    return 2;
  }
  try {
    const runtime::Grid grid = bench::standardGrid(std::atoi(argv[4]), std::atoi(argv[5]));
    runtime::Plan plan = bench::planFor(argv[1], argv[2], grid, bench::smallTorus(),
                                        runtime::algorithmByName(argv[3]), FACET_F32);
    bench::Times times;
    for (int i = 0; i < (argc > 6 ? std::atoi(argv[6]) : 20); ++i)
      times.run([&] { plan.execute(); });
    fmt::print("{} {}\n", times.least(), variantOf(plan).knobs);
    return 0;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_once: {}\n", error.what());
    return 2;
  }
}
