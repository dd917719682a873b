// measured.cpp - the measured error catches a wrong kernel, and a miss goes on to the next class.
#include "fixture.h"
#include "runtime/engine/check/rule.h"
#include "runtime/engine/check/sample.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/plan/plan_run.h"
#include <algorithm>
#include <map>

namespace facet::test {
namespace {

Grid grid() { return productGrid("0.1", "-2:2:20", "0.05:2:20"); }

/// F of 1, and one that is off by `off`; the reference rounds to `bound`.
Measured judgedOff(double off, double bound, double size = 1) {
  const std::array<std::complex<double>, 3> q{0.1, 0.2, 0.3};
  return judge({{q, size, size, bound * size, true, size},
                {q, size * (1 + off), size, bound * size, true, size}},
               1e-5, 10);
}

TEST(Judge, SaysWhatItJudges) {
  for (const double bound : {0.0, 1e-9, 1e-6, 2.4e-6}) { // double can tell
    EXPECT_TRUE(judgedOff(0.99e-5, bound).met && judgedOff(0.99e-5, bound).verifiable) << bound;
    EXPECT_FALSE(judgedOff(1.2e-5, bound).met) << bound;
  }
  const Measured doubtful = judgedOff(1.2e-5, 4e-6), missed = judgedOff(2e-5, 4e-6);
  EXPECT_TRUE(doubtful.met);
  EXPECT_FALSE(doubtful.verifiable);
  EXPECT_FALSE(missed.met);
  EXPECT_FALSE(judgedOff(std::nan(""), 4e-6).met);
}

TEST(Judge, NumbersWhoseSquaresAreNone) {
  for (const double size : {1e217, 1e300, 1e-217, 1e-300}) {
    const Measured m = judgedOff(1e-9, 1e-16, size);
    EXPECT_TRUE(m.met && m.verifiable) << size;
    EXPECT_NEAR(m.error, 1e-9, 1e-12) << size;
    EXPECT_NEAR(m.rms, 1e-9 / std::sqrt(2.0), 1e-12) << size;
    EXPECT_FALSE(judgedOff(1e-3, 1e-16, size).met) << size;
    Extremes extremes;
    const Grid g = productGrid("0.1", "0.1", "1:2:3");
    for (const auto &[at, f] : std::map<int, double>{{0, 2}, {1, 3}, {2, 1}})
      extremes.see(g, at, f * size);
    EXPECT_EQ(extremes.largest(), 1) << size;
    EXPECT_EQ(extremes.smallest(), 2) << size;
  }
}

/// An output whose terms, of 1 in all, cancel to `left`, as the run and its reference sum them.
Measured judgedZero(double run, double reference) {
  const std::array<std::complex<double>, 3> q{0.1, 0.2, 0.3};
  return judge({{q, run, reference, 2e-16, true, 1}, {q, -run, reference / 2, 2e-16, true, 1}},
               1e-5, 10);
}

TEST(Judge, AnOutputThatIs0BySymmetryIsRelativeToItsTerms) {
  for (const double run : {1e-16, 1e-8, 9e-6}) {
    const Measured zero = judgedZero(run, 3e-17);
    EXPECT_TRUE(zero.vanishes && zero.met && zero.verifiable) << run;
    EXPECT_NEAR(zero.error, run, 1e-16 + 1e-9 * run);
  }
  EXPECT_FALSE(judgedZero(2e-5, 3e-17).met);
  EXPECT_FALSE(judgedZero(1e-8, 1e-10).vanishes); // no rounding: it cancels to 1e-10
  EXPECT_FALSE(judgedZero(1e-8, 1e-10).met);
  Measured other = judgedOff(1e-7, 1e-16), zero = judgedZero(1e-8, 3e-17);
  other.output = "up";
  zero.output = "down";
  for (const Measured &m : {joined({other, zero}), joined({zero, other})}) {
    EXPECT_EQ(m.output, "up");
    EXPECT_TRUE(m.met && m.verifiable);
  }
}

TEST(Measured, CatchesAWrongKernel) {
  Plan plan(fixture("wrong"), grid(), torus(), {});
  const Measured m = executeToContract(plan, {1});
  EXPECT_FALSE(m.met);
  EXPECT_NEAR(m.error, 1e-3, 1e-4);
}

TEST(Measured, GoesOnToTheNextClassAndSaysSo) {
  Plan plan(fixture("wrong_f32"), grid(), torus(), {});
  ASSERT_EQ(plan.choice().klass, FACET_F32);
  std::string said;
  const Measured m = executeToContract(plan, {1}, [&](const std::string &text) { said += text; });
  EXPECT_TRUE(m.met);
  EXPECT_EQ(plan.choice().klass, FACET_F32_CAREFUL);
  EXPECT_HAS(said, "f32 missed the contract");
}

TEST(Measured, AForcedClassIsKept) {
  Plan plan(fixture("wrong_f32"), grid(), torus(), in(FACET_F32));
  EXPECT_FALSE(executeToContract(plan, {1}).met);
  EXPECT_EQ(plan.choice().klass, FACET_F32);
}

// At |q| = 1e-6 the terms of born cancel to 1e-6 of their size, and to 1e-6 of that once more.
TEST(Measured, SaysWhatDoubleCannotVerify) {
  PlanOptions options = in(FACET_F64);
  options.accuracy = 1e-12;
  Plan plan(fixture(), productGrid("1e-6", "1e-6:2e-6:4", "1e-6:2e-6:9"), torus(), options);
  plan.execute({1});
  EXPECT_FALSE(plan.measure().verifiable);
}

// The reference sums the mesh in its place, 1 mm off: its phases are rounded to 1e-10.
TEST(Measured, KnowsHowTheReferenceRoundsFarOffTheOrigin) {
  PlanOptions options = in(FACET_F64);
  options.accuracy = 1e-12;
  for (const char *z : {"0.05:2:20", "0.05:2:20+0.03i"}) {
    Plan plan(fixture(), productGrid("0.1", "-2:2:20", z), moved(torus(), {1e6, 5e5, 20}), options);
    plan.execute({1});
    const Measured m = plan.measure();
    EXPECT_GT(m.error, 1e-12);
    EXPECT_LE(m.error, 2 * m.bound);
    EXPECT_LT(m.bound, 1e-8);
    EXPECT_TRUE(m.met);
    EXPECT_FALSE(m.verifiable);
  }
}

// A forced class is not repaired: born's 1 / q^2 amplifies what f32 leaves of a sum near q = 0.
TEST(Measured, LooksWhereTheModelExpectsTheWorst) {
  const Grid g = productGrid("-2:2:21", "-2:2:41", "0.002:2:100");
  const Mesh mesh = moved(torus(), {0, 0, 2});
  Plan plan(fixture(), g, mesh, in(FACET_F32)), precise(fixture(), g, mesh, in(FACET_F64));
  const auto f = plan.execute({1});
  const auto right = precise.execute({1});
  double most = 0, worst = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    most = std::max(most, std::abs(right[i]));
    worst = std::max(worst, std::abs(f[i] - right[i]));
  }
  EXPECT_GE(plan.measure().error, 0.5 * worst / most);
}

// 1 / q^2 of born is largest at the least |q|: chance alone would take one of these 32 only once in
// forty samples.
TEST(Measured, SamplesManyQWhereTheModelExpectsTheWorst) {
  const Grid g = productGrid("-2:2:21", "-2:2:41", "0.002:2:100");
  Plan plan(fixture(), g, torus(), in(FACET_F32));
  plan.execute({1});
  std::vector<std::pair<double, std::int64_t>> bySize;
  for (std::int64_t i = 0; i < g.size(); ++i) {
    const auto q = g.at(i);
    bySize.emplace_back(std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]), i);
  }
  std::sort(bySize.begin(), bySize.end());
  int low = 0;
  for (const SamplePoint &one : plan.run().sample({}))
    low += std::any_of(bySize.begin(), bySize.begin() + 32,
                       [&](const auto &least) { return least.second == one.at; });
  EXPECT_GE(low, 12);
}

