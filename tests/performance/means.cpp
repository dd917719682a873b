// means.cpp - exact means over triangles: quadrature and transforms beside the direct sum in f64.
//
//   facet_bench_means EXACT.cpp [REPEATS]
// 91,600 triangles (median edge about 1.5 nm, longest 3 nm), 500 x 500 q, 1e-6 of max|F|, one
// thread. The direct sum would take minutes: it is timed on every 50th row of the grid, which is a
// fiftieth of its work.
#include "bench.h"
#include "problems.h"

namespace {

using namespace facet;
using namespace facet::runtime;

constexpr std::int64_t side = 500, part = 50;
constexpr double goal = 50;

Grid gridOf(bool some) {
  Grid grid = bench::standardGrid(side, side);
  if (!some)
    return grid;
  Axis rows;
  for (std::int64_t i = 0; i < side; i += part)
    rows.re.push_back(grid.axes[1].re[static_cast<std::size_t>(i)]);
  grid.axes[1] = rows;
  return grid;
}

Plan planOf(const Kernel &kernel, const Mesh &mesh, bool direct) {
  PlanOptions options;
  options.algorithm = direct ? FACET_DIRECT : FACET_NUFFT;
  if (direct)
    options.klass = FACET_F64;
  options.accuracy = 1e-6;
  options.threads = 1;
  return {kernel, gridOf(direct), mesh, options};
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_means EXACT.cpp [REPEATS]\n");
    return 2;
  }
  try {
    const Kernel kernel =
        Kernel::load(compileKernel(argv[1], {bestTarget(), FACET_PRODUCT, FACET_REAL_Q}).library);
    const Mesh mesh =
        makeMesh("torus", {{"major", {55}}, {"minor", {40}}, {"around", {229}}, {"tube", {200}}});
    const MeshReport shape = inspect(mesh);
    Plan fast = planOf(kernel, mesh, false), direct = planOf(kernel, mesh, true);
    bench::Times mine, theirs;
    fast.execute();
    const Measured measured = fast.measure();
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
    for (int i = 0; i < repeats; ++i) {
      mine.run([&] { fast.execute(); });
      theirs.run([&] { direct.execute(); });
    }
    fmt::print("{} triangles, median edge {:.2f} nm, longest {:.2f} nm; 500 x 500 q, one thread\n",
               mesh.size(), shape.medianEdge, shape.longestEdge);
    fmt::print("nufft {:.0f} ({:.0f}) ms, error {:.1e}, met: {}; {}\n", 1e3 * mine.least(),
               1e3 * mine.median(), measured.error, measured.met ? "yes" : "no",
               fast.explain().reason);
    const double whole = theirs.least() * static_cast<double>(part);
    fmt::print("direct f64 {:.0f} ms for a fiftieth of the grid, {:.0f} s for all\n",
               1e3 * theirs.least(), whole);
    return bench::verdict("times direct f64", whole / mine.least(), goal, "{:.0f}") && measured.met
               ? 0
               : 1;
  } catch (const Error &error) {
    fmt::print(stderr, "facet_bench_means: {}\n", error.what());
    return 2;
  }
}
