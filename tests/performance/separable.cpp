// separable.cpp - separable sums beside OpenBLAS and beside the multiply-adds a core can do.
//
//   facet_bench_separable KERNEL.cpp [REPEATS]
// Runs of facet, of the rival and of the peak's measurement alternate, so that a busy machine slows
// all; the least time of each counts. Times cover tables, products, double accumulation, finish.
#include "bench.h"
#include "peak.h"
#include "problems.h"
#ifdef FACET_RIVAL_BLAS
#include "rivals/separable.h"
#endif
#include <cstdlib>

namespace {

using namespace facet;
using bench::Times;

constexpr int Side = 500;

/// The rival on the same mesh and grid, in the better of two ways to cut the records.
template <class Real> class Rival {
public:
  Rival([[maybe_unused]] const runtime::Mesh &mesh, [[maybe_unused]] const runtime::Grid &grid) {
#ifdef FACET_RIVAL_BLAS
    x = grid.axes[0].re[0], y = grid.axes[1].re, z = grid.axes[2].re, zi = grid.axes[2].im;
    const bench::Flat flat(mesh, runtime::centre(mesh));
    for (std::size_t k = 0; k < 3; ++k) {
      records.w[k].assign(flat.w[k].begin(), flat.w[k].end());
      records.c[k].assign(flat.c[k].begin(), flat.c[k].end());
    }
#endif
  }
  void run([[maybe_unused]] Times &times) {
#ifdef FACET_RIVAL_BLAS
    for (const int block : {512, 2048})
      times.run([&] { rivals::blas<Real>(records, x, y, z, zi, block, f); });
#endif
  }

private:
#ifdef FACET_RIVAL_BLAS
  rivals::Columns<Real> records;
  double x = 0;
  std::vector<double> y, z, zi;
  std::vector<std::complex<Real>> f;
#endif
};

struct Goal {
  const char *target;
  facet_class klass;
  bool complexQ;
  double ratio, percent;
};

class Bench {
public:
  Bench(std::string kernel, int repeats)
      : kernel(std::move(kernel)), repeats(repeats), mesh(bench::smallTorus()) {}

  template <class Real> void line(const Goal &goal) {
    const std::string what =
        fmt::format("{:7} {:4} {:8}", goal.target, runtime::className(goal.klass),
                    goal.complexQ ? "complex" : "real");
    if (!bench::runs(goal.target, what))
      return;
    const runtime::Grid grid = bench::standardGrid(Side, Side, goal.complexQ);
    const auto planOn = [&](int threads) {
      return bench::planFor(kernel, goal.target, grid, mesh, FACET_SEPARABLE, goal.klass, threads);
    };
    runtime::Plan plan = planOn(1), two = planOn(2);
    two.execute();
    plan.execute();
    Rival<Real> rival(mesh, grid);
    Times mine, pair, theirs;
    double peak = 0;
    const int bytes = std::string(goal.target) == "avx512" ? 64 : 32;
    for (int i = 0; i < repeats; ++i) {
      mine.run([&] { plan.execute(); });
      pair.run([&] { two.execute(); });
      if (goal.ratio > 0)
        rival.run(theirs);
      peak = std::max(peak, bench::fusedMultiplyAdds(bytes, sizeof(Real) == 8));
    }
    const double work = static_cast<double>(mesh.size()) * static_cast<double>(grid.size());
    const double bound = peak / (goal.complexQ ? 8 : 6);
    fmt::print("{} {:6.2f} ({:.2f}) facet, ", what, 1e-9 * work / mine.least(),
               1e-9 * work / mine.median());
    if (theirs.all.empty())
      fmt::print("[SKIP] no rival: {}",
                 goal.ratio > 0 ? "built without OpenBLAS" : "OpenBLAS takes the best target");
    else
      fmt::print("{:6.2f} ({:.2f}) OpenBLAS", 1e-9 * work / theirs.least(),
                 1e-9 * work / theirs.median());
    fmt::print(", {:.2f} bound; 1e9 TQP/s\n", 1e-9 * bound);
    if (!theirs.all.empty())
      allMet &= bench::verdict(what + " times OpenBLAS   ", theirs.least() / mine.least(),
                               goal.ratio, "{:.2f}");
    allMet &= bench::verdict(what + " percent of bound ", 100 * work / mine.least() / bound,
                             goal.percent, "{:.1f}");
    allMet &= bench::twoThreads(what + " on two threads    ", mine, pair);
    allMet &= bench::verdict(what + " error            ", plan.measure().error,
                             sizeof(Real) == 4 ? 5e-7 : 1e-11, "{:.1e}", true);
  }

  bool allMet = true;

private:
  std::string kernel;
  int repeats;
  runtime::Mesh mesh;
};

} // namespace

int main(int argc, char **argv) {
#ifdef FACET_RIVAL_BLAS
  rivals::useOwnBlasKernel(argv);
#endif
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_separable KERNEL.cpp [REPEATS]\n");
    return 2;
  }
  try {
    bench::sayTuned();
    Bench bench(argv[1], argc > 2 ? std::atoi(argv[2]) : 7);
    fmt::print("least (median) of alternating runs; 6,600 triangles, {0} x {0} q, one thread\n",
               Side);
#ifdef FACET_RIVAL_BLAS
    fmt::print("rival: {}\n", rivals::blasName());
#else
    fmt::print("[SKIP] rival: this build found no OpenBLAS (NumPy's wheel, or libopenblas)\n");
#endif
    using F32 = float;
    using F64 = double;
    constexpr bool real = false, cplx = true;
#define FACET_SEPARABLE_GOAL(target, klass, q, ratio, percent)                                     \
  bench.line<klass>({#target, FACET_##klass, q, ratio, percent});
#include "goals.def"
    return bench.allMet ? 0 : 1;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_separable: {}\n", error.what());
    return 2;
  }
}
