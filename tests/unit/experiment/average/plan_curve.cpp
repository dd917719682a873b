// plan_curve.cpp - the curve of meshes by plans of the generated kernel `exact`, a plan a band.
#include "bodies.h"
#include <facet/runtime/mesh_stream.h>
#include <facet/runtime/plan.h>
#include <gtest/gtest.h>

using namespace facet::runtime;
using namespace facet::test;

namespace {

AmplitudeFunction planned(const Mesh &mesh, double accuracy) {
  return [&mesh, accuracy, kernel = Kernel::load(FACET_EXACT_LIBRARY)](const Grid &points) {
    PlanOptions options;
    options.accuracy = accuracy;
    options.algorithm = FACET_DIRECT;
    Plan plan(kernel, points, mesh, options);
    Amplitudes a{plan.execute(), 0};
    double largest = 0;
    for (const auto &f : a.f)
      largest = std::max(largest, std::abs(f));
    a.error = plan.measure().error * largest;
    return a;
  };
}

Options optionsOf(const Mesh &mesh) {
  Options options;
  options.radius = summarise(*blocksOf(std::make_shared<const Mesh>(mesh))).farthest;
  options.volume = inspect(mesh).volume;
  return options;
}

} // namespace

TEST(PlanCurve, OfABoxIsItsClosedForm) {
  const Mesh mesh = makeMesh("box", {{"size", {20, 30, 10}}});
  std::vector<double> q;
  for (const Known &known : boxAverages)
    q.push_back(known.q);
  const Curve curve = averagedCurve(q, planned(mesh, 1e-10), optionsOf(mesh));
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double exact = boxAverages[i].p * boxVolume;
    EXPECT_NEAR(curve.intensity[i] / exact, 1, 1e-9) << q[i];
    EXPECT_LE(std::abs(curve.intensity[i] - exact), curve.deviation[i] + 3e-12 * exact) << q[i];
  }
}

// A mesh of flat triangles is a little smaller than its ball, by its volume: as balls of this
// radius, it differs in shape alone.
TEST(PlanCurve, OfABallIsItsClosedForm) {
  const Mesh mesh = makeMesh("sphere", {{"radius", {10}}, {"n", {10}}});
  const Options options = optionsOf(mesh);
  const double radius = std::cbrt(options.volume / (4 * std::numbers::pi / 3));
  const std::vector<double> q{0.05, 0.1, 0.2, 0.3, 0.6, 0.9};
  const Curve curve = averagedCurve(q, planned(mesh, 1e-8), options);
  for (std::size_t i = 0; i < q.size(); ++i)
    EXPECT_NEAR(curve.intensity[i] / (options.volume * ballP(q[i] * radius)), 1, 5e-3) << q[i];
}
