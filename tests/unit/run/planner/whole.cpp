// whole.cpp - a plan made with a part of a mesh is carried out, and measured, over all of it.
#include "../fixture.h"
#include "runtime/engine/plan/plan_run.h"

namespace facet::test {
namespace {

const Grid &grid() {
  static const Grid grid = productGrid("0.1", "-2:2:13", "0.05:2:17");
  return grid;
}
Mesh mesh() { return moved(makeMesh("torus", {{"around", {60}}, {"tube", {55}}}), {3, 4, 50}); }

PlanOptions inBlocks(const Mesh &all, PlanOptions options) {
  auto whole = std::make_shared<WholeMesh>();
  whole->blocks = blocksOf(std::make_shared<const Mesh>(all));
  whole->summary = summarise(*whole->blocks);
  whole->block = 1024;
  options.whole = whole;
  return options;
}

Plan planned(const std::string &which, const PlanOptions &options) {
  return {fixture(which), grid(), thinned(*options.whole->blocks, options.whole->block), options};
}

void carryOut(Plan &plan, const PlanOptions &options) {
  const Decision d = plan.run().decide(true);
  const auto slices =
      std::make_shared<RecordBlocks>(plan.run().kernel, d, options.whole->blocks, 0);
  ASSERT_EQ(slices->count(), 7);
  plan.run().evaluatorFor(d, slices, {.pool = poolFor(d, 2)})->run(grid(), {1}, plan.run().place());
  Executed done;
  done.seconds = 1;
  plan.run().setExecuted(done);
}

TEST(WholeMesh, IsSummedInBlocks) {
  for (const char *which : {"good", "fixed"}) { // centred, and left where it is
    const PlanOptions options = inBlocks(mesh(), in(FACET_F64));
    Plan plan = planned(which, options), all(fixture(which), grid(), mesh(), in(FACET_F64));
    EXPECT_LT(difference(plan.execute({1}), all.execute({1})), 1e-12) << which;
    carryOut(plan, options);
    EXPECT_LT(difference(plan.values(), all.values()), 1e-12) << which;
    EXPECT_EQ(plan.explain().tqp, all.explain().tqp);
    const Measured m = plan.measure();
    EXPECT_LT(m.error, 1e-12) << which;
    EXPECT_TRUE(m.met);
    EXPECT_GE(m.samples, 16);
  }
}

TEST(WholeMesh, HasTheFrameOfTheWhole) {
  const PlanOptions options = inBlocks(mesh(), in(FACET_F64));
  const Decision whole = planned("good", options).run().decide(true);
  const Decision all = Plan(fixture(), grid(), mesh(), in(FACET_F64)).run().decide(true);
  EXPECT_EQ(whole.frame.centre, all.frame.centre);
  EXPECT_EQ(whole.frame.centred, all.frame.centred);
  EXPECT_NEAR(whole.frame.radius, all.frame.radius, 1e-12);
}

TEST(WholeMesh, SumsThatAreWrongAreFound) {
  const PlanOptions options = inBlocks(mesh(), in(FACET_F64));
  Plan plan = planned("wrong", options);
  carryOut(plan, options);
  EXPECT_FALSE(plan.measure().met);
}

} // namespace
} // namespace facet::test
