// direct.cpp - direct sums beside their rivals: time, ratio, goal, verdict.
//
//   facet_bench_direct KERNEL.cpp [REPEATS]
// Runs of facet and of the rival alternate, so that a busy machine slows both; the least time of
// each counts.
#include "bench.h"

namespace {

using namespace facet;

constexpr int Side = 200;

/// Times as fast as the rival compiled for the same CPU features.
struct Goal {
  const char *target;
  bool points, complexQ;
  double times;
  rivals::DirectSum rival;
};
constexpr Goal goals[] = {{"avx512", false, false, 2.5, rivals::real_native},
                          {"avx512", false, true, 2.2, rivals::complex_native},
                          {"avx512", true, false, 1.8, rivals::real_native},
                          {"avx512", true, true, 1.8, rivals::complex_native},
                          {"avx2", false, false, 1.9, rivals::real_avx2},
                          {"avx2", false, true, 2.2, rivals::complex_avx2},
                          {"avx2", true, false, 1.8, rivals::real_avx2},
                          {"avx2", true, true, 1.8, rivals::complex_avx2}};

/// Every q of a grid, for the rival.
rivals::Points rivalsOf(const runtime::Grid &grid) {
  rivals::Points points;
  for (std::int64_t i = 0; i < grid.size(); ++i) {
    const auto q = grid.at(i);
    points.x.push_back(q[0].real());
    points.y.push_back(q[1].real());
    points.z.push_back(q[2].real());
    points.zi.push_back(q[2].imag());
  }
  points.re.resize(points.x.size());
  points.im.resize(points.x.size());
  return points;
}

/// Whether a goal was met.
bool line(const std::string &kernel, int repeats, const Goal &goal) {
  const std::string what =
      fmt::format("{:7} {:8} {:8}", goal.target, goal.points ? "points" : "product",
                  goal.complexQ ? "complex" : "real");
  if (!bench::runs(goal.target, what))
    return true;
  const runtime::Mesh mesh = bench::smallTorus();
  const rivals::Columns<float> columns = bench::columnsOf<float>(mesh, runtime::centre(mesh));
  const runtime::Grid product = bench::standardGrid(Side, Side, goal.complexQ);
  const runtime::Grid grid = goal.points ? runtime::pointsOf(product) : product;
  rivals::Points points = rivalsOf(grid);
  const auto plan = [&](int threads) {
    return bench::planFor(kernel, goal.target, grid, mesh, FACET_DIRECT, FACET_F32, threads);
  };
  runtime::Plan one = plan(1), two = plan(2);
  one.execute(), two.execute();
  const auto [theirs, mine, pair] = bench::inTurns(
      repeats, [&] { goal.rival(columns, points); }, [&] { one.execute(); },
      [&] { two.execute(); });
  const double work = 1e-9 * one.explain().tqp;
  const bool met =
      bench::verdict(fmt::format("{} {} facet, error {:.1e}; {} rival; 1e9 TQP/s", what,
                                 mine.rates(work), one.measure().error, theirs.rates(work)),
                     theirs.least() / mine.least(), goal.times, "x{:.2f}");
  return bench::twoThreads(fmt::format("{} {} on two threads            ", what, pair.rates(work)),
                           mine, pair) &&
         met;
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "KERNEL.cpp [REPEATS]", [&] {
    bench::sayTuned();
    fmt::print("least (median) of alternating runs; 6,600 triangles, 200 x 200 q, f32\n");
    bool met = true;
    for (const Goal &goal : goals)
      met &= line(argv[1], argc > 2 ? std::atoi(argv[2]) : 7, goal);
    return met;
  });
}
