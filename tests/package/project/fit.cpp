// fit.cpp - evaluates a compiled-in kernel 1,000 times with changing parameters: results right, and
// nothing planned, compiled or allocated for records and results after the first.
#include "soft.h"
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <facet/runtime/plan.h>
#include <new>

namespace {
long allocations = 0; // of 1 KiB and more: records, axes, sums, results; the grid below has 6 KiB
}
void *operator new(std::size_t size) {
  if (size >= 1024)
    ++allocations;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

using namespace facet::runtime;
using Complex = std::complex<double>;

namespace {

/// The formula of soft.cpp written once more, in plain double.
Complex expected(const Mesh &mesh, std::array<Complex, 3> q, double sigma, double density) {
  Complex sum;
  for (const auto &corners : mesh.triangles) {
    Vec3 u{};
    Vec3 v{};
    double phase = 0;
    for (int k = 0; k < 3; ++k) {
      u[k] = corners[1][k] - corners[0][k];
      v[k] = corners[2][k] - corners[0][k];
      phase += q[k].real() * (corners[0][k] + corners[1][k] + corners[2][k]) / 3;
    }
    const double area = std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                   u[0] * v[1] - u[1] * v[0]) /
                        2;
    sum += density * area * Complex(std::cos(phase), std::sin(phase));
  }
  const double q2 = std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]);
  return sum * std::exp(-q2 * sigma * sigma / 2);
}

int fail(const char *what) {
  std::fprintf(stderr, "fit: %s\n", what);
  return 1;
}

} // namespace

int main() {
  const Mesh mesh = makeMesh("box", {});
  Grid grid;
  grid.axes = {linspace(0.1, 0.3, 2), linspace(-1, 1, 9), linspace(-0.5, 1, 21)};
  PlanOptions options;
  options.klass = FACET_F64;
  options.threads = 2;
  Plan plan(Kernel(facet_kernel_soft()), grid, mesh, options);

  const Complex *place = nullptr;
  long before = 0;
  double worst = 0;
  std::vector<double> params(2);
  for (int step = 0; step < 1000; ++step) {
    params[0] = 0.1 + 1e-4 * step;
    params[1] = 1 + std::sin(0.1 * step) / 2;
    const auto &values = plan.execute(params);
    if (step == 0) {
      place = values.data();
      before = allocations;
    }
    if (values.data() != place)
      return fail("the values moved");
    const std::int64_t index = (step * 37) % grid.size();
    const Complex want = expected(mesh, grid.at(index), params[0], params[1]);
    const double scale = std::abs(expected(mesh, {}, 0, params[1]));
    worst = std::max(worst, std::abs(values[index] - want) / scale);
  }
  const long after = allocations - before;
  std::printf("largest error %.1e, %ld allocations after the first\n", worst, after);
  if (!(worst <= 1e-12))
    return fail("a result is wrong");
  const Measured measured = plan.measure(); // against the reference in the object
  if (!measured.met || !(measured.error <= 1e-12))
    return fail("the last result is not that of the reference");
  if (after != 0)
    return fail("buffers were allocated after the first evaluation");
  return 0;
}
