// exact.cpp - direct sums of exact means beside a rival in C++: time, error, ratio, goal.
//
//   facet_bench_exact EXACT.cpp [REPEATS]
// 6,600 triangles, 50 x 200 real q, F in memory, one thread. Runs of facet and of the rival
// alternate, so that a busy machine slows both; the least time of each counts.
#include "bench.h"
#include "runtime/engine/plan/plan_run.h"

namespace {

using namespace facet;

constexpr double Goal = 4; // times as fast as the rival

/// Whether the goal was met.
template <class Real>
bool line(const std::string &kernel, int repeats, const std::string &target,
          rivals::ExactSum<Real> sum) {
  const facet_class klass = sizeof(Real) == 4 ? FACET_F32 : FACET_F64;
  const std::string what = fmt::format("{:7} {:4}", target, runtime::className(klass));
  if (!bench::runs(target, what))
    return true;
  const runtime::Mesh mesh = bench::smallTorus();
  const runtime::Grid grid = bench::standardGrid(50, 200);
  const rivals::Columns<Real> columns = bench::columnsOf<Real>(mesh, {});
  runtime::Plan plan = bench::planFor(kernel, target, grid, mesh, FACET_DIRECT, klass);
  const auto n = static_cast<std::size_t>(grid.size());
  std::vector<double> re(n), im(n);
  bench::Times mine, theirs;
  plan.execute();
  for (int i = 0; i < repeats; ++i) {
    theirs.run([&] {
      sum(columns, grid.axes[0].re[0], grid.axes[1].re, grid.axes[2].re, re.data(), im.data());
    });
    for (int k = 0; k < 3; ++k)
      mine.run([&] { plan.execute(); });
  }
  const bench::Reference reference(plan.run().kernel, mesh, grid);
  const double ours = reference.error([&](std::size_t i) { return plan.values()[i]; });
  const double other = reference.error([&](std::size_t i) {
    const auto q = grid.at(static_cast<std::int64_t>(i));
    const double qq = std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]);
    return std::complex<double>(0, -1) * std::complex<double>(re[i], im[i]) / qq;
  });
  const double work = 1e-9 * plan.explain().tqp;
  return bench::verdict(fmt::format("{} {} facet, error {:.1e}; {} rival, error {:.1e}; 1e9 TQP/s ",
                                    what, mine.rates(work), ours, theirs.rates(work), other),
                        theirs.least() / mine.least(), Goal, "x{:.2f}");
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "EXACT.cpp [REPEATS]", [&] {
    bench::sayTuned();
    fmt::print("least (median) of alternating runs; 6,600 triangles, 50 x 200 q, one thread; "
               "error of max|F|\n");
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 4;
    bool met = line<float>(argv[1], repeats, "avx512", rivals::exact_native);
    met &= line<double>(argv[1], repeats, "avx512", rivals::exact_native);
    met &= line<float>(argv[1], repeats, "avx2", rivals::exact_avx2);
    met &= line<double>(argv[1], repeats, "avx2", rivals::exact_avx2);
    return met;
  });
}
