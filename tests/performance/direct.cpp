// direct.cpp - direct sums beside their rivals: time, ratio, goal, verdict.
//
//   facet_bench_direct KERNEL.cpp [REPEATS]
// Runs of facet and of the rival alternate, so that a busy machine slows both; the least time of
// each counts.
#include "bench.h"

namespace {

using namespace facet;

constexpr int Side = 200;

/// Times as fast as the better of the rivals compiled for the same CPU features.
struct Goal {
  const char *target;
  bool points, complexQ;
  double times;
  rivals::DirectSum rival, fused;
};
constexpr Goal goals[] = {
    {"avx512", false, false, 2.5, rivals::real_native, rivals::fused_real_native},
    {"avx512", false, true, 2.2, rivals::complex_native, rivals::fused_complex_native},
    {"avx512", true, false, 1.8, rivals::real_native, rivals::fused_real_native},
    {"avx512", true, true, 1.8, rivals::complex_native, rivals::fused_complex_native},
    {"avx2", false, false, 1.9, rivals::real_avx2, rivals::fused_real_avx2},
    {"avx2", false, true, 2.2, rivals::complex_avx2, rivals::fused_complex_avx2},
    {"avx2", true, false, 1.8, rivals::real_avx2, rivals::fused_real_avx2},
    {"avx2", true, true, 1.8, rivals::complex_avx2, rivals::fused_complex_avx2}};

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

/// A rival that sums something else is none: F of its sums as facet's, to 1e-4 of the largest.
void compare(const rivals::Points &points, const std::vector<std::complex<double>> &f) {
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const std::complex<double> z(points.z[i], points.zi[i]);
    const std::complex<double> square =
        points.x[i] * points.x[i] + points.y[i] * points.y[i] + z * z;
    const std::complex<double> theirs = std::complex(points.im[i], -points.re[i]) / square;
    largest = std::max(largest, std::abs(f[i]));
    worst = std::max(worst, std::abs(theirs - f[i]));
  }
  if (!(worst <= 1e-4 * largest))
    throw runtime::Error("bench", fmt::format("a rival is off by {:.1e}", worst / largest));
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
  for (const rivals::DirectSum rival : {goal.rival, goal.fused})
    rival(columns, points), compare(points, one.values());
  const auto [theirs, fused, mine, pair] = bench::inTurns(
      repeats, [&] { goal.rival(columns, points); }, [&] { goal.fused(columns, points); },
      [&] { one.execute(); }, [&] { two.execute(); });
  const double work = 1e-9 * one.explain().tqp;
  const bool met = bench::verdict(
      fmt::format("{} {} facet, error {:.1e}; {} rival, {} fused; 1e9 TQP/s", what,
                  mine.rates(work), one.measure().error, theirs.rates(work), fused.rates(work)),
      std::min(theirs.least(), fused.least()) / mine.least(), goal.times, "x{:.2f}");
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
