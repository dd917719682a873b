// direct.cpp - direct sums beside their rivals: time, ratio, goal, verdict.
//
//   facet_bench_direct KERNEL.cpp [REPEATS]
// Runs of facet and of the rival alternate, so that a busy machine slows both; the least time of
// each counts.
#include "rivals/direct.h"
#include "bench.h"
#include <cstdlib>
#include <facet/runtime/plan.h>
#include <fmt/format.h>
#include <limits>
#include <vector>

namespace {

using namespace facet;
using bench::Times;

constexpr int Side = 200;

/// The mesh as the rival wants it.
struct Soa {
  std::array<std::vector<float>, 6> columns;
  rivals::Mesh mesh{};
  explicit Soa(const runtime::Mesh &from) {
    const runtime::Vec3 centre = runtime::centre(from);
    const auto column = [&](const std::string &name) {
      return runtime::column(from, name, centre);
    };
    const std::vector<double> area = column("area");
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string axis(1, "xyz"[k]);
      const std::vector<double> normal = column("normal." + axis);
      const std::vector<double> centroid = column("centroid." + axis);
      for (std::size_t t = 0; t < area.size(); ++t) {
        columns[k].push_back(static_cast<float>(area[t] * normal[t]));
        columns[k + 3].push_back(static_cast<float>(centroid[t]));
      }
    }
    mesh = {static_cast<int>(area.size()),
            columns[0].data(),
            columns[1].data(),
            columns[2].data(),
            columns[3].data(),
            columns[4].data(),
            columns[5].data()};
  }
};

runtime::Grid makeGrid(bool points, bool complexQ) {
  runtime::Grid grid;
  grid.axes[0] = runtime::linspace(0.1, 0.1, 1);
  grid.axes[1] = runtime::linspace(-2, 2, Side);
  grid.axes[2] = runtime::linspace(0.01, 2, Side);
  if (complexQ)
    grid.axes[2].im = runtime::linspace(0.001, 0.01, Side).re;
  if (!points)
    return grid;
  runtime::Grid list;
  list.kind = runtime::Grid::Kind::Points;
  for (std::int64_t i = 0; i < grid.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      list.axes[k].re.push_back(grid.at(i)[k].real());
      if (grid.axes[k].isComplex())
        list.axes[k].im.push_back(grid.at(i)[k].imag());
    }
  return list;
}

/// Every q of a grid, for the rival.
struct List {
  std::vector<double> x, y, z, zi, re, im;
  explicit List(const runtime::Grid &grid) {
    for (std::int64_t i = 0; i < grid.size(); ++i) {
      const auto q = grid.at(i);
      x.push_back(q[0].real());
      y.push_back(q[1].real());
      z.push_back(q[2].real());
      zi.push_back(q[2].imag());
    }
    re.resize(x.size());
    im.resize(x.size());
  }
};

class Bench {
public:
  Bench(std::string kernel, int repeats)
      : kernel(std::move(kernel)), repeats(repeats),
        mesh(runtime::makeMesh(
            "torus", {{"major", {30}}, {"minor", {12}}, {"around", {60}}, {"tube", {55}}})),
        soa(mesh) {}

  void line(const std::string &target, const std::string &gridKind, const std::string &q,
            double goal, rivals::Sum rival) {
    const auto &all = runtime::targets();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const runtime::Target &t) { return t.name == target; });
    if (found == all.end() || !found->runnable()) {
      fmt::print("{:7} {:8} {:8} not run: this CPU has no {}\n", target, gridKind, q, target);
      return;
    }
    const bool points = gridKind == "points", complexQ = q == "complex";
    const runtime::Grid grid = makeGrid(points, complexQ);
    List list(grid);
    runtime::Plan one = plan(target, points, complexQ, grid, 1);
    runtime::Plan two = plan(target, points, complexQ, grid, 2);
    Times mine, pair, theirs;
    one.execute(), two.execute();
    for (int i = 0; i < repeats; ++i) {
      theirs.run([&] {
        rival(soa.mesh, static_cast<int>(list.x.size()), list.x.data(), list.y.data(),
              list.z.data(), list.zi.data(), list.re.data(), list.im.data());
      });
      mine.run([&] { one.execute(); });
      pair.run([&] { two.execute(); });
    }
    const double work =
        1e-9 * static_cast<double>(mesh.size()) * static_cast<double>(list.x.size());
    verdict(fmt::format("{:7} {:8} {:8} {:6.2f} ({:.2f}) facet {:6.2f} ({:.2f}) rival, 1e9 TQP/s",
                        target, gridKind, q, work / mine.least(), work / mine.median(),
                        work / theirs.least(), work / theirs.median()),
            theirs.least() / mine.least(), goal);
    verdict(fmt::format("{:7} {:8} {:8} {:6.2f} ({:.2f}) on two threads            ", target,
                        gridKind, q, work / pair.least(), work / pair.median()),
            mine.least() / pair.least(), 1.9);
  }

  bool allMet = true;

private:
  std::string kernel;
  int repeats;
  runtime::Mesh mesh;
  Soa soa;

  runtime::Plan plan(const std::string &target, bool points, bool complexQ,
                     const runtime::Grid &grid, int threads) const {
    runtime::CompileRequest request{target, points ? FACET_POINTS : FACET_PRODUCT,
                                    complexQ ? FACET_COMPLEX_Q : FACET_REAL_Q};
    const runtime::Compiled compiled = runtime::compileKernel(kernel, request);
    runtime::PlanOptions options;
    options.algorithm = FACET_DIRECT;
    options.klass = FACET_F32;
    options.target = target;
    options.threads = threads;
    return {runtime::Kernel::load(compiled.library), grid, mesh, options};
  }

  void verdict(const std::string &what, double ratio, double goal) {
    const bool met = ratio >= goal;
    allMet &= met;
    fmt::print("{}  x{:.2f}  goal {:.1f}  {}\n", what, ratio, goal, met ? "met" : "MISSED");
    std::fflush(stdout);
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_direct KERNEL.cpp [REPEATS]\n");
    return 2;
  }
  try {
    Bench bench(argv[1], argc > 2 ? std::atoi(argv[2]) : 7);
    fmt::print("least (median) of alternating runs; 6,600 triangles, 200 x 200 q, f32\n");
    constexpr auto rival = [](std::string_view target, std::string_view q) -> rivals::Sum {
      if (target == "avx2")
        return q == "real" ? rivals::real_avx2 : rivals::complex_avx2;
      return q == "real" ? rivals::real_native : rivals::complex_native;
    };
#define FACET_GOAL(target, grid, q, goal) bench.line(#target, #grid, #q, goal, rival(#target, #q));
#include "goals.def"
    return bench.allMet ? 0 : 1;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_direct: {}\n", error.what());
    return 2;
  }
}
