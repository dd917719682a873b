// aliases.cpp - what leaks through windows of transforms: no contract is called met that is not,
// however the records' waves add up.
#include "runtime/engine/transform/aliases.h"
#include "fixture.h"
#include "runtime/engine/plan/plan_run.h"
#include <random>

namespace facet::test {
namespace {

/// A small triangle at each place, `scales` times as wide.
Mesh trianglesAt(const std::vector<Vec3> &places, const std::vector<double> &scales = {}) {
  std::vector<std::array<Vec3, 3>> all;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vec3 &p = places[i];
    const double side = 0.05 * (scales.empty() ? 1 : scales[i]);
    all.push_back({p, Vec3{p[0] + side, p[1], p[2]}, Vec3{p[0], p[1] + side, p[2]}});
  }
  Mesh mesh;
  mesh.triangles = std::move(all);
  return mesh;
}

/// n^3 places with a period of `step`, nm, turned a little.
std::vector<Vec3> lattice(int n, double step) {
  std::vector<Vec3> places;
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y)
      for (int z = 0; z < n; ++z)
        places.push_back({step * (0.96 * x + 0.28 * y), step * (0.96 * y - 0.28 * x), step * z});
  return places;
}

std::vector<Vec3> random(std::size_t n) {
  std::mt19937_64 draw(1);
  std::vector<Vec3> places(n);
  for (Vec3 &place : places)
    for (double &r : place)
      r = 40 * (static_cast<double>(draw() >> 11) * 0x1p-53 - 0.5);
  return places;
}

struct Found {
  double tolerance = 0; // of the first choice
  double error = 0, measured = 0;
  bool met = false;
};

Found foundOf(const Mesh &mesh, double accuracy) {
  const Grid grid = productGrid("0.3", "-1:1:160", "0.1:1:120");
  PlanOptions options;
  options.algorithm = FACET_NUFFT;
  options.accuracy = accuracy;
  Plan plan(fixture("waves"), grid, mesh, options);
  Found found{plan.choice().tolerance};
  const Measured measured = executeToContract(plan, {1}, {});
  PlanOptions precisely = in(FACET_F64);
  precisely.algorithm = FACET_DIRECT;
  Plan precise(fixture("waves"), pointsOf(grid), mesh, precisely);
  found.error = difference(plan.values(), precise.execute({1}));
  found.measured = measured.error;
  found.met = measured.met;
  return found;
}

void expectHonest(const Mesh &mesh) {
  for (const double accuracy : {1e-3, 1e-4, 1e-5}) {
    const Found found = foundOf(mesh, accuracy);
    EXPECT_TRUE(found.met) << accuracy;
    EXPECT_LE(found.error, accuracy);
    // Not only the largest of 64 q, but that of all.
    EXPECT_NEAR(found.measured, found.error, 0.02 * found.error) << accuracy;
  }
}

TEST(Aliases, OfALattice) {
  for (const double step : {1.3, 2.1, 2.7, 3.7}) {
    SCOPED_TRACE(step);
    expectHonest(trianglesAt(lattice(9, step)));
  }
}

TEST(Aliases, OfFewRecords) {
  expectHonest(trianglesAt(random(2)));
  expectHonest(trianglesAt(random(9)));
}

TEST(Aliases, OfRecordsOfUnlikeSize) {
  std::vector<double> scales(1000, 1);
  scales[700] = 80;
  expectHonest(trianglesAt(random(1000), scales));
}

TEST(Aliases, OfASurface) { expectHonest(refined(torus(), 3)); }

TEST(Aliases, PlanesAcrossAnAxisAreSeen) {
  const auto have = [](const Mesh &mesh) {
    PlanOptions options;
    options.algorithm = FACET_NUFFT;
    Plan plan(fixture("waves"), productGrid("0.3", "-1:1:160", "0.1:1:120"), mesh, options);
    return hasPlanes(*plan.run().waves, 0);
  };
  EXPECT_TRUE(have(refined(makeMesh("box", {}), 8)));
  EXPECT_FALSE(have(makeMesh("torus", {{"around", {60}}, {"tube", {57}}})));
}

// Windows are not much better than the contract asks for.
TEST(Aliases, OfAFineSurfaceCancel) {
  for (const double accuracy : {1e-3, 1e-5}) {
    const Found found = foundOf(refined(torus(), 4), accuracy);
    EXPECT_LE(found.error, accuracy);
    EXPECT_GE(found.error, accuracy / 1000);
    EXPECT_GE(found.tolerance, 0.1 * accuracy) << accuracy;
  }
}

} // namespace
} // namespace facet::test
