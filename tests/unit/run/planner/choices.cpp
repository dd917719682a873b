// choices.cpp - the planner lists every way to run and takes the fastest that is accurate enough.
// It obeys or refuses what is forced, and goes on to a better choice after a miss.
#include "fixture.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/transform/nufft/transforms.h"

namespace facet::test {
namespace {

Grid square(int n = 40) { return productGrid("0.1", "-2:2:" + std::to_string(n), "0.05:2:41"); }

PlanOptions forced(facet_algorithm algorithm, double accuracy = 1e-5) {
  PlanOptions options;
  options.algorithm = algorithm;
  options.accuracy = accuracy;
  options.threads = 2;
  return options;
}

std::string refused(const PlanOptions &options, const std::string &which,
                    const Grid &g = square()) {
  return refusal([&] { Plan(fixture(which), g, torus(), options); });
}

class EveryAlgorithm : public testing::TestWithParam<facet_algorithm> {};

TEST_P(EveryAlgorithm, GivesWhatDirectSumsGive) {
  Plan direct(fixture("waves"), square(), torus(), forced(FACET_DIRECT, 1e-9));
  Plan plan(fixture("waves"), square(), torus(), forced(GetParam(), 1e-9));
  EXPECT_EQ(plan.choice().algorithm, GetParam());
  EXPECT_LT(difference(plan.execute({1}), direct.execute({1})), 1e-9);
  EXPECT_TRUE(plan.measure().met);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryAlgorithm, testing::Values(FACET_SEPARABLE, FACET_NUFFT),
                         [](const auto &test) { return algorithmName(test.param); });

TEST(Choices, TransformsTakeComplexQAndPoints) {
  const Grid complex = productGrid("0.1", "-2:2:20", "0.05:2:21+0.01i");
  for (const Grid &g : {complex, pointsOf(complex), pointsOf(square())}) {
    Plan plan(fixture("waves"), g, torus(), forced(FACET_NUFFT, 1e-8));
    plan.execute({1});
    EXPECT_TRUE(plan.measure().met);
    EXPECT_GT(plan.measure().error, 0);
  }
}

TEST(Choices, TransformsFollowParametersMeshAndRotation) {
  const Mesh box = makeMesh("box", {{"size", {20, 30, 10}}, {"n", {6}}});
  Plan plan(fixture("waves"), square(), torus(), forced(FACET_NUFFT));
  plan.execute({1});
  plan.setMesh(box);
  plan.setRotation(eulerZyz({30, 40, 50}));
  plan.execute({3});
  const Measured m = plan.measure();
  EXPECT_TRUE(m.met) << m.error;
}

TEST(Choices, AreListedWithExpectations) {
  const Plan plan(fixture("waves"), square(), torus(), {});
  EXPECT_GE(plan.explain().choices.size(), 7U); // direct x 2 grids x 3 classes, separable
  for (const Choice &c : plan.explain().choices)
    if (c.refusal.empty()) {
      EXPECT_GT(c.seconds, 0) << name(c);
      EXPECT_GT(c.bytes, 0) << name(c);
      EXPECT_GT(c.error, 0) << name(c);
      if (c.error <= 1e-5) {
        EXPECT_LE(plan.choice().seconds, c.seconds) << name(c);
      }
    }
}

TEST(Choices, TheReasonNamesTheOthers) {
  const Plan plan(fixture("waves"), square(), torus(), {});
  EXPECT_HAS(plan.explain().reason, "s expected; ");
  EXPECT_HAS(plan.explain().reason,
             plan.choice().algorithm == FACET_SEPARABLE ? "direct" : "separable");
}

TEST(Choices, AnAccuracyOutOfReachIsRefused) {
  EXPECT_HAS(refused(forced(FACET_DIRECT, 1e-13), "waves"), "accuracy 1e-13: is out of reach: the "
                                                            "best facet computes");
  EXPECT_HAS(refused(forced(FACET_DIRECT, 0.1), "waves"), "accuracy 0.1: is more than 1e-02");
  EXPECT_EQ(refused(forced(FACET_DIRECT, 1e-12), "waves"), "");
  EXPECT_EQ(refused(forced(FACET_DIRECT, 1e-2), "waves"), "");
}

TEST(Choices, AForcedAlgorithmSaysWhatForbidsIt) {
  EXPECT_HAS(refused(forced(FACET_SEPARABLE), "forbids"), "separable: fixture.cpp:7:3: exp(q.x");
  EXPECT_HAS(refused(forced(FACET_NUFFT), "forbids"), "nufft: fixture.cpp:8:3: the phase is not");
  EXPECT_EQ(refused({}, "forbids"), "");
}

TEST(Choices, AForcedAlgorithmThatTheLibraryLacksIsRefused) {
  EXPECT_HAS(refused(forced(FACET_SEPARABLE), "good"), "no separable variant for this grid");
  EXPECT_HAS(refused(forced(FACET_NUFFT), "good"), "the kernel library has no transforms");
}

TEST(Choices, AListHasNoSeparableForm) {
  EXPECT_HAS(refused(forced(FACET_SEPARABLE), "waves", pointsOf(square())),
             "a list of points has no axes to separate");
}

TEST(Choices, TransformsInSinglePrecisionAreRefused) {
  PlanOptions options = forced(FACET_NUFFT);
  options.klass = FACET_F32;
  EXPECT_HAS(refused(options, "waves"), "transforms are in f64, or in f32 where");
}

TEST(Choices, MoreMemoryThanAllowedIsRefused) {
  PlanOptions options = forced(FACET_DIRECT);
  options.memory = 3e4;
  EXPECT_HAS(refused(options, "waves"), "of memory, 30 kB allowed");
  options.memory = 0;
  EXPECT_EQ(refused(options, "waves"), "");
}

TEST(Choices, TransformsOfMoreMemoryThanAllowedAreRefused) {
  PlanOptions options = forced(FACET_NUFFT);
  options.memory = 3e4;
  EXPECT_HAS(refused(options, "waves"), "memory");
  options.memory = 0;
  EXPECT_EQ(refused(options, "waves"), "");
}

// The next choice after a miss is expected to be more accurate, until there is none.
TEST(Choices, AfterAMissABetterOneIsTaken) {
  PlanOptions options;
  options.accuracy = 1e-3;
  Plan plan(fixture("waves"), square(), torus(), options);
  double before = plan.choice().error;
  int steps = 0;
  for (; plan.useNextChoice(); ++steps) {
    EXPECT_LT(plan.choice().error, before);
    before = plan.choice().error;
  }
  EXPECT_GT(steps, 0);
  EXPECT_LT(before, 1e-12);
}

TEST(Choices, AForcedAlgorithmIsKeptAfterAMiss) {
  Plan plan(fixture("waves"), square(), torus(), forced(FACET_DIRECT));
  while (plan.useNextChoice())
    EXPECT_EQ(plan.choice().algorithm, FACET_DIRECT);
  EXPECT_EQ(plan.choice().klass, FACET_F64);
}

TEST(Choices, ATileThatIsWiderThanTheGridTakesAsLongAsItWasMeasured) {
  const Kernel kernel = fixture("waves");
  const Grid grid = square(21);
  Records records(*kernel);
  records.setMesh(torus());
  Pool pool(1);
  const std::vector<double> params{1};
  const std::vector<std::int64_t> zeros;
  const std::function<void(double, double)> silent;
  const Sums sums(
      {kernel, grid, records, pool, params, zeros, silent},
      *findVariant(kernel, "sse41", FACET_F32, FACET_PRODUCT, FACET_REAL_Q, FACET_DIRECT));
  ASSERT_EQ(sums.layout().tileCount(), 1);
  ASSERT_GT(volume(sums.layout().tile), sums.layout().paddedSize());
  const double blocks =
      static_cast<double>(sums.records()) / static_cast<double>(sums.callRecords());
  EXPECT_NEAR(sums.predict({1, 0}), blocks, 1e-3);
}

TEST(Choices, BytesAreReadAndShown) {
  EXPECT_EQ(parseBytes("8GB"), 8e9);
  EXPECT_EQ(parseBytes("1.5e6"), 1.5e6);
  EXPECT_EQ(showBytes(1.5e9), "1.5 GB");
  EXPECT_HAS(refusal([] { parseBytes("8 apples"); }), "memory '8 apples': not a size");
  EXPECT_HAS(refusal([] { parseBytes("-1GB"); }), "not a size");
}

} // namespace
} // namespace facet::test
