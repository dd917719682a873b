// separable.cpp - separable sums beside OpenBLAS and beside the multiply-adds a core can do.
//
//   facet_bench_separable KERNEL.cpp [REPEATS]
// Runs of facet, of the rival and of the peak's measurement alternate, so that a busy machine slows
// all; the least time of each counts. Times cover tables, products, double accumulation, finish.
#include "bench.h"

namespace {

using namespace facet;

constexpr int Side = 500;

/// `times` as fast as OpenBLAS. 0: there is no rival, since its products take the best instructions
/// of the CPU whatever the target. Also percent of the bound: 6 fused multiply-adds a
/// triangle-q-point, 8 with complex q, at the rate measured.
struct Goal {
  const char *target;
  facet_class klass;
  bool complexQ;
  double times, percent;
};
constexpr Goal goals[] = {
    {"avx512", FACET_F32, false, 1.4, 92}, {"avx512", FACET_F64, false, 1.2, 88},
    {"avx512", FACET_F32, true, 1.0, 80},  {"avx512", FACET_F64, true, 1.0, 80},
    {"avx2", FACET_F32, false, 0, 86},     {"avx2", FACET_F64, false, 0, 88},
    {"avx2", FACET_F32, true, 0, 80},      {"avx2", FACET_F64, true, 0, 80}};

/// Whether all of a goal was met.
template <class Real> bool line(const std::string &kernel, int repeats, const Goal &goal) {
  const std::string what =
      fmt::format("{:7} {:4} {:8}", goal.target, runtime::className(goal.klass),
                  goal.complexQ ? "complex" : "real");
  if (!bench::runs(goal.target, what))
    return true;
  const runtime::Mesh mesh = bench::smallTorus();
  const runtime::Grid grid = bench::standardGrid(Side, Side, goal.complexQ);
  const auto planOn = [&](int threads) {
    return bench::planFor(kernel, goal.target, grid, mesh, FACET_SEPARABLE, goal.klass, threads);
  };
  runtime::Plan plan = planOn(1), two = planOn(2);
  two.execute(), plan.execute();
  const rivals::Columns<Real> columns = bench::columnsOf<Real>(mesh, runtime::centre(mesh));
  std::vector<std::complex<Real>> f;
  const auto &[x, y, z] = grid.axes;
  bench::Times mine, pair;
  std::array<bench::Times, 2> theirs; // by four real products, by three
  double peak = 0;
  const int bytes = std::string(goal.target) == "avx512" ? 64 : 32;
  for (int i = 0; i < repeats; ++i) {
    mine.run([&] { plan.execute(); });
    pair.run([&] { two.execute(); });
    if constexpr (rivals::hasBlas)
      for (const int block : {512, 2048}) // the better of two ways to cut the records
        for (const bool three : {false, true})
          if (goal.times > 0)
            theirs[three].run(
                [&] { rivals::blas<Real>(columns, x.re[0], y.re, z.re, z.im, block, three, f); });
    peak = std::max(peak, bench::fusedMultiplyAdds(bytes, sizeof(Real) == 8));
  }
  const double work = 1e-9 * static_cast<double>(mesh.size()) * static_cast<double>(grid.size());
  const double bound = 1e-9 * peak / (goal.complexQ ? 8 : 6);
  const char *without =
      goal.times > 0 ? "built without OpenBLAS" : "OpenBLAS takes the best target";
  fmt::print("{} {} facet, {}, {:.2f} bound; 1e9 TQP/s\n", what, mine.rates(work),
             theirs[0].all.empty()
                 ? fmt::format("[SKIP] no rival: {}", without)
                 : theirs[0].rates(work) + " OpenBLAS, " + theirs[1].rates(work) + " with gemm3m",
             bound);
  bool met = true;
  if (!theirs[0].all.empty())
    met &= bench::verdict(what + " times OpenBLAS   ",
                          std::min(theirs[0].least(), theirs[1].least()) / mine.least(), goal.times,
                          "{:.2f}");
  met &= bench::verdict(what + " percent of bound ", 100 * work / mine.least() / bound,
                        goal.percent, "{:.1f}");
  met &= bench::twoThreads(what + " on two threads    ", mine, pair);
  return bench::verdict(what + " error            ", plan.measure().error,
                        sizeof(Real) == 4 ? 5e-7 : 1e-11, "{:.1e}", true) &&
         met;
}

} // namespace

int main(int argc, char **argv) {
  if constexpr (rivals::hasBlas)
    rivals::useOwnBlasKernel(argv);
  return bench::program(argc, argv, 1, "KERNEL.cpp [REPEATS]", [&] {
    bench::sayTuned();
    fmt::print("least (median) of alternating runs; 6,600 triangles, {0} x {0} q, one thread\n",
               Side);
    if constexpr (rivals::hasBlas)
      fmt::print("rival: {}\n", rivals::blasName());
    else
      fmt::print("[SKIP] rival: this build found no OpenBLAS (NumPy's wheel, or libopenblas)\n");
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 7;
    bool met = true;
    for (const Goal &goal : goals)
      met &= (goal.klass == FACET_F32 ? line<float> : line<double>)(argv[1], repeats, goal);
    return met;
  });
}
