// exact.cpp - direct sums of exact means beside a rival in C++: time, error, ratio, goal.
//
//   facet_bench_exact EXACT.cpp [REPEATS]
// 6,600 triangles, 50 x 200 real q, F in memory, one thread. Runs of facet and of the rival
// alternate, so that a busy machine slows both; the least time of each counts.
#include "rivals/exact.h"
#include "bench.h"
#include "problems.h"
#include "runtime/plan/inside.h"

namespace {

using namespace facet;

template <class Real> struct Rival {
  std::array<std::array<std::vector<Real>, 3>, 4> columns;
  rivals::Corners<Real> mesh{};
  explicit Rival(const bench::Flat &flat) {
    mesh.count = static_cast<int>(flat.size());
    const auto fill = [&](std::size_t which, const std::array<std::vector<double>, 3> &from,
                          const Real *(&to)[3]) {
      for (std::size_t k = 0; k < 3; ++k) {
        columns[which][k].assign(from[k].begin(), from[k].end());
        to[k] = columns[which][k].data();
      }
    };
    fill(0, flat.w, mesh.w), fill(1, flat.c, mesh.c);
    fill(2, flat.first, mesh.first), fill(3, flat.second, mesh.second);
  }
};

class Bench {
public:
  Bench(std::string kernel, int repeats)
      : kernel_(std::move(kernel)), repeats_(repeats), mesh_(bench::smallTorus()),
        flat_(mesh_, {}) {}

  template <class Real>
  void line(const std::string &target, facet_class klass, rivals::ExactSum<Real> sum, double goal) {
    const std::string what = fmt::format("{:7} {:4}", target, runtime::className(klass));
    if (!bench::runs(target, what))
      return;
    const runtime::Grid grid = bench::standardGrid(50, 200);
    runtime::Plan plan = bench::planFor(kernel_, target, grid, mesh_, FACET_DIRECT, klass);
    const Rival<Real> rival(flat_);
    const auto n = static_cast<std::size_t>(grid.size());
    std::vector<double> re(n), im(n);
    bench::Times mine, theirs;
    plan.execute();
    for (int i = 0; i < repeats_; ++i) {
      theirs.run([&] {
        sum(rival.mesh, grid.axes[0].re[0], static_cast<int>(grid.axes[1].re.size()),
            grid.axes[1].re.data(), static_cast<int>(grid.axes[2].re.size()),
            grid.axes[2].re.data(), re.data(), im.data());
      });
      for (int k = 0; k < 3; ++k)
        mine.run([&] { plan.execute(); });
    }
    const bench::Reference reference(kernelOf(plan), mesh_, grid);
    const double ours =
        reference.error([&](std::int64_t i) { return plan.values()[static_cast<std::size_t>(i)]; });
    const double other = reference.error([&](std::int64_t i) {
      const auto q = grid.at(i);
      const auto p = static_cast<std::size_t>(i);
      const double qq = std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]);
      return std::complex<double>(0, -1) * std::complex<double>(re[p], im[p]) / qq;
    });
    const double work = 1e-9 * plan.explain().tqp;
    const std::string text = fmt::format(
        "{} {:6.3f} ({:.3f}) facet, error {:.1e}; {:6.3f} ({:.3f}) rival, error {:.1e}; 1e9 TQP/s ",
        what, work / mine.least(), work / mine.median(), ours, work / theirs.least(),
        work / theirs.median(), other);
    allMet &= bench::verdict(text, theirs.least() / mine.least(), goal, "x{:.2f}");
  }

  bool allMet = true;

private:
  std::string kernel_;
  int repeats_;
  runtime::Mesh mesh_;
  bench::Flat flat_;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_exact EXACT.cpp [REPEATS]\n");
    return 2;
  }
  try {
    bench::sayTuned();
    Bench bench(argv[1], argc > 2 ? std::atoi(argv[2]) : 4);
    fmt::print("least (median) of alternating runs; 6,600 triangles, 50 x 200 q, one thread; "
               "error of max|F|\n");
#define FACET_RIVAL_F32(target) rivals::exact_f32_##target
#define FACET_RIVAL_F64(target) rivals::exact_f64_##target
#define FACET_EXACT_GOAL(target, rival, klass, Real, goal)                                         \
  bench.line<Real>(#target, FACET_##klass, FACET_RIVAL_##klass(rival), goal);
#include "goals.def"
    return bench.allMet ? 0 : 1;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_exact: {}\n", error.what());
    return 2;
  }
}
