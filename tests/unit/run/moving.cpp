// moving.cpp - meshes far from the origin are centred and put back; rotated meshes are rotated.
#include "fixture.h"

namespace facet::test {
namespace {

const Vec3 far{3000, -2000, 1000};

Grid grid(bool complex) {
  return productGrid("0.1", "-1:1:5", complex ? "0.05:1:9+0.0001i" : "0.05:1:9");
}

/// F of the torus at the origin, turned by cis(q.far).
std::vector<std::complex<double>> turned(const Grid &g) {
  Plan plan(fixture(), g, torus(), in(FACET_F64));
  std::vector<std::complex<double>> f = plan.execute({1});
  for (std::int64_t i = 0; i < g.size(); ++i) {
    const auto q = g.at(i);
    f[static_cast<std::size_t>(i)] *=
        std::exp(std::complex<double>(0, 1) * (q[0] * far[0] + q[1] * far[1] + q[2] * far[2]));
  }
  return f;
}

TEST(Moving, FarFromTheOriginIsAsGoodAsNear) {
  for (const bool complex : {false, true})
    for (const Grid &g : {grid(complex), pointsOf(grid(complex))}) {
      Plan plan(fixture(), g, moved(torus(), far), in(FACET_F32));
      EXPECT_LT(difference(plan.execute({1}), turned(g)), 3e-6);
      Plan precise(fixture(), g, moved(torus(), far), in(FACET_F64));
      EXPECT_LT(difference(precise.execute({1}), turned(g)), 2e-12);
    }
}

// The same mesh with a kernel that says it must not be moved: f32 loses what centring saves.
TEST(Moving, AKernelThatForbidsItIsNotCentred) {
  Plan plan(fixture("fixed"), grid(false), moved(torus(), far), in(FACET_F32));
  EXPECT_GT(difference(plan.execute({1}), turned(grid(false))), 6e-6);
}

TEST(Moving, RotationIsThatOfTheMesh) {
  const auto matrix = eulerZyz({30, 40, 50});
  const Mesh mesh = moved(torus(), {5, 60, -7});
  Plan plan(fixture(), grid(false), mesh, in(FACET_F64));
  plan.setRotation(matrix);
  const auto inside = plan.execute({1});
  EXPECT_LT(plan.measure().error, 1e-12);
  Plan outside(fixture(), grid(false), rotated(mesh, matrix), in(FACET_F64));
  EXPECT_LT(difference(inside, outside.execute({1})), 1e-12);
}

TEST(Moving, RotatingBackGivesTheFirstResult) {
  Plan plan(fixture(), grid(false), torus(), in(FACET_F64));
  const auto first = plan.execute({1});
  plan.setRotation(eulerZyz({0, 90, 0}));
  EXPECT_GT(difference(plan.execute({1}), first), 1e-3);
  plan.setRotation({1, 0, 0, 0, 1, 0, 0, 0, 1});
  EXPECT_EQ(plan.execute({1}), first);
}

} // namespace
} // namespace facet::test
