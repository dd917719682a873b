// blocks_test.cpp - units and t blocks: like the whole plan, and the same bits whatever the cut.
#include "matrix.h"
#include "runtime/engine/plan/plan_run.h"
#include <fstream>

namespace facet::test {
namespace {

using Values = std::vector<std::complex<double>>;

/// Nothing is measured, and transforms cost what would make another layout the fastest than the
/// defaults do: no bits may depend on it.
const int oddProfile = [] {
  const std::string path = testing::TempDir() + "facet_blocks.toml";
  std::ofstream(path) << "fixed = true\n[nufft]\nfft = 4e-11\nspread2 = 1e-8\nkernel = 1e-7\n";
  return setenv("FACET_PROFILE", path.c_str(), 1);
}();

struct Problem {
  Kernel kernel;
  Grid grid;
  Mesh mesh;
  Decision decision;
  Values whole; // by the plan itself, which had decided:
  std::string decided;
};

Problem problemOf(const Cell &cell, double around = 23, double tube = 17, std::int64_t nx = 2) {
  Grid grid;
  if (cell.kind == Grid::Kind::Product) {
    grid.axes = {linspace(-0.2, 0.3, nx), linspace(-2, 2, 101), linspace(0, 2.5, 151)};
    if (cell.complexQ)
      grid.axes[2].im = linspace(0.001, 0.02, 151).re;
  } else {
    grid.kind = Grid::Kind::Points;
    grid.axes = {linspace(-0.2, 0.3, 3003), linspace(-2, 2, 3003), linspace(0.01, 2.5, 3003)};
    if (cell.complexQ)
      grid.axes[2].im = linspace(0.001, 0.02, 3003).re;
  }
  Problem p{Kernel::load(FACET_TEST_KERNELS "/" + cell.kernel + ".so"),
            grid,
            makeMesh("torus", {{"around", {around}}, {"tube", {tube}}}),
            {},
            {},
            ""};
  for (auto &triangle : p.mesh.triangles) // off the origin: the frame of the whole matters
    for (Vec3 &corner : triangle)
      corner[0] += 37;
  PlanOptions options;
  options.algorithm = cell.algorithm;
  if (cell.algorithm != FACET_NUFFT)
    options.klass = static_cast<facet_class>(cell.klass);
  options.accuracy = 1e-5;
  if (cell.algorithm == FACET_NUFFT) // a transform of a unit has one
    options.threads = 1;
  Plan plan(p.kernel, p.grid, p.mesh, options);
  p.whole = plan.execute();
  p.decided = plan.decision();
  p.decision = plan.run().decide(true);
  return p;
}

Values byUnits(const Problem &p, const std::string &cut, int threads, bool backwards = false) {
  Decision d = p.decision;
  const facet_variant *variant = nullptr;
  for (int q = d.complexQ ? FACET_COMPLEX_Q : FACET_REAL_Q; q <= FACET_COMPLEX_Q && !variant; ++q)
    variant = p.kernel.find(d.target, d.klass, d.grid, q, d.algorithm);
  d.cut = cutFrom(cut, p.grid, p.mesh.size(),
                  cutRules(d.algorithm, variant, p.grid, p.kernel->fixed, p.mesh.size()));
  Evaluator evaluator(p.kernel, d,
                      std::make_shared<RecordBlocks>(
                          p.kernel, d, blocksOf(std::make_shared<const Mesh>(p.mesh)), 1e9),
                      {.pool = poolFor(d, threads)});
  const Cutter units(p.grid.extents(), d.cut.tile);
  Values all(static_cast<std::size_t>(p.grid.size()), NAN), part;
  const std::array<std::int64_t, 3> n = p.grid.extents();
  for (std::int64_t i = 0; i < units.count(); ++i) {
    const Box u = units.at(backwards ? units.count() - 1 - i : i);
    part.resize(static_cast<std::size_t>(u.size()));
    evaluator.run(unitGrid(p.grid, u), {}, part.data());
    auto from = part.begin();
    for (std::int64_t x = u.begin[0]; x < u.end[0]; ++x)
      for (std::int64_t y = u.begin[1]; y < u.end[1]; ++y, from += u.extent(2))
        std::copy_n(from, u.extent(2), all.begin() + (x * n[1] + y) * n[2] + u.begin[2]);
  }
  return all;
}

double difference(const Values &a, const Values &b) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
    if (std::isnan(std::abs(a[i])))
      return HUGE_VAL;
  }
  return most / largest;
}

class Blocks : public testing::TestWithParam<Cell> {};
class SumsOfBlocks : public Blocks {};