// Two bands of an octave of Im q.z, F of the one 1e-5 of the other's and as wrong by itself:
// relative to the largest of the octave nothing would be expected there. Chance alone would take 1
// of its 20 q.
TEST(Measured, ExpectsTheWorstRelativeToTheLargestOfTheBand) {
  Grid g;
  g.kind = Grid::Kind::Points;
  for (int i = 0; i < 2000; ++i) {
    const bool few = i % 100 == 7;
    g.axes[0].re.push_back((few ? 40 : 0.2) + 1e-4 * i);
    g.axes[1].re.push_back(few ? 30 : 0.1);
    g.axes[2].re.push_back(0.3);
    g.axes[2].im.push_back(few ? 0.55 : 0.95);
  }
  Plan plan(fixture(), g, torus(), in(FACET_F32));
  plan.execute({1});
  const std::vector<SamplePoint> sample = plan.run().sample({});
  EXPECT_GE(std::ranges::count_if(sample, [](const SamplePoint &one) { return one.at % 100 == 7; }),
            8);
}

// 1 / q^2 of the second is no number of single precision, as a narrow line is beside itself: it
// cannot say how large sums are at q like it.
TEST(Measured, AQWhoseAmplificationVanishesStandsForNoOther) {
  Grid g;
  g.kind = Grid::Kind::Points;
  g.axes = {Axis{{1e6, 1e25, 1}, {}}, Axis{{0, 0, 0}, {}}, Axis{{0, 0, 0}, {}}};
  const Kernel kernel = fixture();
  Pool pool(1);
  std::vector<float> gains;
  std::vector<std::uint16_t> keys;
  const auto found = amplification({kernel, g, {1}, kernel->variants[0], 0, {}}, pool, gains, keys);
  ASSERT_EQ(keys[0], keys[1]);
  ASSERT_NE(keys[0], keys[2]);
  ASSERT_EQ(gains[1], 0);
  EXPECT_EQ(found.at(keys[0]).q, 0);
  EXPECT_EQ(found.at(keys[0]).gain, gains[0]);
  EXPECT_EQ(found.at(keys[2]).q, 2);
}

