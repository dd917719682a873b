// nufft.cpp - facet's nufft algorithm beside FINUFFT called by hand: time, error, ratio, goal.
//
//   facet_bench_nufft KERNEL.cpp [REPEATS]
// F of the kernel born, on one thread, with plans kept. facet is asked for 1e-6 of max|F|; the
// rival, whom the goal is about, for eps 1e-6, as a user would; beside it the rival with the
// loosest eps whose F, as known afterwards, errs by no more. All times hold the factors of the
// strengths, transforms and combination. Runs alternate; the least time of each counts.
#include "rivals/nufft.h"
#include "bench.h"
#include "problems.h"
#ifdef FACET_RIVAL_BLAS
#include "rivals/separable.h"
#endif
#include <cstdlib>
#include <functional>

namespace {

using namespace facet;
using Complex = std::complex<double>;
using bench::Times;
constexpr double Contract = 1e-6;

rivals::Flat flatten(const runtime::Mesh &mesh) {
  const bench::Flat flat(mesh, {}); // as it is: facet puts back what it centres
  return {flat.w, flat.c};
}

/// max|f - reference| / max|reference|; complex q: of the q with Im q.z within 10%.
struct Reference {
  std::vector<std::size_t> at;
  std::vector<Complex> f;
  std::vector<double> im;
  Reference(const rivals::Flat &mesh, const runtime::Grid &grid) {
    std::mt19937 random(2);
    for (int sample = 0; sample < 200; ++sample) {
      at.push_back(random() % static_cast<std::size_t>(grid.size()));
      const auto q = grid.at(static_cast<std::int64_t>(at.back()));
      Complex sum = 0;
      for (std::size_t t = 0; t < mesh.c[0].size(); ++t) {
        Complex phase = 0, weight = 0;
        for (std::size_t d = 0; d < 3; ++d)
          phase += q[d] * mesh.c[d][t], weight += q[d] * mesh.w[d][t];
        sum += weight * std::exp(Complex(0, 1) * phase);
      }
      const Complex qq = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
      f.push_back(Complex(0, -1) / qq * sum), im.push_back(q[2].imag());
    }
  }
  double error(const std::vector<Complex> &of) const {
    double worst = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      double largest = 0;
      for (std::size_t j = 0; j < at.size(); ++j)
        if (std::abs(im[j] - im[i]) <= 0.1 * std::abs(im[i]))
          largest = std::max(largest, std::abs(f[j]));
      worst = std::max(worst, std::abs(of[at[i]] - f[i]) / largest);
    }
    return worst;
  }
};

using Run = std::function<void(std::vector<Complex> &)>;
struct Rival {
  Run run;
  double error = 0, eps = 0;
};

/// By hand with the largest eps that keeps the contract.
Rival loosest(const Reference &reference, const std::function<Run(double)> &make) {
  for (double eps : {3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8}) {
    Rival rival{make(eps), 0, eps};
    std::vector<Complex> f;
    rival.run(f);
    rival.error = reference.error(f);
    if (rival.error <= Contract)
      return rival;
  }
  throw runtime::Error("bench", "no eps keeps the contract");
}

class Bench {
public:
  Bench(std::string kernel, int repeats)
      : kernel_(std::move(kernel)), whole_(bench::largeTorus()), mesh_(flatten(whole_)),
        repeats_(repeats) {}

  runtime::Plan plan(const runtime::Grid &grid) const {
    runtime::PlanOptions options;
    options.algorithm = FACET_NUFFT;
    options.accuracy = Contract;
    options.threads = 1;
    return {bench::kernelFor(kernel_, runtime::bestTarget(), grid), grid, whole_, options};
  }

  /// `goal`: at least so many times as fast as by hand.
  void line(const std::string &name, const runtime::Grid &grid,
            const std::function<Run(double)> &byHand, double goal) {
    const Reference reference(mesh_, grid);
    runtime::Plan mine = plan(grid);
    mine.execute();
    // What a user would ask FINUFFT for, and what would have done, as known afterwards.
    Rival asked{byHand(Contract), 0, Contract};
    const Rival theirs = loosest(reference, byHand);
    Times here, there, best;
    std::vector<Complex> f;
    for (int i = 0; i < repeats_; ++i) {
      there.run([&] { asked.run(f); });
      if (i == 0)
        asked.error = reference.error(f);
      here.run([&] { mine.execute(); });
      best.run([&] { theirs.run(f); });
    }
    fmt::print("{}: facet {:.1f} ({:.1f}) ms, error {:.1e}: {}\n", name, 1e3 * here.least(),
               1e3 * here.median(), reference.error(mine.values()), mine.explain().reason);
    using Timed = std::pair<const Rival *, const Times *>;
    for (const auto &[rival, times] : {Timed(&asked, &there), Timed(&theirs, &best)})
      fmt::print("  by hand {:.1f} ({:.1f}) ms, error {:.1e}, eps {:.0e}: {:.2f} times\n",
                 1e3 * times->least(), 1e3 * times->median(), rival->error, rival->eps,
                 times->least() / here.least());
    allMet &= bench::verdict("  times by hand", there.least() / here.least(), goal, "{:.2f}");
  }

