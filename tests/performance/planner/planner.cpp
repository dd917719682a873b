// planner.cpp - the planner's choice beside every forced algorithm, over a table of sizes.
//
//   facet_bench_planner KERNEL.cpp [SECONDS A SIZE]
// Executions of all take turns, so that a busy machine slows all; the least time of each counts.
// Met: the choice is at most 15% or 1 ms slower than the best. What the planner expects to be more
// than 20 times slower than its choice is not run.
#include "tests/performance/bench.h"
#include "tests/performance/problems.h"
#include <limits>
#include <map>

namespace {

using namespace facet;

struct Size {
  std::int64_t triangles, ny, nz;
  double im;
  bool points;
};

runtime::Mesh meshOf(std::int64_t triangles) {
  return triangles <= 12 ? runtime::makeMesh("box", {})
                         : bench::torusOf(static_cast<double>(triangles));
}

runtime::Grid gridOf(const Size &size) {
  runtime::Grid grid = bench::standardGrid(size.ny, size.nz);
  if (size.im > 0)
    grid.axes[2].im = runtime::linspace(size.im / 10, size.im, size.nz).re;
  return size.points ? bench::listed(grid) : grid;
}

class Bench {
public:
  Bench(std::string kernel, double seconds) : kernel_(std::move(kernel)), seconds_(seconds) {}

  bool line(const Size &size) {
    const runtime::Mesh mesh = meshOf(size.triangles);
    const runtime::Grid grid = gridOf(size);
    const runtime::Kernel kernel = bench::kernelFor(kernel_, runtime::bestTarget(), grid);
    runtime::PlanOptions options;
    options.threads = 1;
    runtime::Plan chosen(kernel, grid, mesh, options);
    std::map<int, runtime::Plan> forced;
    std::map<int, std::string> without;
    for (const facet_algorithm a : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT}) {
      options.algorithm = a;
      try {
        runtime::Plan plan(kernel, grid, mesh, options);
        if (plan.choice().seconds > 20 * chosen.choice().seconds)
          without[a] = fmt::format("({:.1f})", plan.choice().seconds * 1e3);
        else
          forced.emplace(a, std::move(plan));
      } catch (const runtime::Error &) {
        without[a] = "-";
      }
    }
    const double mine = race(chosen, forced);
    double best = std::numeric_limits<double>::max();
    std::string text =
        fmt::format("{:>8} {:>11} {:7}  {:<22}{:>9.2f} ({:>8.2f})", mesh.size(),
                    fmt::format("{}x{}", size.ny, size.nz),
                    size.points   ? "points"
                    : size.im > 0 ? "complex"
                                  : "real",
                    runtime::name(chosen.choice()), mine * 1e3, chosen.choice().seconds * 1e3);
    for (const int a : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT}) {
      if (forced.count(a) == 0) {
        text += fmt::format("{:>22}", without[a]);
        continue;
      }
      best = std::min(best, least_[a]);
      text +=
          fmt::format("{:>11.2f} ({:>8.2f})", least_[a] * 1e3, forced.at(a).choice().seconds * 1e3);
    }
    const bool met = mine <= 1.15 * best || mine <= best + 1e-3;
    fmt::print("{}  x{:.2f}  {}\n", text, mine / best, met ? "met" : "MISSED");
    std::fflush(stdout);
    return met;
  }

private:
  static double timed(runtime::Plan &plan) {
    const double start = bench::now();
    plan.execute();
    return bench::now() - start;
  }

  /// Least seconds of the choice; of the forced ones in least_.
  double race(runtime::Plan &chosen, std::map<int, runtime::Plan> &forced) {
    double mine = timed(chosen);
    least_.clear();
    for (auto &[a, plan] : forced)
      least_[a] = timed(plan);
    const double start = bench::now();
    for (int i = 0; i < 3 || (i < 200 && bench::now() - start < seconds_); ++i) {
      mine = std::min(mine, timed(chosen));
      for (auto &[a, plan] : forced)
        least_[a] = std::min(least_[a], timed(plan));
    }
    // The choice and a forced algorithm are often the same plan, timed twice.
    for (auto &[a, plan] : forced)
      if (runtime::name(plan.choice()) == runtime::name(chosen.choice()))
        mine = least_[a] = std::min(mine, least_[a]);
    return mine;
  }

  std::string kernel_;
  double seconds_;
  std::map<int, double> least_;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_planner KERNEL.cpp [SECONDS A SIZE]\n");
    return 2;
  }
  try {
    Bench bench(argv[1], argc > 2 ? std::atof(argv[2]) : 0.5);
    fmt::print("ms, least of executions in turn (expected); one thread, accuracy 1e-5\n"
               "{:>8} {:>11} {:7}  {:<22}{:>20}{:>22}{:>22}{:>22}\n",
               "nt", "grid", "q", "choice", "", "direct", "separable", "nufft");
    int missed = 0, all = 0;
    const auto line = [&](std::int64_t nt, std::int64_t ny, std::int64_t nz, double im,
                          const std::string &kind) {
      ++all;
      missed += bench.line({nt, ny, nz, im, kind == "points"}) ? 0 : 1;
    };
#define FACET_SIZE(nt, ny, nz, im, kind) line(nt, ny, nz, im, #kind);
#include "sizes.def"
    fmt::print("{} of {} sizes within 15% or 1 ms of the best\n", all - missed, all);
    return missed == 0 ? 0 : 1;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_planner: {}\n", error.what());
    return 2;
  }
}
