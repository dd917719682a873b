// small_q.cpp - the q whose error finish amplifies beyond the contract are summed again
// in f64, and only those.
#include "fixture.h"
#include "runtime/engine/transform/nufft/transforms.h"

namespace facet::test {
namespace {

// |q| from 0.002 to 2: 1/|q|^2 spans six decades.
Grid decades() { return productGrid("0.001", "-0.4:0.4:81", "0.001:0.4:80"); }

PlanOptions with(double accuracy, std::optional<facet_algorithm> algorithm = {}) {
  PlanOptions options;
  options.accuracy = accuracy;
  options.algorithm = algorithm;
  return options;
}

/// Direct sums, whatever takes less.
PlanOptions precisely() {
  PlanOptions options = in(FACET_F64);
  options.algorithm = FACET_DIRECT;
  return options;
}

TEST(SmallQ, TransformsAreRepairedThere) {
  Plan plan(fixture("waves"), decades(), torus(), with(1e-8, FACET_NUFFT));
  const auto f = plan.execute({1});
  EXPECT_TRUE(plan.measure().met);
  EXPECT_GT(plan.last().repaired, 0);
  EXPECT_LT(plan.last().repaired, decades().size() / 5);
  Plan precise(fixture("waves"), pointsOf(decades()), torus(), precisely());
  const auto expected = precise.execute({1});
  double most = 0, worst = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    most = std::max(most, std::abs(expected[i]));
    worst = std::max(worst, std::abs(f[i] - expected[i]));
  }
  EXPECT_LT(worst, 1e-8 * most); // at every q, not only at the sampled ones
}

// Waves of a closed surface are in phase near q = 0 and cancel to first order: errors of transforms
// do not cancel as errors at random would.
TEST(SmallQ, TransformsOfFineMeshesMeetTheContractAtOnce) {
  const Mesh box = refined(makeMesh("box", {{"size", {32, 20, 16}}}), 40);
  for (const char *z : {"0.0006:0.087:100", "0.002:0.06:90"}) {
    const Grid near = productGrid("0", "-0.087:0.087:110", z);
    Plan plan(fixture("waves"), near, box, with(1e-4, FACET_NUFFT));
    const auto f = plan.execute({1});
    EXPECT_LT(plan.last().repaired, near.size() / 5);
    Plan precise(fixture("waves"), pointsOf(near), box, precisely());
    EXPECT_LT(difference(f, precise.execute({1})), 1e-4) << name(plan.choice());
  }
}

TEST(SmallQ, SinglePrecisionIsRepairedThere) {
  Plan plan(fixture("waves"), decades(), torus(), with(1e-5, FACET_DIRECT));
  ASSERT_NE(plan.choice().klass, FACET_F64);
  plan.execute({1});
  EXPECT_TRUE(plan.measure().met);
  EXPECT_GT(plan.last().repaired, 0);
}

TEST(SmallQ, NothingIsRepairedFarFromZero) {
  Plan plan(fixture("waves"), productGrid("0.5", "-2:2:40", "0.5:2:41"), torus(),
            with(1e-4, FACET_DIRECT));
  plan.execute({1});
  EXPECT_EQ(plan.last().repaired, 0);
}

TEST(SmallQ, AForcedClassIsNotRepaired) {
  PlanOptions options = with(1e-8, FACET_DIRECT);
  options.klass = FACET_F32;
  Plan plan(fixture("waves"), decades(), torus(), options);
  plan.execute({1});
  EXPECT_EQ(plan.last().repaired, 0);
  EXPECT_FALSE(plan.measure().met);
}

TEST(SmallQ, RepairFollowsTheMesh) {
  Plan plan(fixture("waves"), decades(), torus(), with(1e-5, FACET_DIRECT));
  plan.execute({1});
  plan.setMesh(makeMesh("box", {{"size", {20, 30, 10}}, {"n", {4}}}));
  plan.execute({2});
  EXPECT_TRUE(plan.measure().met);
}

// Limits of repair follow from F as it is summed, or are decided ahead of it.
TEST(SmallQ, RepairFollowsRotationAndParameters) {
  for (const bool ahead : {false, true}) {
    Plan plan(fixture("waves"), decades(), torus(), with(1e-5, FACET_DIRECT));
    plan.execute({1});
    for (const double turn : {20, 40}) {
      plan.setRotation(eulerZyz({turn, 30, 0}));
      const std::string decided = ahead ? plan.decision() : "";
      const double kappa = ahead ? 1 : 1 + turn; // which undoes what was decided
      const auto f = plan.execute({kappa});
      EXPECT_GT(plan.last().repaired, 0);
      EXPECT_LT(plan.last().repaired, decades().size() / 5);
      EXPECT_TRUE(plan.measure().met) << turn;
      const std::string carriedOut = plan.decision();
      EXPECT_TRUE(!ahead || carriedOut == decided);
      EXPECT_EQ(plan.execute({kappa}), f);
      EXPECT_EQ(plan.decision(), carriedOut);
    }
  }
}

} // namespace
} // namespace facet::test