  /// Complex q.z beside the separable sum by BLAS.
  void complexLine(const std::string &name, const runtime::Grid &grid, double goal) {
    runtime::Plan mine = plan(grid);
    mine.execute();
    Times here, there;
    for (int i = 0; i < repeats_; ++i)
      here.run([&] { mine.execute(); });
    fmt::print("{}: facet {:.1f} ({:.1f}) ms, error {:.1e}: {}\n", name, 1e3 * here.least(),
               1e3 * here.median(), Reference(mesh_, grid).error(mine.values()),
               mine.explain().reason);
#ifdef FACET_RIVAL_BLAS
    rivals::Columns<float> columns;
    for (std::size_t k = 0; k < 3; ++k) {
      columns.w[k].assign(mesh_.w[k].begin(), mesh_.w[k].end());
      columns.c[k].assign(mesh_.c[k].begin(), mesh_.c[k].end());
    }
    std::vector<std::complex<float>> f;
    for (const int block : {512, 2048})
      there.run([&] {
        rivals::blas<float>(columns, grid.axes[0].re[0], grid.axes[1].re, grid.axes[2].re,
                            grid.axes[2].im, block, f);
      });
    fmt::print("  separable by OpenBLAS, f32: {:.1f} ms\n", 1e3 * there.least());
    allMet &= bench::verdict("  times OpenBLAS", there.least() / here.least(), goal, "{:.1f}");
#else
    fmt::print("  [SKIP] no rival: built without OpenBLAS; goal of {:.0f} times not judged\n",
               goal);
#endif
  }

  const rivals::Flat &mesh() const { return mesh_; }
  bool allMet = true;

private:
  std::string kernel_;
  runtime::Mesh whole_;
  rivals::Flat mesh_;
  int repeats_;
};

/// n values, each moved by up to a fifth of a step.
runtime::Axis irregular(double from, double to, std::int64_t n) {
  runtime::Axis axis = runtime::linspace(from, to, n);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> move(-0.2, 0.2);
  for (double &q : axis.re)
    q += move(random) * (to - from) / static_cast<double>(n);
  return axis;
}

runtime::Grid productGrid(runtime::Axis y, runtime::Axis z) {
  runtime::Grid grid;
  grid.axes = {runtime::linspace(0.1, 0.1, 1), std::move(y), std::move(z)};
  return grid;
}

} // namespace

int main(int argc, char **argv) {
#ifdef FACET_RIVAL_BLAS
  rivals::useOwnBlasKernel(argv);
#endif
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_nufft KERNEL.cpp [REPEATS]\n");
    return 2;
  }
  try {
    Bench bench(argv[1], argc > 2 ? std::atoi(argv[2]) : 7);
    constexpr double goal = 1 / 1.05;
    fmt::print(
        "least (median) of alternating runs on one thread, 91,600 triangles, error {:.0e} of "
        "max|F|\n",
        Contract);
    for (std::int64_t n : {500, 1414}) {
      const runtime::Grid grid =
          productGrid(runtime::linspace(-2, 2, n), runtime::linspace(0, 2, n));
      bench.line(
          fmt::format("uniform {0} x {0}", n), grid,
          [&](double eps) -> Run {
            auto rival =
                std::make_shared<rivals::UniformByHand>(0.1, grid.axes[1].re, grid.axes[2].re, eps);
            return [&bench, rival](std::vector<Complex> &f) { rival->run(bench.mesh(), f); };
          },
          goal);
    }
    for (bool list : {false, true}) {
      const runtime::Grid axes = productGrid(irregular(-2, 2, 500), irregular(0, 2, 500));
      const runtime::Grid each = bench::listed(axes), &grid = list ? each : axes;
      bench.line(
          list ? "list of 250,000" : "irregular 500 x 500", grid,
          [&](double eps) -> Run {
            auto rival =
                std::make_shared<rivals::ListByHand>(0.1, each.axes[1].re, each.axes[2].re, eps);
            return [&bench, rival](std::vector<Complex> &f) { rival->run(bench.mesh(), f); };
          },
          goal);
    }
    runtime::Grid complexQ =
        productGrid(runtime::linspace(-2, 2, 500), runtime::linspace(0, 2, 500));
    complexQ.axes[2].im = runtime::linspace(0, 0.02, 500).re;
    bench.complexLine("Im q.z to 0.02, 500 x 500", complexQ, 12);
    return bench.allMet ? 0 : 1;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_nufft: {}\n", error.what());
    return 2;
  }
}
