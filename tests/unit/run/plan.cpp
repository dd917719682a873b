// plan.cpp - a plan is executed many times, with other parameters and meshes, by any number of
// threads.
#include "fixture.h"

namespace facet::test {
namespace {

const Grid &grid() {
  static const Grid grid = productGrid("0.1", "-2:2:13", "0.05:2:17");
  return grid;
}

TEST(Plan, AgreesWithTheReference) {
  Plan plan(fixture(), grid(), torus(), in(FACET_F64));
  plan.execute({1});
  const Measured m = plan.measure();
  EXPECT_LT(m.error, 1e-13);
  EXPECT_TRUE(m.met);
  EXPECT_GE(m.samples, 16);
}

TEST(Plan, TakesOtherParametersWithoutPlanningAgain) {
  Plan plan(fixture(), grid(), torus(), in(FACET_F64));
  const auto one = plan.execute({1});
  const auto *place = plan.values().data();
  const auto three = plan.execute({3});
  EXPECT_EQ(plan.values().data(), place);
  auto expected = one;
  for (auto &f : expected)
    f *= 3;
  EXPECT_LT(difference(three, expected), 1e-14);
  EXPECT_EQ(plan.execute({1}), one);
}

TEST(Plan, MeasuresNothingThatItHasNotComputed) {
  Plan plan(fixture(), grid(), torus(), in(FACET_F64));
  const auto measure = [&] { plan.measure(); };
  EXPECT_HAS(refusal(measure), "kernel fixture: there is no F of this mesh that could be measured");
  plan.execute({1});
  EXPECT_TRUE(plan.measure().met);
  plan.setRotation({0, 1, 0, -1, 0, 0, 0, 0, 1});
  EXPECT_HAS(refusal(measure), "there is no F of this mesh");
  plan.execute({1});
  EXPECT_TRUE(plan.measure().met);
  plan.setMesh(makeMesh("box", {{"size", {20, 30, 10}}}));
  EXPECT_HAS(refusal(measure), "there is no F of this mesh");
}

TEST(Plan, RefusesTheWrongNumberOfParameters) {
  Plan plan(fixture(), grid(), torus(), in(FACET_F64));
  EXPECT_HAS(refusal([&] { plan.execute({}); }), "has 1 parameters, 0 given");
}

TEST(Plan, GivesTheSameBitsOnOneThreadAndOnFive) {
  for (const facet_class klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64}) {
    Plan one(fixture(), grid(), torus(), in(klass, 1));
    Plan five(fixture(), grid(), torus(), in(klass, 5));
    EXPECT_EQ(one.execute({1}), five.execute({1}));
  }
}

TEST(Plan, GivesTheSameBitsEachTime) {
  Plan plan(fixture(), grid(), torus(), in(FACET_F32));
  const auto first = plan.execute({1});
  EXPECT_EQ(plan.execute({1}), first);
}

// Few q and many records: the records are cut in chunks that are summed by themselves.
TEST(Plan, SumsManyRecordsAtOneQ) {
  const Mesh mesh = makeMesh("torus", {{"around", {60}}, {"tube", {55}}});
  Plan one(fixture(), productGrid("0.1", "0.2", "0.3"), mesh, in(FACET_F64, 1));
  Plan three(fixture(), productGrid("0.1", "0.2", "0.3"), mesh, in(FACET_F64, 3));
  EXPECT_EQ(one.execute({1}), three.execute({1}));
  EXPECT_LT(one.measure().error, 1e-12);
}

TEST(Plan, TakesAnotherMeshWithoutPlanningAgain) {
  const Mesh box = makeMesh("box", {{"size", {20, 30, 10}}, {"n", {3}}});
  Plan plan(fixture(), grid(), torus(), in(FACET_F64));
  plan.execute({1});
  plan.setMesh(box);
  const auto changed = plan.execute({1});
  Plan fresh(fixture(), grid(), box, in(FACET_F64));
  EXPECT_EQ(changed, fresh.execute({1}));
}

TEST(Plan, RefusesAnEmptyMesh) {
  EXPECT_HAS(refusal([] { Plan plan(fixture(), grid(), Mesh{}, {}); }), "the mesh is empty");
}

TEST(Plan, SaysWhenASumFails) {
  Plan plan(fixture("failing"), grid(), torus(), in(FACET_F64));
  EXPECT_HAS(refusal([&] { plan.execute({1}); }), "failed with code 7");
}

TEST(Plan, ReportsProgressUpToTheEnd) {
  Plan plan(fixture(), productGrid("0.1", "-2:2:60", "0:2:60"),
            makeMesh("torus", {{"around", {60}}, {"tube", {55}}}), in(FACET_F64));
  double last = 0, all = 0;
  plan.setProgress([&](double done, double total) {
    EXPECT_GE(done, last);
    last = done;
    all = total;
  });
  plan.execute({1});
  if (last > 0) { // a run of less than 0.1 s reports nothing
    EXPECT_EQ(all, plan.explain().tqp);
  }
}

TEST(Plan, PicksTheClassByAccuracy) {
  PlanOptions options;
  options.accuracy = 1e-4;
  EXPECT_EQ(Plan(fixture(), grid(), torus(), options).choice().klass, FACET_F32);
  options.accuracy = 1e-12;
  EXPECT_EQ(Plan(fixture(), grid(), torus(), options).choice().klass, FACET_F64);
}

TEST(Plan, PicksTheCarefulPhaseForLargeMeshes) {
  const Mesh large = makeMesh("box", {{"size", {1000}}, {"n", {3}}});
  EXPECT_EQ(Plan(fixture(), grid(), large, {}).choice().klass, FACET_F32_CAREFUL);
}

} // namespace
} // namespace facet::test
