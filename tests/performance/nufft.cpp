// nufft.cpp - facet's nufft algorithm beside FINUFFT called by hand: time, error, ratio, goal.
//
//   facet_bench_nufft KERNEL.cpp [REPEATS]
// F of the kernel born, on one thread, with plans kept. facet is usual for 1e-6 of max|F|. The
// rival, whom the goal is about, takes eps 1e-6, as a user would. Beside it the rival takes the
// loosest eps whose F, as known afterwards, errs by no more. All times hold the factors of the
// strengths, transforms and combination. Runs alternate; the least time of each counts.
#include "bench.h"
#include "rivals/finufft.h"

namespace {

using namespace facet;
using Complex = std::complex<double>;
using Records = rivals::Columns<double>;
constexpr double Contract = 1e-6;

/// What a user would write with FINUFFT for F = -i / (q.q) sum_t (q.w_t) e^{i q.c_t} at one q.x.
/// One plan has three 2-D transforms of the components of w, type 1 if y and z are uniform and
/// type 3 for a list, default options but for one thread. Then follows their product with q.
class ByHand {
public:
  double error = 0, eps = 0;

  ByHand(const Records &records, const runtime::Grid &grid, double accuracy)
      : eps(accuracy), records_(records), list_(grid.kind == runtime::Grid::Kind::Points),
        x_(grid.axes[0].re[0]), y_(grid.axes[1].re), z_(grid.axes[2].re),
        rows_(list_ ? 1 : y_.size()), plan_(planOf()), sums_(3 * rows_ * z_.size()) {}

  /// F in the order of the grid.
  std::vector<Complex> f;
  void run() {
    const std::size_t nt = records_.c[0].size(), columns = z_.size(), n = rows_ * columns;
    fill();
    if (list_) {
      const std::array<const double *, 3> at{records_.c[2].data(), records_.c[1].data(), nullptr};
      const std::array<const double *, 3> to{z_.data(), y_.data(), nullptr};
      plan_.setPoints(static_cast<std::int64_t>(nt), at, static_cast<std::int64_t>(n), to);
    } else {
      const double dy = (y_.back() - y_[0]) / static_cast<double>(rows_ - 1);
      const double dz = (z_.back() - z_[0]) / static_cast<double>(columns - 1);
      scaled_[0].resize(nt), scaled_[1].resize(nt);
      for (std::size_t t = 0; t < nt; ++t)
        scaled_[0][t] = dz * records_.c[2][t], scaled_[1][t] = dy * records_.c[1][t];
      const std::array<const double *, 3> at{scaled_[0].data(), scaled_[1].data(), nullptr};
      plan_.setPoints(static_cast<std::int64_t>(nt), at);
    }
    plan_.execute(strengths_.data(), sums_.data());
    f.resize(n);
    const Complex *const tx = sums_.data(), *const ty = tx + n, *const tz = ty + n;
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t k = 0; k < columns; ++k) {
        const std::size_t i = row * columns + k;
        const double y = y_[list_ ? k : row], z = z_[k];
        const Complex sum = x_ * tx[i] + y * ty[i] + z * tz[i];
        const double scale = 1 / (x_ * x_ + y * y + z * z);
        f[i] = {scale * sum.imag(), -scale * sum.real()};
      }
  }

private:
  rivals::Finufft planOf() const {
    const std::array<std::int64_t, 3> modes{static_cast<std::int64_t>(z_.size()),
                                            static_cast<std::int64_t>(rows_), 1};
    return {list_ ? 3 : 1, 2, list_ ? nullptr : modes.data(), 3, eps};
  }

  /// w_k e^{i (a.c)} for the three components of w; a: the q that transforms of type 1 are about.
  void fill() {
    const double ay = list_ ? 0 : y_[rows_ / 2], az = list_ ? 0 : z_[z_.size() / 2];
    const std::size_t nt = records_.c[0].size();
    strengths_.resize(3 * nt);
    for (std::size_t t = 0; t < nt; ++t) {
      const double phase = x_ * records_.c[0][t] + ay * records_.c[1][t] + az * records_.c[2][t];
      const Complex wave(std::cos(phase), std::sin(phase));
      for (std::size_t k = 0; k < 3; ++k)
        strengths_[k * nt + t] = records_.w[k][t] * wave;
    }
  }

  const Records &records_;
  bool list_;
  double x_;
  std::vector<double> y_, z_;
  std::size_t rows_;
  rivals::Finufft plan_;
  std::array<std::vector<double>, 2> scaled_;
  std::vector<Complex> strengths_, sums_;
};

class Bench {
public:
  Bench(std::string kernel, int repeats)
      : kernel_(std::move(kernel)), mesh_(bench::largeTorus()),
        records_(bench::columnsOf<double>(mesh_, {})), // as it is: facet puts back what it centres
        repeats_(repeats) {}

  /// `theirs`: the grid as it is given to FINUFFT.
  bool line(const std::string &name, const runtime::Grid &grid, const runtime::Grid &theirs) const {
    if (!rivals::hasFinufft()) {
      alone(name, grid);
      fmt::print("  [SKIP] no rival: there is no FINUFFT\n");
      return true;
    }
    const bench::Reference reference(kernelOf(grid), mesh_, grid, 200);
    runtime::Plan mine = planOf(grid);
    mine.execute();
    // What a user would ask FINUFFT for, and what would have done, as known afterwards.
    ByHand usual(records_, theirs, Contract);
    usual.run();
    usual.error = errorOf(reference, usual.f);
    const auto loosest = loosestOf(reference, theirs);
    const auto [there, here, best] = bench::inTurns(
        repeats_, [&] { usual.run(); }, [&] { mine.execute(); }, [&] { loosest->run(); });
    say(name, here, reference, mine);
    using Timed = std::pair<const ByHand *, const bench::Times *>;
    for (const auto &[rival, times] : {Timed(&usual, &there), Timed(loosest.get(), &best)})
      fmt::print("  by hand {}, error {:.1e}, eps {:.0e}: {:.2f} times\n", times->ms(),
                 rival->error, rival->eps, times->least() / here.least());
    return bench::verdict("  times by hand", there.least() / here.least(), 1 / 1.05, "{:.2f}");
  }

