// once.cpp - least seconds of 20 runs of one kernel in this process, for spread.py.
//
//   facet_bench_once KERNEL.cpp TARGET direct|separable NY NZ [RUNS]
// 6,600 triangles, f32, one thread; F in memory. Prints the seconds and the knobs.
#include "runtime/engine/plan/plan_run.h"
#include "tests/performance/bench.h"

int main(int argc, char **argv) {
  using namespace facet;
  return bench::program(argc, argv, 5, "KERNEL.cpp TARGET direct|separable NY NZ [RUNS]", [&] {
    const runtime::Grid grid = bench::standardGrid(std::atoi(argv[4]), std::atoi(argv[5]));
    runtime::Plan plan = bench::planFor(argv[1], argv[2], grid, bench::smallTorus(),
                                        runtime::algorithmByName(argv[3]), FACET_F32);
    const int runs = argc > 6 ? std::atoi(argv[6]) : 20;
    const auto [times] = bench::inTurns(runs, [&] { plan.execute(); });
    fmt::print("{} {}\n", times.least(), plan.run().variant().knobs);
    return true;
  });
}
