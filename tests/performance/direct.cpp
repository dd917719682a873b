// direct.cpp - direct sums beside their rivals: time, ratio, goal, verdict.
//
//   facet_bench_direct KERNEL.cpp [REPEATS]
// Runs of facet and of the rival alternate, so that a busy machine slows both; the least time of
// each counts.
#include "rivals/direct.h"
#include "bench.h"
#include "problems.h"
#include <cstdlib>

namespace {

using namespace facet;
using bench::Times;

constexpr int Side = 200;

/// The mesh as the rival wants it.
struct Soa {
  std::array<std::vector<float>, 6> columns;
  rivals::Mesh mesh{};
  explicit Soa(const bench::Flat &flat) {
    for (std::size_t k = 0; k < 3; ++k) {
      columns[k].assign(flat.w[k].begin(), flat.w[k].end());
      columns[k + 3].assign(flat.c[k].begin(), flat.c[k].end());
    }
    mesh = {static_cast<int>(flat.size()),
            columns[0].data(),
            columns[1].data(),
            columns[2].data(),
            columns[3].data(),
            columns[4].data(),
            columns[5].data()};
  }
};

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
      : kernel(std::move(kernel)), repeats(repeats), mesh(bench::smallTorus()),
        soa(bench::Flat(mesh, runtime::centre(mesh))) {}

  void line(const std::string &target, const std::string &gridKind, const std::string &q,
            double goal, rivals::Sum rival) {
    const std::string what = fmt::format("{:7} {:8} {:8}", target, gridKind, q);
    if (!bench::runs(target, what))
      return;
    const runtime::Grid product = bench::standardGrid(Side, Side, q == "complex");
    const runtime::Grid grid = gridKind == "points" ? bench::listed(product) : product;
    List list(grid);
    const auto plan = [&](int threads) {
      return bench::planFor(kernel, target, grid, mesh, FACET_DIRECT, FACET_F32, threads);
    };
    runtime::Plan one = plan(1), two = plan(2);
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
    allMet &= bench::verdict(
        fmt::format("{} {:6.2f} ({:.2f}) facet, error {:.1e}; {:6.2f} ({:.2f}) rival; 1e9 TQP/s",
                    what, work / mine.least(), work / mine.median(), one.measure().error,
                    work / theirs.least(), work / theirs.median()),
        theirs.least() / mine.least(), goal, "x{:.2f}");
    allMet &= bench::twoThreads(fmt::format("{} {:6.2f} ({:.2f}) on two threads            ", what,
                                            work / pair.least(), work / pair.median()),
                                mine, pair);
  }

  bool allMet = true;

private:
  std::string kernel;
  int repeats;
  runtime::Mesh mesh;
  Soa soa;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_direct KERNEL.cpp [REPEATS]\n");
    return 2;
  }
  try {
    bench::sayTuned();
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