  /// Time alone: for an old and a new binary run in turns.
  bench::Times alone(const std::string &name, const runtime::Grid &grid) const {
    runtime::Plan mine = planOf(grid);
    mine.execute();
    const auto [here] = bench::inTurns(repeats_, [&] { mine.execute(); });
    say(name, here, bench::Reference(kernelOf(grid), mesh_, grid, 200), mine);
    return here;
  }

  /// Complex q.z beside the separable sum by BLAS.
  bool complexLine(const std::string &name, const runtime::Grid &grid, double goal) const {
    const bench::Times here = alone(name, grid);
    if constexpr (!rivals::hasBlas) {
      fmt::print("  [SKIP] no rival: built without OpenBLAS; goal of {:.0f} times not judged\n",
                 goal);
      return true;
    } else {
      const auto columns = bench::columnsOf<float>(mesh_, {});
      const auto &[x, y, z] = grid.axes;
      std::vector<std::complex<float>> f;
      bench::Times there;
      for (const int block : {512, 2048})
        there.run([&] { rivals::blas<float>(columns, x.re[0], y.re, z.re, z.im, block, f); });
      fmt::print("  separable by OpenBLAS, f32: {:.1f} ms\n", 1e3 * there.least());
      return bench::verdict("  times OpenBLAS", there.least() / here.least(), goal, "{:.1f}");
    }
  }

private:
  runtime::Kernel kernelOf(const runtime::Grid &grid) const {
    return bench::kernelFor(kernel_, runtime::bestTarget(), grid);
  }
  runtime::Plan planOf(const runtime::Grid &grid) const {
    return {kernelOf(grid), grid, mesh_, bench::oneThread(FACET_NUFFT, Contract)};
  }
  static double errorOf(const bench::Reference &reference, const std::vector<Complex> &f) {
    return reference.error([&](std::size_t i) { return f[i]; });
  }
  static void say(const std::string &name, const bench::Times &here,
                  const bench::Reference &reference, const runtime::Plan &mine) {
    fmt::print("{}: facet {}, error {:.1e}: {}\n", name, here.ms(),
               errorOf(reference, mine.values()), mine.explain().reason);
  }

  /// By hand with the largest eps that keeps the contract.
  std::unique_ptr<ByHand> loosestOf(const bench::Reference &reference,
                                    const runtime::Grid &grid) const {
    for (const double eps : {3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8}) {
      auto rival = std::make_unique<ByHand>(records_, grid, eps);
      rival->run();
      rival->error = errorOf(reference, rival->f);
      if (rival->error <= Contract)
        return rival;
    }
    throw runtime::Error("bench", "no eps keeps the contract");
  }

  std::string kernel_;
  runtime::Mesh mesh_;
  Records records_;
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

/// q of a flat detector of n x n pixels: q.x = k (cos - 1) is thin. `decay`: and Im q.z of an
/// absorbing film.
runtime::Grid detector(std::int64_t n, double decay) {
  constexpr double k = 40, widest = 0.05; // nm^-1, rad
  const std::vector<double> angles = runtime::linspace(-widest, widest, n).re;
  runtime::Grid grid;
  grid.kind = runtime::Grid::Kind::Points;
  for (const double up : angles)
    for (const double aside : angles) {
      grid.axes[0].re.push_back(k * (std::cos(up) * std::cos(aside) - 1));
      grid.axes[1].re.push_back(k * std::cos(up) * std::sin(aside));
      grid.axes[2].re.push_back(k * std::sin(up));
      if (decay > 0)
        grid.axes[2].im.push_back(decay * std::abs(up) / widest);
    }
  return grid;
}

bool run(const Bench &bench) {
  fmt::print("least (median) of alternating runs on one thread, 91,600 triangles, error {:.0e} of "
             "max|F|\n",
             Contract);
  const auto uniform = [](std::int64_t n) {
    return productGrid(runtime::linspace(-2, 2, n), runtime::linspace(0, 2, n));
  };
  bool met = bench.line("uniform 500 x 500", uniform(500), uniform(500));
  met &= bench.line("uniform 1414 x 1414", uniform(1414), uniform(1414));
  const runtime::Grid axes = productGrid(irregular(-2, 2, 500), irregular(0, 2, 500));
  const runtime::Grid list = runtime::pointsOf(axes);
  met &= bench.line("irregular 500 x 500", axes, list);
  met &= bench.line("list of 250,000", list, list);
  runtime::Grid thin = uniform(500);
  thin.axes[0] = runtime::linspace(0.08, 0.12, 3);
  bench.alone("three thin q.x, 500 x 500", thin);
  bench.alone("detector of 500 x 500", detector(500, 0));
  bench.alone("detector, Im q.z to 0.02", detector(500, 0.02));
  runtime::Grid complexQ = uniform(500);
  complexQ.axes[2].im = runtime::linspace(0, 0.02, 500).re;
  return bench.complexLine("Im q.z to 0.02, 500 x 500", complexQ, 12) && met;
}

} // namespace

int main(int argc, char **argv) {
  if constexpr (rivals::hasBlas)
    rivals::useOwnBlasKernel(argv);
  return bench::program(argc, argv, 1, "KERNEL.cpp [REPEATS]",
                        [&] { return run(Bench(argv[1], argc > 2 ? std::atoi(argv[2]) : 7)); });
}