// The kernel takes a triangle for a point; F of the box itself is known.
TEST(Measured, TheRuleOfCentroidsIsComparedWithFinerTriangles) {
  const Grid g = productGrid("0.1:0.9:5", "-0.8:0.9:7", "0.15:1:9");
  for (const int n : {1, 2, 40}) {
    const Mesh box = makeMesh("box", {{"size", {20}}, {"n", {static_cast<double>(n)}}});
    const auto f = Plan(fixture(), g, box, in(FACET_F64)).execute({1});
    std::vector<double> shares;
    double most = 0, worst = 0;
    for (std::int64_t i = 0; i < g.size(); ++i) {
      double exact = 8000;
      for (const auto &q : g.at(i))
        exact *= std::sin(10 * q.real()) / (10 * q.real());
      const double off = std::abs(std::abs(f[static_cast<std::size_t>(i)]) - std::abs(exact));
      most = std::max(most, std::abs(exact));
      worst = std::max(worst, off);
      shares.push_back(off / std::abs(exact));
    }
    std::nth_element(shares.begin(), shares.begin() + 150, shares.end());
    const RuleError rule =
        ruleError(fixture(), blocksOf(std::make_shared<const Mesh>(box)), 0, {1}, g, 1, 2);
    EXPECT_EQ(rule.samples, 9);
    EXPECT_EQ(rule.large(), n < 40) << rule.median;
    EXPECT_GT(rule.median, 0.2 * shares[150]) << n;
    EXPECT_LT(rule.median, 5 * shares[150]) << n;
    EXPECT_LT(rule.error, 5 * worst / most) << n;
  }
}

TEST(Measured, TheRuleIsNotKnownWithoutCorners) {
  Mesh mesh;
  mesh.facets = {{1, 1}, {{1, 0, 0}, {-1, 0, 0}}, {{1, 0, 0}, {-1, 0, 0}}};
  const RuleError rule =
      ruleError(fixture(), blocksOf(std::make_shared<const Mesh>(mesh)), 0, {1}, grid(), 1, 1);
  EXPECT_EQ(rule.samples, 0);
  EXPECT_HAS(rule.unknown, "no corners");
}

