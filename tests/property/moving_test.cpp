// moving_test.cpp - another mesh, another rotation: rules of nodes, strengths and repair follow.
#include <facet/runtime/experiment.h>
#include <facet/runtime/plan.h>
#include <gtest/gtest.h>

namespace facet::test {
namespace {
using namespace facet::runtime;

void follow(facet_algorithm algorithm, bool complexQ) {
  Grid grid;
  grid.axes = {linspace(0.1, 0.1, 1), linspace(-2, 2, 40), linspace(0.01, 2, 48)};
  if (complexQ)
    grid.axes[2].im = linspace(0, 0.02, 48).re;
  PlanOptions options;
  options.algorithm = algorithm;
  options.accuracy = 1e-7;
  Plan plan(Kernel::load(FACET_TEST_KERNELS "/exact.so"), grid,
            makeMesh("torus", {{"around", {30}}, {"tube", {20}}}), options);
  const auto met = [&] {
    plan.execute();
    return plan.measure().met;
  };
  EXPECT_TRUE(met());
  plan.setMesh(makeMesh("box", {{"size", {40, 10, 20}}, {"n", {3}}}));
  EXPECT_TRUE(met()) << "fewer, longer triangles";
  plan.setRotation(eulerZyz({30, 80, 10}));
  EXPECT_TRUE(met()) << "turned";
  plan.setMesh(makeMesh("torus", {{"around", {60}}, {"tube", {40}}}));
  EXPECT_TRUE(met()) << "more triangles";
}

TEST(Moving, DirectSumsOfMeansFollow) { follow(FACET_DIRECT, true); }
TEST(Moving, SeparableSumsOverNodesFollow) {
  follow(FACET_SEPARABLE, false);
  follow(FACET_SEPARABLE, true);
}
TEST(Moving, TransformsOverNodesFollow) {
  follow(FACET_NUFFT, false);
  follow(FACET_NUFFT, true);
}

} // namespace
} // namespace facet::test
