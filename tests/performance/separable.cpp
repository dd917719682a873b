// separable.cpp - separable sums beside OpenBLAS and beside the multiply-adds a core can do.
//
//   facet_bench_separable KERNEL.cpp [REPEATS]
// Runs of facet, of the rival and of the peak's measurement alternate, so that a busy machine slows
// all; the least time of each counts. Times cover tables, products, double accumulation, finish.
#include "bench.h"
#include "peak.h"
#ifdef FACET_RIVAL_BLAS
#include "rivals/separable.h"
#endif
#include <complex>
#include <cstdlib>
#include <facet/runtime/plan.h>
#include <limits>

namespace {

using namespace facet;
using bench::Times;

constexpr int Side = 500;
constexpr double QX = 0.1; // nm^-1

runtime::Grid makeGrid(bool complexQ) {
  runtime::Grid grid;
  grid.axes[0] = runtime::linspace(QX, QX, 1);
  grid.axes[1] = runtime::linspace(-2, 2, Side);
  grid.axes[2] = runtime::linspace(0.01, 2, Side);
  if (complexQ)
    grid.axes[2].im = runtime::linspace(0.001, 0.01, Side).re;
  return grid;
}

/// The rival on the same mesh and grid, in the better of two ways to cut the records.
template <class Real> class Rival {
public:
  Rival([[maybe_unused]] const runtime::Mesh &mesh, [[maybe_unused]] const runtime::Grid &grid) {
#ifdef FACET_RIVAL_BLAS
    y = grid.axes[1].re, z = grid.axes[2].re, zi = grid.axes[2].im;
    const runtime::Vec3 centre = runtime::centre(mesh);
    const std::vector<double> area = runtime::column(mesh, "area", centre);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string axis(1, "xyz"[k]);
      const std::vector<double> normal = runtime::column(mesh, "normal." + axis, centre);
      for (std::size_t t = 0; t < area.size(); ++t)
        records.w[k].push_back(static_cast<Real>(area[t] * normal[t]));
      for (const double c : runtime::column(mesh, "centroid." + axis, centre))
        records.c[k].push_back(static_cast<Real>(c));
    }
#endif
  }
  void run([[maybe_unused]] Times &times) {
#ifdef FACET_RIVAL_BLAS
    for (const int block : {512, 2048})
      times.run([&] { rivals::blas<Real>(records, QX, y, z, zi, block, f); });
#endif
  }

private:
#ifdef FACET_RIVAL_BLAS
  rivals::Columns<Real> records;
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
      : kernel(std::move(kernel)), repeats(repeats),
        mesh(runtime::makeMesh(
            "torus", {{"major", {30}}, {"minor", {12}}, {"around", {60}}, {"tube", {55}}})) {}

  template <class Real> void line(const Goal &goal) {
    const std::string what =
        fmt::format("{:7} {:4} {:8}", goal.target, runtime::className(goal.klass),
                    goal.complexQ ? "complex" : "real");
    const auto &all = runtime::targets();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const runtime::Target &t) { return t.name == goal.target; });
    if (found == all.end() || !found->runnable()) {
      fmt::print("{} [SKIP] this CPU has no {}\n", what, goal.target);
      return;
    }
    const runtime::Grid grid = makeGrid(goal.complexQ);
    runtime::CompileRequest request{goal.target, FACET_PRODUCT,
                                    goal.complexQ ? FACET_COMPLEX_Q : FACET_REAL_Q};
    runtime::PlanOptions options;
    options.algorithm = FACET_SEPARABLE;
    options.klass = goal.klass;
    options.target = goal.target;
    options.threads = 1;
    runtime::Plan plan(runtime::Kernel::load(runtime::compileKernel(kernel, request).library), grid,
                       mesh, options);
    plan.execute();
    Rival<Real> rival(mesh, grid);
    Times mine, theirs;
    double peak = 0;
    const int bytes = std::string(goal.target) == "avx512" ? 64 : 32;
    for (int i = 0; i < repeats; ++i) {
      mine.run([&] { plan.execute(); });
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
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_separable KERNEL.cpp [REPEATS]\n");
    return 2;
  }
  try {
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