TEST(Measured, TheRuleInBlocksIsTheSame) {
  const auto mesh = blocksOf(std::make_shared<const Mesh>(torus()));
  const auto fine = refined(mesh, 3);
  ASSERT_EQ(fine->size(), 9 * mesh->size());
  const Mesh whole = fine->read(0, fine->size()), part = fine->read(100, 50);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(part.triangles[i], whole.triangles[100 + i]);
}

TEST(Measured, SamplesTheTellingPointsAndNoneTwice) {
  const Grid g = productGrid("0", "-1:1:40", "0:1:40+0.01i");
  std::vector<std::complex<double>> f(1600, 1.0);
  f[700] = 5;
  f[800] = 0.1;
  Layout layout;
  layout.tile = {1, 2, 16};
  std::vector<std::int64_t> sample;
  for (const SamplePoint &one : chooseSample(g, layout, f, 0, {}, 1, 64))
    sample.push_back(one.at);
  EXPECT_GE(sample.size(), 64U);
  for (const std::int64_t wanted : {700, 800, 0, 15, 16, 1599})
    EXPECT_EQ(std::count(sample.begin(), sample.end(), wanted), 1) << wanted;
  std::sort(sample.begin(), sample.end());
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
}

// A line narrower than the steps of an axis, as of a resonance: F is off on its flanks, if q - t is
// rounded there.
TEST(Measured, SamplesTheFlanksOfThePeak) {
  const Grid g = productGrid("0", "-1:1:40", "0:1:4000");
  std::vector<std::complex<double>> f(160000, 1e-3);
  f[20 * 4000 + 1234] = 1;
  std::vector<std::int64_t> sample;
  for (const SamplePoint &one : chooseSample(g, {}, f, 0, {}, 1, 64))
    sample.push_back(one.at);
  for (const std::int64_t off : {1, -1, 8, -8, 4000, -4000})
    EXPECT_EQ(std::count(sample.begin(), sample.end(), 20 * 4000 + 1234 + off), 1) << off;
}

// They are whole rows of a product, from the first q on: windows err most at the ends of an axis.
TEST(Measured, SomeQOfAGridAreOfAllItsParts) {
  const Grid g = productGrid("0:1:20", "-1:1:90", "0:1:50+0.01i");
  const GridSubset some = subsetOf(g, 5000);
  EXPECT_LE(some.at.size(), 5000U);
  EXPECT_GE(some.at.size(), 2500U);
  ASSERT_EQ(some.grid.size(), std::ssize(some.at));
  for (std::size_t i = 0; i < some.at.size(); ++i)
    EXPECT_EQ(some.grid.at(static_cast<std::int64_t>(i)), g.at(some.at[i]));
  EXPECT_EQ(some.grid.extents()[2], 50);
  EXPECT_EQ(some.at.front(), 0);
  EXPECT_GT(some.at.back(), 17 * 90 * 50);

  const Grid list = pointsOf(productGrid("0", "0", "0:1:5000"));
  const GridSubset stretches = subsetOf(list, 1000);
  EXPECT_LE(stretches.at.size(), 1064U);
  EXPECT_GE(stretches.at.size(), 500U);
  for (std::size_t i = 0; i < stretches.at.size(); ++i)
    EXPECT_EQ(stretches.grid.at(static_cast<std::int64_t>(i)), list.at(stretches.at[i]));
  EXPECT_EQ(stretches.at[63], 63);
  EXPECT_GT(stretches.at[64], 64);
  EXPECT_EQ(subsetOf(list, 1 << 20).at.size(), 5000U);
}

TEST(Measured, ErrorsThatWereNotSeenMayBeLarger) {
  EXPECT_EQ(reachOf(1000, 1000), 1);
  EXPECT_GT(reachOf(1e5, 1e7), 1.2);
  EXPECT_LT(reachOf(1e5, 1e7), reachOf(1e4, 1e7));
  const std::vector<ComparedValue> compared{{{}, 1.0, 1.0}, {{}, 0.5 + 1e-6, 0.5}};
  EXPECT_NEAR(judge(compared, 1e-5, 1).error, 1e-6, 1e-12);
  const Measured further = judge(compared, 1.1e-6, 1, 1.2);
  EXPECT_NEAR(further.error, 1.2e-6, 1e-12);
  EXPECT_FALSE(further.met);
  EXPECT_EQ(further.rms, judge(compared, 1e-5, 1).rms);
}

