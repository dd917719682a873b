// gradient.cpp - value and gradient by all corners of a mesh: time beside the value's, errors; direct sums per operation.
//
//   facet_bench_gradient KERNEL.cpp [REPEATS]
// L = sum abs(F)^2 over 500 x 500 q, 91,600 triangles, accuracy 1e-6, all threads there are. A repeat is a
// new mesh, as in an optimization: F, its cotangent and dL by each corner of each triangle.
#include "bench.h"
#include <facet/runtime/gradient.h>

namespace {

using namespace facet;
constexpr double Contract = 1e-6;

runtime::Grid planeOf(std::int64_t n) {
  runtime::Grid grid;
  grid.axes = {runtime::linspace(0.1, 0.1, 1), runtime::linspace(-2, 2, n),
               runtime::linspace(0, 2, n)};
  return grid;
}

/// The mesh a little larger.
runtime::Mesh grown(runtime::Mesh mesh, double by) {
  for (auto &t : mesh.triangles)
    for (runtime::Vec3 &v : t)
      for (double &x : v)
        x *= by;
  return mesh;
}

bool transforms(const std::string &kernel, int repeats) {
  const runtime::Grid grid = planeOf(500);
  const runtime::Mesh first = bench::largeTorus(), second = grown(first, 1.001);
  runtime::PlanOptions options;
  options.algorithm = FACET_NUFFT;
  options.accuracy = Contract;
  runtime::Plan plan(bench::kernelFor(kernel, runtime::bestTarget(), grid), grid, first, options);
  runtime::GradientOptions wanted;
  wanted.algorithm = FACET_NUFFT;
  wanted.accuracy = Contract;
  runtime::Gradient gradient(kernel, grid, first, wanted);
  gradient.corners(plan.execute());
  int turn = 0;
  const auto mesh = [&]() -> const runtime::Mesh & { return turn++ % 2 == 0 ? second : first; };
  const auto value = [&] {
    plan.setMesh(mesh());
    plan.execute();
  };
  const auto both = [&] {
    const runtime::Mesh &m = mesh();
    plan.setMesh(m);
    gradient.setMesh(m);
    gradient.corners(plan.execute());
  };
  const auto [alone, together] = bench::inTurns(repeats, value, both);
  fmt::print("value {}: {}\nvalue and gradient {}, error {:.1e} of the largest, tolerance {:.0e}\n",
             alone.ms(), plan.explain().reason, together.ms(), gradient.last().error,
             gradient.last().tolerance);
  return bench::verdict("  value / value and gradient", alone.least() / together.least(), 1.0 / 3,
                        "{:.2f}");
}

} // namespace

int main(int argc, char **argv) {
  return facet::bench::program(argc, argv, 1, "KERNEL.cpp [REPEATS]", [&] {
    return transforms(argv[1], argc > 2 ? std::atoi(argv[2]) : 5);
  });
}
