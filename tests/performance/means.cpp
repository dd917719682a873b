// means.cpp - exact means over triangles: quadrature and transforms beside the direct sum in f64.
//
//   facet_bench_means EXACT.cpp [REPEATS]
// 91,600 triangles (median edge about 1.5 nm, longest 3 nm), 500 x 500 q, 1e-6 of max|F|, one
// thread. The direct sum would take minutes: it is timed on every 50th row of the grid, which is a
// fiftieth of its work.
#include "bench.h"

namespace {

using namespace facet;

constexpr std::size_t side = 500, part = 50;
constexpr double goal = 50;

bool run(const std::string &file, int repeats) {
  const runtime::Grid grid = bench::standardGrid(side, side);
  runtime::Grid some = grid;
  some.axes[1].re.clear();
  for (std::size_t i = 0; i < side; i += part)
    some.axes[1].re.push_back(grid.axes[1].re[i]);
  const runtime::Kernel kernel = bench::kernelFor(file, runtime::bestTarget(), grid);
  const runtime::Mesh mesh = runtime::makeMesh(
      "torus", {{"major", {55}}, {"minor", {40}}, {"around", {229}}, {"tube", {200}}});
  runtime::Plan fast(kernel, grid, mesh, bench::oneThread(FACET_NUFFT, 1e-6));
  runtime::Plan direct(kernel, some, mesh, bench::oneThread(FACET_DIRECT, 1e-6, FACET_F64));
  fast.execute();
  const runtime::Measured measured = fast.measure();
  const auto [mine, theirs] =
      bench::inTurns(repeats, [&] { fast.execute(); }, [&] { direct.execute(); });
  const runtime::MeshReport shape = runtime::inspect(mesh);
  fmt::print("{} triangles, median edge {:.2f} nm, longest {:.2f} nm; 500 x 500 q, one thread\n",
             mesh.size(), shape.medianEdge, shape.longestEdge);
  fmt::print("nufft {}, error {:.1e}, met: {}; {}\n", mine.ms(), measured.error,
             measured.met ? "yes" : "no", fast.explain().reason);
  const double whole = theirs.least() * static_cast<double>(part);
  fmt::print("direct f64 {:.0f} ms for a fiftieth of the grid, {:.0f} s for all\n",
             1e3 * theirs.least(), whole);
  return bench::verdict("times direct f64", whole / mine.least(), goal, "{:.0f}") && measured.met;
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "EXACT.cpp [REPEATS]",
                        [&] { return run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3); });
}
