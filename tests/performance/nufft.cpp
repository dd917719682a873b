// nufft.cpp - facet's transforms beside FINUFFT called by hand: time, error, ratio, goal.
//
//   facet_bench_nufft [REPEATS]
// Both make strengths, transform and combine, on one thread, with plans kept; each asks FINUFFT for
// the largest eps of a list with which its own result errs by at most 1e-6 of max|F|. Runs
// alternate; the least time of each counts.
#include "rivals/nufft.h"
#include "runtime/nufft/transforms.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <facet/runtime/mesh.h>
#include <fmt/format.h>
#include <functional>
#include <random>

namespace {

using namespace facet;
using Complex = std::complex<double>;
using Clock = std::chrono::steady_clock;
constexpr double Contract = 1e-6;

rivals::Flat flatten(const runtime::Mesh &mesh) {
  rivals::Flat flat;
  const runtime::Vec3 centre = runtime::centre(mesh);
  const std::vector<double> area = runtime::column(mesh, "area", centre);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    flat.w[k] = runtime::column(mesh, "normal." + axis, centre);
    flat.c[k] = runtime::column(mesh, "centroid." + axis, centre);
    for (std::size_t t = 0; t < area.size(); ++t)
      flat.w[k][t] *= area[t];
  }
  return flat;
}

/// facet: q.T by NufftTransforms.
class Mine {
public:
  Mine(const rivals::Flat &mesh, const runtime::Grid &grid, double tolerance) : grid_(grid) {
    runtime::NufftRequest request;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [low, high] = std::minmax_element(mesh.c[d].begin(), mesh.c[d].end());
      request.half[d] = 0.5 * (*high - *low);
    }
    request.records = mesh.size(), request.transforms = 3, request.tolerance = tolerance;
    request.constants = constants();
    transforms_ = std::make_unique<runtime::NufftTransforms>(grid, request);
    strengths_.resize(static_cast<std::size_t>(3 * mesh.size()));
    sums_.resize(static_cast<std::size_t>(3 * grid.size()));
  }
  const runtime::NufftLayout &layout() const { return transforms_->layout(); }
  void run(const rivals::Flat &mesh, std::vector<Complex> &f) {
    const std::size_t n = mesh.c[0].size(), size = sums_.size() / 3;
    std::array<const Complex *, 3> from{};
    std::array<Complex *, 3> to{};
    for (std::size_t k = 0; k < 3; ++k) {
      std::copy(mesh.w[k].begin(), mesh.w[k].end(),
                strengths_.begin() + static_cast<std::ptrdiff_t>(k * n));
      from[k] = strengths_.data() + k * n, to[k] = sums_.data() + k * size;
    }
    transforms_->execute({mesh.size(), mesh.c[0].data(), mesh.c[1].data(), mesh.c[2].data()}, from,
                         to);
    f.resize(size);
    if (grid_.kind == runtime::Grid::Kind::Points || grid_.complexQ()) {
      for (std::size_t i = 0; i < size; ++i) {
        const auto q = grid_.at(static_cast<std::int64_t>(i));
        f[i] = q[0] * to[0][i] + q[1] * to[1][i] + q[2] * to[2][i];
      }
      return;
    }
    const double qx = grid_.axes[0].re[0];
    std::size_t i = 0;
    for (double qy : grid_.axes[1].re)
      for (double qz : grid_.axes[2].re) {
        f[i] = qx * to[0][i] + qy * to[1][i] + qz * to[2][i];
        ++i;
      }
  }

private:
  const runtime::Grid &grid_;
  std::unique_ptr<runtime::NufftTransforms> transforms_;
  std::vector<Complex> strengths_, sums_;

  static const runtime::NufftConstants &constants() {
    static const runtime::NufftConstants measured = runtime::measureNufftConstants();
    return measured;
  }
};

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
      f.push_back(sum), im.push_back(q[2].imag());
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
struct Side {
  Run run;
  double error = 0, asked = 0;
  std::vector<double> times;
  double least() const { return *std::min_element(times.begin(), times.end()); }
  double median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
};

/// The side with the largest accuracy asked for that keeps the contract.
Side loosest(const Reference &reference, const std::function<Run(double)> &make) {
  for (double asked : {1.6e-5, 8e-6, 4e-6, 2e-6, 1e-6, 5e-7, 2.5e-7, 1.2e-7, 6e-8, 3e-8}) {
    Side side{make(asked), 0, asked, {}};
    std::vector<Complex> f;
    side.run(f);
    side.error = reference.error(f);
    if (side.error <= Contract)
      return side;
  }
  throw runtime::Error("bench", "no accuracy keeps the contract");
}

class Bench {
public:
  explicit Bench(int repeats)
      : mesh_(flatten(runtime::makeMesh(
            "torus", {{"major", {30}}, {"minor", {12}}, {"around", {229}}, {"tube", {200}}}))),
        repeats_(repeats) {}

  void line(const std::string &name, const runtime::Grid &grid,
            const std::function<Run(double)> &byHand, double goal) {
    const Reference reference(mesh_, grid);
    std::string text;
    Side mine = loosest(reference, [&](double tolerance) -> Run {
      auto facet = std::make_shared<Mine>(mesh_, grid, tolerance);
      text = facet->layout().text();
      const runtime::NufftCall &call = facet->layout().calls[0];
      text += fmt::format(", upsampling {:.2f}, width {}", call.upsampling, call.width);
      return [this, facet](std::vector<Complex> &f) { facet->run(mesh_, f); };
    });
    Side theirs = byHand ? loosest(reference, byHand) : Side{};
    std::vector<Complex> f;
    for (int i = 0; i < repeats_; ++i)
      for (Side *side : {&theirs, &mine})
        if (side->run) {
          const auto start = Clock::now();
          side->run(f);
          side->times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
        }
    fmt::print("{:28} {:7.1f} ({:7.1f}) ms, error {:.1e} at {:.1e}; {}\n", name, 1e3 * mine.least(),
               1e3 * mine.median(), mine.error, mine.asked, text);
    if (byHand) {
      const double ratio = theirs.least() / mine.least();
      allMet &= ratio >= goal;
      fmt::print("{:28} {:7.1f} ({:7.1f}) ms, error {:.1e} at {:.1e}; x{:.2f}, goal {:.2f}  {}\n",
                 "  FINUFFT by hand", 1e3 * theirs.least(), 1e3 * theirs.median(), theirs.error,
                 theirs.asked, ratio, goal, ratio >= goal ? "met" : "MISSED");
    }
    std::fflush(stdout);
  }

  const rivals::Flat &mesh() const { return mesh_; }
  bool allMet = true;

private:
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

runtime::Grid listed(const runtime::Grid &grid) {
  runtime::Grid list;
  list.kind = runtime::Grid::Kind::Points;
  for (std::int64_t i = 0; i < grid.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      list.axes[k].re.push_back(grid.at(i)[k].real());
  return list;
}

} // namespace

int main(int argc, char **argv) {
  try {
    Bench bench(argc > 1 ? std::atoi(argv[1]) : 7);
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
      const runtime::Grid each = listed(axes), &grid = list ? each : axes;
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
    bench.line("Im q.z to 0.02, 500 x 500", complexQ, {}, 0);
    return bench.allMet ? 0 : 1;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_nufft: {}\n", error.what());
    return 2;
  }
}
