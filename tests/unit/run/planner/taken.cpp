// taken.cpp - the choice of least elapsed time; small problems, which are planned without a
// measurement; units in hand that are left if nobody waits for them.
#include "../fixture.h"
#include "runtime/engine/plan/choices.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/transform/nufft/transforms.h"

namespace facet::test {
namespace {

Grid rectangle() { return productGrid("0.1", "-2:2:40", "0.05:2:41"); }

// Transforms that threads cannot share may take longer than sums that cost more processor time.
TEST(Taken, IsTheChoiceOfLeastElapsedTime) {
  std::vector<PlannedChoice> all(3);
  all[0].seconds = 2;
  all[1].seconds = 1;
  all[2].seconds = 0.5;
  all[2].error = 1;
  EXPECT_EQ(best(all, 1e-5), 1);
}

class Leave : public testing::TestWithParam<facet_algorithm> {};

TEST_P(Leave, AUnit) {
  PlanOptions options;
  options.algorithm = GetParam();
  Plan plan(fixture("waves"), rectangle(), torus(), options);
  const Decision d = plan.run().decide(true);
  const auto mesh = std::make_shared<const Mesh>(torus());
  const auto slices = std::make_shared<RecordBlocks>(plan.run().kernel, d, blocksOf(mesh), 1e9);
  std::vector<std::complex<double>> f(static_cast<std::size_t>(rectangle().size()));
  std::atomic<bool> leave{true};
  const auto evaluator =
      plan.run().evaluatorFor(d, slices, {.pool = poolFor(d, 1), .leave = &leave});
  EXPECT_THROW(evaluator->run(rectangle(), {1}, f.data()), AbandonedWork);
  leave = false;
  evaluator->run(rectangle(), {1}, f.data());
  EXPECT_NE(f.front(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Of, Leave, testing::Values(FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT),
                         [](const auto &test) { return algorithmName(test.param); });

PlanOptions byUnits() {
  PlanOptions options;
  options.units = true;
  return options;
}

TEST(Small, ProblemsAreSummedDirectly) {
  const Plan plan(fixture("waves"), productGrid("0.1", "0:1:5", "0:1:5"), torus(), byUnits());
  EXPECT_EQ(plan.choice().algorithm, FACET_DIRECT);
  EXPECT_EQ(plan.choice().klass, FACET_F64);
  EXPECT_HAS(plan.explain().reason, "small");
  for (const Choice &c : plan.explain().choices)
    EXPECT_EQ(c.refusal.empty(), name(c) == name(plan.choice())) << name(c);
}

TEST(Small, OthersAreLookedAtAfterAMiss) {
  Plan plan(fixture("waves"), productGrid("0.1", "0:1:5", "0:1:5"), torus(), byUnits());
  plan.useNextChoice();
  int offered = 0;
  for (const Choice &c : plan.explain().choices)
    offered += c.refusal.empty() ? 1 : 0;
  EXPECT_GT(offered, 1);
}

} // namespace
} // namespace facet::test
