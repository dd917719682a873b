// planner.cpp - the planner's choice beside every forced algorithm, over a table of sizes.
//
//   facet_bench_planner KERNEL.cpp [SECONDS A SIZE]
// Executions of all take turns, so that a busy machine slows all; the least time of each counts.
// Met: the choice is at most 15% or 1 ms slower than the best. What the planner expects to be more
// than 20 times slower than its choice is not run.
#include "tests/performance/bench.h"
#include <map>

namespace {

using namespace facet;

/// Triangles (about), extents, largest Im q.z (nm^-1; 0: real q), and whether q is a list.
struct Size {
  std::int64_t triangles, ny, nz;
  double im;
  bool points;
};
constexpr Size sizes[] = {
    {12, 20, 20, 0, false},         {300, 20, 20, 0, false},      {3000, 20, 20, 0, false},
    {30000, 20, 20, 0, false},      {1000000, 20, 20, 0, false},  {100, 50, 50, 0, false},
    {1000, 50, 50, 0, false},       {10000, 50, 50, 0, false},    {12, 200, 200, 0, false},
    {100, 200, 200, 0, false},      {1000, 200, 200, 0, false},   {6600, 200, 200, 0, false},
    {91600, 200, 200, 0, false},    {12, 500, 500, 0, false},     {100, 500, 500, 0, false},
    {300, 500, 500, 0, false},      {3000, 500, 500, 0, false},   {91600, 500, 500, 0, false},
    {12, 1414, 1414, 0, false},     {6600, 1414, 1414, 0, false}, {91600, 1414, 1414, 0, false},
    {1000, 1, 1000, 0, false},      {30000, 1, 1000, 0, false},   {6600, 1000, 1, 0, false},
    {1000, 50, 50, 0.02, false},    {300, 200, 200, 0.02, false}, {6600, 200, 200, 0.02, false},
    {91600, 500, 500, 0.02, false}, {1000, 50, 50, 0, true},      {6600, 200, 200, 0, true}};

runtime::Mesh meshOf(std::int64_t triangles) {
  return triangles <= 12 ? runtime::makeMesh("box", {})
                         : bench::torusOf(static_cast<double>(triangles));
}

runtime::Grid gridOf(const Size &size) {
  runtime::Grid grid = bench::standardGrid(size.ny, size.nz);
  if (size.im > 0)
    grid.axes[2].im = runtime::linspace(size.im / 10, size.im, size.nz).re;
  return size.points ? runtime::pointsOf(grid) : grid;
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
    double best = HUGE_VAL;
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
  /// Least seconds of the choice; of the forced ones in least_.
  double race(runtime::Plan &chosen, std::map<int, runtime::Plan> &forced) {
    bench::Times own;
    std::map<int, bench::Times> others;
    const double start = bench::now();
    for (int i = 0; i < 4 || (i < 200 && bench::now() - start < seconds_); ++i) {
      own.run([&] { chosen.execute(); });
      for (auto &[a, plan] : forced)
        others[a].run([&] { plan.execute(); });
    }
    double mine = own.least();
    least_.clear();
    for (auto &[a, plan] : forced) {
      least_[a] = others[a].least();
      // The choice and a forced algorithm are often the same plan, timed twice.
      if (runtime::name(plan.choice()) == runtime::name(chosen.choice()))
        mine = least_[a] = std::min(mine, least_[a]);
    }
    return mine;
  }

  std::string kernel_;
  double seconds_;
  std::map<int, double> least_;
};

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "KERNEL.cpp [SECONDS A SIZE]", [&] {
    Bench bench(argv[1], argc > 2 ? std::atof(argv[2]) : 0.5);
    fmt::print("ms, least of executions in turn (expected); one thread, accuracy 1e-5\n"
               "{:>8} {:>11} {:7}  {:<22}{:>20}{:>22}{:>22}{:>22}\n",
               "nt", "grid", "q", "choice", "", "direct", "separable", "nufft");
    const auto met = std::count_if(std::begin(sizes), std::end(sizes),
                                   [&](const Size &size) { return bench.line(size); });
    fmt::print("{} of {} sizes within 15% or 1 ms of the best\n", met, std::size(sizes));
    return met == std::ssize(sizes);
  });
}