// A list has four units, the last of three points: a transform to few points takes as long as to
// many.
TEST_P(Blocks, GiveWhatTheWholePlanGives) {
  const Problem p = problemOf(GetParam());
  EXPECT_LE(difference(byUnits(p, "", 1), p.whole), 1e-5);
  const std::string cut = GetParam().kind == Grid::Kind::Points ? "1000,1,1,300" : "1,50,70,300";
  EXPECT_LE(difference(byUnits(p, cut, 2), p.whole), 1e-5);
}

std::string blockOf(const Cell &cell) { return cell.algorithm == FACET_DIRECT ? ",300" : ",600"; }

TEST_P(Blocks, KeepTheirBitsOnAnyThreads) {
  const Problem p = problemOf(GetParam());
  const std::string cut = "0,0,0" + blockOf(GetParam());
  EXPECT_EQ(byUnits(p, cut, 2), byUnits(p, cut, 1));
}

// Bits of transforms depend on the cut.
TEST_P(SumsOfBlocks, KeepTheirBitsWhateverTheCut) {
  const Problem p = problemOf(GetParam());
  const std::string block = blockOf(GetParam());
  const Values one = byUnits(p, "0,0,0" + block, 1);
  EXPECT_EQ(byUnits(p, "1,37,51" + block, 1), one) << "odd tiles";
  EXPECT_EQ(byUnits(p, "2,90,1" + block, 2, true) == one, true) << "the other way round";
  EXPECT_EQ(byUnits(p, "777,1,100" + block, 2, true), one);
}

TEST_P(Blocks, TheDecisionOfAPlanFixesItsBits) {
  const Problem p = problemOf(GetParam());
  const Decision d = decisionFromJson(p.decided, "here");
  const auto mesh = blocksOf(std::make_shared<const Mesh>(p.mesh));
  Values f(p.whole.size());
  Evaluator(p.kernel, d, std::make_shared<RecordBlocks>(p.kernel, d, mesh, 1e9),
            {.pool = poolFor(d, 1)})
      .run(p.grid, {}, f.data());
  EXPECT_EQ(f, p.whole) << p.decided;
}

// What is embedded runs what `facet run` does. With more than one x, tiles of separable sums
// differ.
TEST(OneUnit, OfTheWholeGridIsWhatAPlanExecutes) {
  for (const facet_algorithm algorithm : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT})
    for (const int klass : {FACET_F32, FACET_F64}) {
      if (algorithm == FACET_NUFFT && klass == FACET_F32)
        continue;
      const Problem p =
          problemOf({"born", "", klass, Grid::Kind::Product, false, algorithm}, 23, 17, 1);
      EXPECT_EQ(byUnits(p, "", 2), p.whole) << algorithmName(algorithm);
      if (algorithm != FACET_NUFFT) {
        EXPECT_EQ(byUnits(p, "1,50,70", 1), p.whole) << algorithmName(algorithm);
      }
    }
}

// Eleven blocks: a tree of several heights.
TEST(ManyBlocks, AddUpToTheWhole) {
  for (const facet_algorithm algorithm : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT}) {
    const Problem p =
        problemOf({"born", "", FACET_F64, Grid::Kind::Product, false, algorithm}, 61, 43);
    EXPECT_LE(difference(byUnits(p, "0,0,0,500", 2), p.whole),
              algorithm == FACET_NUFFT ? 1e-5 : 1e-12)
        << algorithmName(algorithm);
  }
}

std::vector<Cell> cells(bool transforms) {
  std::vector<Cell> all;
  for (const char *kernel : {"born", "closed", "exact"})
    for (const Grid::Kind kind : {Grid::Kind::Product, Grid::Kind::Points})
      for (const bool complexQ : {false, true}) {
        if (transforms)
          all.push_back({kernel, "", FACET_F64, kind, complexQ, FACET_NUFFT});
        for (const int klass : {FACET_F32, FACET_F64}) {
          all.push_back({kernel, "", klass, kind, complexQ, FACET_DIRECT});
          if (kind == Grid::Kind::Product)
            all.push_back({kernel, "", klass, kind, complexQ, FACET_SEPARABLE});
        }
      }
  // born has real q in these; exact has many nodes, one class and kind of q of each algorithm do.
  std::erase_if(all, [](const Cell &c) {
    const bool exact = c.kernel == std::string("exact");
    return (c.complexQ && c.kernel == std::string("born")) ||
           (exact && (c.complexQ != (c.kind == Grid::Kind::Points) ||
                      (c.klass == FACET_F64 && c.algorithm != FACET_NUFFT)));
  });
  return part(std::move(all));
}

INSTANTIATE_TEST_SUITE_P(Matrix, Blocks, testing::ValuesIn(cells(true)), name);
INSTANTIATE_TEST_SUITE_P(Matrix, SumsOfBlocks, testing::ValuesIn(cells(false)), name);

} // namespace
} // namespace facet::test
