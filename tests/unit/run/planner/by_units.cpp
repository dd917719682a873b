// by_units.cpp - plans carried out unit by unit: transforms are cut for the memory, by the problem
// alone, and what the memory cannot hold as a whole is done in units.
#include "../fixture.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include "runtime/engine/transform/waves.h"

namespace facet::test {
namespace {

// 1.8 million q each: F takes 29 MB.
Grid volume() { return productGrid("-0.5:0.5:91", "-2:2:200", "0.01:2:100"); }
Grid plane() { return productGrid("0.1", "-2:2:1500", "0.01:2:1200"); }
Mesh triangles() { return makeMesh("torus", {{"around", {100}}, {"tube", {50}}}); }

PlanOptions byUnits(double memory, int threads = 2) {
  PlanOptions options;
  options.algorithm = FACET_NUFFT;
  options.memory = memory;
  options.threads = threads;
  options.units = true;
  return options;
}

class ByUnits : public testing::Test {};

TEST(Budget, IsSubtractedFromAndSaysByWhom) {
  const Budget all(8e9), less = all.without("mesh", 1e9).without("F", 2e9);
  EXPECT_EQ(all.left(), 8e9);
  EXPECT_EQ(less.left(), 5e9);
  EXPECT_EQ(less.without("units", 6e9).left(), 0);
  EXPECT_EQ(less.text(), "8 GB allowed: mesh 1 GB, F 2 GB; 5 GB left");
}

TEST_F(ByUnits, AGridTooLargeForTheMemoryIsDoneInUnitsThatFit) {
  PlanOptions whole = byUnits(1e8);
  whole.units = false;
  EXPECT_HAS(refusal([&] { Plan(fixture("waves"), volume(), triangles(), whole); }),
             "transforms would need ");
  const Plan plan(fixture("waves"), volume(), triangles(), byUnits(1e8));
  const Decision d = plan.run().decide(true);
  EXPECT_GT(Cutter(volume().extents(), d.cut.tile).count(), 4);
  EXPECT_LT(plan.choice().bytes, 1e8);
  EXPECT_GE(d.workers, 1);
}

TEST_F(ByUnits, LessMemoryMakesSmallerUnits) {
  std::int64_t before = 0;
  for (const double memory : {90e6, 200e6, 1e9}) {
    const Plan plan(fixture("waves"), plane(), triangles(), byUnits(memory));
    const Decision d = plan.run().decide(true);
    const std::int64_t size = d.cut.tile[0] * d.cut.tile[1] * d.cut.tile[2];
    EXPECT_GT(size, before) << memory;
    EXPECT_LE(plan.choice().bytes, memory);
    EXPECT_LE(d.transforms, memory);
    before = size;
  }
  EXPECT_HAS(refusal([] { Plan(fixture("waves"), plane(), triangles(), byUnits(45e6)); }),
             "by units of the grid, 45 MB allowed");
}

TEST_F(ByUnits, TheDecisionIsTheSameForAnyThreads) {
  const auto with = [](int threads) {
    return toJson(
        Plan(fixture("waves"), plane(), triangles(), byUnits(130e6, threads)).run().decide(true));
  };
  EXPECT_EQ(with(7), with(1));
}

TEST_F(ByUnits, TheCutIsTheSameForAnySpeeds) {
  const Kernel kernel = fixture("waves");
  const Grid grid = plane();
  Records records(*kernel);
  records.setMesh(triangles());
  Pool pool(1);
  const std::vector<double> params{1};
  const std::vector<std::int64_t> zeros;
  const std::function<void(double, double)> silent;
  const SumContext work{kernel, grid, records, pool, params, zeros, silent};
  const facet_transforms *form = kernel.transforms(FACET_REAL_Q);
  WaveRecords waves(work, form != nullptr ? *form : *kernel.transforms(FACET_COMPLEX_Q));
  waves.fill();
  const CutRules rules = cutRules(FACET_NUFFT, nullptr, grid, kernel->fixed, records.size());
  const auto cutFor = [&](const NufftConstants &constants) {
    return unitsOf({grid, waves, 1, 1, 1e-6, 1e-5, false, 60e6, rules, records.size(), constants});
  };
  NufftConstants slow;
  slow.spread2 *= 30;
  slow.fft *= 0.1;
  const UnitCost one = cutFor({}), other = cutFor(slow);
  EXPECT_EQ(one.cut.tile, other.cut.tile);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_GT(one.count, 1);
  EXPECT_NE(one.seconds, other.seconds);
}

TEST_F(ByUnits, WhatACutLeavesOpenIsAsPlanned) {
  const Cut planned{{2, 300, 400}, 1000};
  const Grid grid = volume();
  const CutRules rules = cutRules(FACET_NUFFT, nullptr, grid, fixture()->fixed, 1000);
  EXPECT_EQ(show(cutFrom("0,100,0", grid, 1000, rules, &planned)), "2 x 100 x 400 q, 1000 records");
  EXPECT_EQ(show(cutFrom("", grid, 1000, rules, &planned)), show(planned));
}

TEST_F(ByUnits, FewerUnitsAtATimeTakeLonger) {
  UnitCost units;
  units.count = 12;
  units.seconds = 12;
  units.workers = 3;
  EXPECT_EQ(secondsOf(units, 1), 12);
  EXPECT_LT(secondsOf(units, 2), 8);
  EXPECT_LT(secondsOf(units, 3), secondsOf(units, 2));
  EXPECT_EQ(secondsOf(units, 8), secondsOf(units, 3)); // there is room for no more
  units.count = 1;
  EXPECT_EQ(secondsOf(units, 3), 12); // one unit has one thread
}

TEST_F(ByUnits, GiveWhatTheWholePlanGives) {
  const Grid grid = productGrid("-0.2:0.2:3", "-2:2:200", "0.01:2:180");
  Plan plan(fixture("waves"), grid, triangles(), byUnits(30e6)),
      whole(fixture("waves"), grid, triangles());
  const Decision d = plan.run().decide(true);
  EXPECT_EQ(toJson(decisionFromJson(toJson(d), "here")), toJson(d));
  const Cutter units(grid.extents(), d.cut.tile);
  ASSERT_GT(units.count(), 1);
  const auto slices = std::make_shared<RecordBlocks>(
      plan.run().kernel, d, blocksOf(std::make_shared<const Mesh>(triangles())), 1e9);
  const auto evaluator = plan.run().evaluatorFor(d, slices, {.pool = poolFor(d, 1)});
  std::vector<std::complex<double>> f(static_cast<std::size_t>(grid.size())), part;
  const std::array<std::int64_t, 3> n = grid.extents();
  for (std::int64_t k = 0; k < units.count(); ++k) {
    const Box u = units.at(k);
    part.resize(static_cast<std::size_t>(u.size()));
    evaluator->run(unitGrid(grid, u), {1}, part.data());
    auto from = part.begin();
    for (std::int64_t x = u.begin[0]; x < u.end[0]; ++x)
      for (std::int64_t y = u.begin[1]; y < u.end[1]; ++y, from += u.extent(2))
        std::copy_n(from, u.extent(2), f.begin() + (x * n[1] + y) * n[2] + u.begin[2]);
  }
  EXPECT_LT(difference(f, whole.execute({1})), 2e-5); // each within 1e-5 of the truth
}

// Grids are cut by these numbers, and arrays are as long.
TEST_F(ByUnits, AreNotPlannedByNumbersThatLeadOutOfArrays) {
  Decision whole;
  whole.target = "avx2";
  whole.cut = {{1, 48, 64}, 7};
  whole.chunks = 2;
  whole.threads = 2;
  whole.repair = {{5, 0.5}};
  const std::string good = toJson(whole);
  EXPECT_EQ(toJson(decisionFromJson(good, "here")), good);
  for (const auto &[from, to] : {std::pair{"[1,48,64]", "[1,0,64]"},
                                 {"[1,48,64]", "[1,48]"},
                                 {"[1,48,64]", "[1,48,1e3]"},
                                 {"\"t_block\":7", "\"t_block\":0"},
                                 {"\"t_block\":7", "\"t_block\":18446744073709551615"},
                                 {"\"workers\":0", "\"workers\":1e300"},
                                 {"\"workers\":0", "\"workers\":3000000000"},
                                 {"\"chunks\":[2,", "\"chunks\":[0,"},
                                 {"\"threads\":2", "\"threads\":-1"},
                                 {"[5,0.5]", "[8192,0.5]"},
                                 {"[5,0.5]", "[-1,0.5]"}}) {
    std::string text = good;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_SAYS(decisionFromJson(text, "here"), "here: holds no plan that this facet can read");
  }
}

} // namespace
} // namespace facet::test