TEST(Measured, LargestDifferencesAreWeighed) {
  const std::vector<std::complex<double>> f{0, 1, 2, 3}, other{0, 2, 2.5, 6};
  const auto all = [&](const auto &weight) { return largestDifferences(f, other, 2, weight); };
  EXPECT_EQ(all([](std::int64_t) { return 1.0; }), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(all([](std::int64_t i) { return i == 3 ? 0.0 : 1.0; }),
            (std::vector<std::int64_t>{1, 2}));
}

TEST(Measured, TheSeedChoosesTheSample) {
  const Grid g = grid();
  const std::vector<std::complex<double>> f(400, 1.0);
  const auto sample = [&](std::uint64_t seed) {
    return chooseSample(g, {}, f, 0, {}, seed, 64).back().at;
  };
  EXPECT_EQ(sample(1), sample(1));
  EXPECT_NE(sample(1), sample(2));
}

TEST(Measured, ExtremesDependOnNoOrder) {
  const std::vector<double> f{2, 5, std::nan(""), 1, 5, 1};
  const Grid g = productGrid("0", "0", "1:6:6");
  Extremes forward, backward, parts[2];
  for (std::int64_t i = 0; i < 6; ++i) {
    forward.see(g, i, f[static_cast<std::size_t>(i)]);
    backward.see(g, 5 - i, f[static_cast<std::size_t>(5 - i)]);
    parts[i % 2].see(g, i, f[static_cast<std::size_t>(i)]);
  }
  parts[1].join(Extremes());
  parts[1].join(parts[0]);
  for (const Extremes &e : {forward, backward, parts[1]}) {
    EXPECT_EQ(e.largest(), 1);
    EXPECT_EQ(e.smallest(), 3);
  }
  EXPECT_EQ(Extremes().largest(), -1);
}

TEST(Measured, InPartsItIsTheSame) {
  for (const char *z : {"0.05:2:20", "0.05:2:20+0.01i"}) {
    const Grid g = productGrid("0.1", "-2:2:20", z);
    Plan plan(fixture(), g, torus(), in(FACET_F32));
    const std::vector<std::complex<double>> f = plan.execute({1});
    const Measured whole = plan.measure();
    Extremes extremes;
    for (std::size_t i = f.size(); i-- > 0;)
      extremes.see(g, static_cast<std::int64_t>(i), f[i]);
    const std::vector<double> params{1};
    Pool pool(2);
    const References others(plan.run().kernel, blocksOf(std::make_shared<const Mesh>(torus())), 0,
                            plan.run().decide(true).frame, params, pool);
    std::vector<std::int64_t> q;
    const auto values = [&](const std::vector<std::int64_t> &at) {
      std::vector<std::complex<double>> some;
      for (const std::int64_t i : at)
        some.push_back(f[static_cast<std::size_t>(i)]);
      return some;
    };
    const auto all = [&](const std::vector<std::int64_t> &at, std::size_t, double) {
      q = at;
      return others.at(g, at, at.size(), 0);
    };
    const Measured m = plan.run().measure(extremes, {values, all});
    EXPECT_EQ(m.samples, static_cast<int>(q.size()));
    if (whole.samples == m.samples) { // of a machine that is not too busy
      EXPECT_EQ(m.error, whole.error);
      EXPECT_EQ(m.bound, whole.bound);
    }
    EXPECT_EQ(others.at(g, q, 3, -1).size(), 3U); // no time is left
  }
}

TEST(Measured, ASmallGridIsComparedWhole) {
  EXPECT_EQ(chooseSample(productGrid("0.1", "0.1", "0:1:5"), {},
                         std::vector<std::complex<double>>(5), 0, {0}, 1, 64)
                .size(),
            4U);
}

} // namespace
} // namespace facet::test
