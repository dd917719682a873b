// gradient.cpp - value and gradient by all corners of a mesh: time beside the value's, errors;
// direct sums per operation.
//
//   facet_bench_gradient KERNEL.cpp [REPEATS]
// L = sum abs(F)^2 over 500 x 500 q, 91,600 triangles, accuracy 1e-6, all threads there are. A
// repeat is a new mesh, as in an optimization: F, its cotangent and dL by each corner of each
// triangle.
#include "bench.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/tune/roofline/roofline.h"
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

/// FLOPs of a kernel's inner loop on a list of points, direct in f64 with real q, as the manifest
/// of its library counts them.
int flopsOf(const std::string &kernel, const std::string &derive) {
  runtime::CompileRequest request;
  request.target = runtime::bestTarget();
  request.grid = FACET_POINTS;
  request.algorithms = "direct";
  request.derive = derive;
  const runtime::Kernel made =
      runtime::Kernel::load(runtime::compileKernel(kernel, request).library);
  const facet_variant *variant = runtime::findVariant(made, request.target, FACET_F64, FACET_POINTS,
                                                      FACET_REAL_Q, FACET_DIRECT);
  return runtime::operationsOf(*made, *variant).innerFlops;
}

/// Direct sums on lists in f64 on one thread: FLOPs a second of F at each q, and of the derivatives
/// of each triangle.
bool direct(const std::string &kernel, int repeats) {
  const int ofValue = flopsOf(kernel, ""), ofAdjoint = flopsOf(kernel, "adjoint-real");
  runtime::Mesh first = bench::largeTorus();
  first.triangles.resize(4096);
  const runtime::Mesh second = grown(first, 1.001);
  const runtime::Grid grid = runtime::pointsOf(planeOf(64));
  runtime::PlanOptions options = bench::oneThread(FACET_DIRECT, Contract);
  options.klass = FACET_F64;
  runtime::Plan plan(bench::kernelFor(kernel, runtime::bestTarget(), grid), grid, first, options);
  runtime::GradientOptions wanted;
  wanted.algorithm = FACET_DIRECT;
  wanted.threads = 1;
  runtime::Gradient gradient(kernel, grid, first, wanted);
  const std::vector<std::complex<double>> g = plan.execute();
  int turn = 0;
  const auto value = [&] {
    plan.setMesh(turn++ % 2 == 0 ? second : first); // else the sums are kept
    plan.execute();
  };
  const auto adjoint = [&] { gradient.columns(g); };
  const auto [there, here] = bench::inTurns(3 * repeats, value, adjoint);
  const double terms = static_cast<double>(first.size()) * static_cast<double>(grid.size());
  fmt::print("direct f64, one thread, GFLOP/s: value {} of {} FLOPs a term, all derivatives by "
             "columns {} of {}\n",
             there.rates(1e-9 * ofValue * terms), ofValue, here.rates(1e-9 * ofAdjoint * terms),
             ofAdjoint);
  return bench::verdict("  derivatives / value, a FLOP",
                        ofAdjoint * there.least() / (ofValue * here.least()), 0.8, "{:.2f}");
}

} // namespace

int main(int argc, char **argv) {
  return facet::bench::program(argc, argv, 1, "KERNEL.cpp [REPEATS]", [&] {
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
    const bool met = direct(argv[1], repeats);
    return transforms(argv[1], repeats) && met;
  });
}
