// value_at_risk.cpp - what a portfolio is worth on many markets: the low-rank sum, and the direct
// sum beside rivals in C++.
//
//   facet_bench_value_at_risk VALUE_AT_RISK.cpp [REPEATS [MARKETS POSITIONS]]
// Low rank: 10^6 markets x 10^5 positions to 1e-10 on two threads, F in memory. Direct, f64, one
// thread: 1,000 of the markets; rivals with a choice for each position, as the sum is written, and
// with stocks and bonds in loops of their own. Half the positions are bonds. Runs alternate; the
// least time of each counts.
#include "bench.h"
#include "runtime/engine/plan/plan_run.h"

namespace {

using namespace facet;

constexpr double Goal = 2;           // times as fast as the rivals
constexpr double GoalSeconds = 0.15; // of the low-rank sum

runtime::Grid markets(std::int64_t count) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  runtime::Grid grid;
  grid.kind = runtime::Grid::Kind::Points;
  for (std::int64_t k = 0; k < count; ++k) {
    grid.axes[0].re.push_back(100 + 8 * normal(random));
    grid.axes[1].re.push_back(1.1 + 0.06 * normal(random));
    grid.axes[2].re.push_back(std::clamp(0.03 + 0.01 * normal(random), 0.0, 0.06));
  }
  return grid;
}

runtime::Mesh portfolio(std::int64_t count) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform;
  runtime::Mesh mesh;
  mesh.name = "portfolio";
  for (std::int64_t k = 0; k < count; ++k) {
    const bool bond = 2 * k >= count;
    mesh.columns["amount"].push_back((bond ? 1e3 : 10) * (1 + uniform(random)));
    mesh.columns["foreign"].push_back(bond);
    mesh.columns["years"].push_back(15 * uniform(random));
  }
  return mesh;
}

runtime::Grid firstOf(runtime::Grid grid, std::size_t count) {
  for (runtime::Axis &axis : grid.axes)
    axis.re.resize(std::min(count, axis.re.size()));
  return grid;
}

bool lowRank(const std::string &kernel, int repeats, const runtime::Grid &grid,
             const runtime::Mesh &mesh) {
  runtime::PlanOptions options;
  options.accuracy = 1e-10;
  options.threads = 2;
  const runtime::Kernel compiled = bench::kernelFor(kernel, runtime::bestTarget(), grid);
  bench::Times planning, sums;
  std::string found;
  double error = 0;
  for (int k = 0; k < repeats; ++k) {
    std::optional<runtime::Plan> plan;
    planning.run([&] { plan.emplace(compiled, grid, mesh, options); });
    plan->execute();
    sums.run([&] { plan->execute(); });
    found = plan->choice().detail;
    error = plan->measure().error;
  }
  fmt::print("low rank   {}\n", found);
  fmt::print("           error {:.1e}; planned in {}\n", error, planning.ms());
  return bench::verdict(fmt::format("           summed in {}, s", sums.ms()), sums.least(),
                        GoalSeconds, "{:.3f}", true);
}

bool direct(const std::string &kernel, int repeats, const runtime::Grid &grid,
            const runtime::Mesh &mesh) {
  runtime::Plan plan =
      bench::planFor(kernel, runtime::bestTarget(), grid, mesh, FACET_DIRECT, FACET_F64);
  const rivals::Positions positions{mesh.columns.at("amount"), mesh.columns.at("foreign"),
                                    mesh.columns.at("years")};
  const rivals::Points points{grid.axes[0].re, grid.axes[1].re, grid.axes[2].re, {}, {}, {}};
  std::vector<double> chosen(points.x.size()), sorted(points.x.size());
  plan.execute();
  const auto times = bench::inTurns(
      repeats, [&] { plan.execute(); }, [&] { rivals::worth(positions, points, chosen.data()); },
      [&] { rivals::worthSorted(positions, points, sorted.data()); });
  const bench::Reference reference(plan.run().kernel, mesh, grid);
  const double work = 1e-9 * plan.explain().tqp;
  fmt::print("direct     {} facet, error {:.1e}; 1e9 terms/s\n", times[0].rates(work),
             reference.error([&](std::size_t i) { return plan.values()[i]; }));
  bool met = true;
  for (const auto &[name, theirs, f] : {std::tuple{"a choice a position", times[1], &chosen},
                                        std::tuple{"two loops", times[2], &sorted}})
    met &= bench::verdict(
        fmt::format("           {} rival, {}, error {:.1e}", theirs.rates(work), name,
                    reference.error([&](std::size_t i) { return std::complex((*f)[i]); })),
        theirs.least() / times[0].least(), Goal, "x{:.2f}");
  return met;
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "VALUE_AT_RISK.cpp [REPEATS [MARKETS POSITIONS]]", [&] {
    bench::sayTuned();
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
    const auto count = [&](int at, double usual) {
      return static_cast<std::int64_t>(argc > at ? std::atof(argv[at]) : usual);
    };
    const runtime::Grid grid = markets(count(3, 1e6));
    const runtime::Mesh mesh = portfolio(count(4, 1e5));
    fmt::print("{} markets, {} positions; least (median) of alternating runs\n", grid.size(),
               mesh.size());
    const bool met = lowRank(argv[1], repeats, grid, mesh);
    return direct(argv[1], repeats, firstOf(grid, 1000), mesh) && met;
  });
}
