// grids.cpp - every kind of grid and every odd extent gives the same F; q = 0 and infinities are
// handled.
#include "fixture.h"
#include "runtime/engine/plan/plan_run.h"

namespace facet::test {
namespace {

std::vector<std::complex<double>> values(const Grid &grid, const std::string &which = "good") {
  Plan plan(fixture(which), grid, torus(), in(FACET_F64));
  return plan.execute({1});
}

TEST(Grids, PointsAgreeWithTheProduct) {
  const Grid product = productGrid("0.1,0.3", "-2:2:5", "0.05:2:7");
  EXPECT_LT(difference(values(pointsOf(product)), values(product)), 1e-14);
}

TEST(Grids, ComplexPointsAgreeWithTheProduct) {
  const Grid product = productGrid("0.1,0.3", "-2:2:5", "0.05:2:9+0.02i");
  EXPECT_LT(difference(values(pointsOf(product)), values(product)), 1e-14);
}

TEST(Grids, AShortZRunsAsPoints) {
  Plan plan(fixture(), productGrid("0.1", "-2:2:33", "0.5"), torus(), in(FACET_F64));
  EXPECT_EQ(plan.run().variant().grid, FACET_POINTS);
  plan.execute({1});
  EXPECT_LT(plan.measure().error, 1e-13);
}

TEST(Grids, OddExtentsAreRight) {
  for (const int nx : {1, 2, 3})
    for (const int ny : {1, 2, 5})
      for (const int nz : {1, 3, 4, 15, 16, 17}) {
        const auto axis = [](double from, int n) { return linspace(from, from + 1, n); };
        Grid grid;
        grid.axes = {axis(0.1, nx), axis(-0.3, ny), axis(0.2, nz)};
        Plan plan(fixture(), grid, torus(), in(FACET_F64));
        plan.execute({1});
        EXPECT_LT(plan.measure().error, 1e-13) << nx << " x " << ny << " x " << nz;
      }
}

TEST(Grids, ZeroQIsTheOrigin) {
  const Grid grid = productGrid("0", "0", "0:1:9");
  const auto f = values(grid, "origin");
  const MeshReport mesh = inspect(torus());
  EXPECT_NEAR(f[0].real(), mesh.volume, 1e-9 * mesh.volume);
}

TEST(Grids, ZeroQWithoutOriginIsNaNAndSaid) {
  const Grid grid = productGrid("0", "0", "0:1:9"), without = productGrid("0", "0", "0.125:1:8");
  Plan plan(fixture(), grid, torus(), in(FACET_F64));
  const std::vector<std::complex<double>> f = plan.execute({1}), rest = values(without);
  EXPECT_TRUE(std::isnan(f[0].real()));
  for (std::size_t k = 0; k < rest.size(); ++k)
    EXPECT_NEAR(std::abs(f[k + 1] - rest[k]), 0, 1e-12 * std::abs(rest[0]));
  EXPECT_HAS(plan.last().remark, "F is not finite at q = 0 (1 of 9 q), and is NaN there");
  EXPECT_HAS(plan.last().remark, "`finish` divides by zero there: give the kernel an `origin`");
  EXPECT_TRUE(plan.measure().met);
}

TEST(Grids, ZeroQWithoutOriginIsAnErrorWhereAllAreToBeFinite) {
  PlanOptions options = in(FACET_F64);
  options.finite = true;
  const std::string message = refusal([&] {
    Plan plan(fixture(), productGrid("0", "0", "0:1:9"), torus(), options);
    plan.execute({1});
  });
  EXPECT_HAS(message, "F is not finite at 1 of 9 q, first at q = (0, 0, 0) nm^-1");
  EXPECT_HAS(message, "origin");
}

TEST(Grids, ComplexQIsRefusedWhereTheKernelHasRealQ) {
  EXPECT_HAS(refusal([] { values(productGrid("0.1+0.2i", "0", "0.1:1:9")); }),
             "q.x is complex in the grid and real in the kernel");
}

TEST(Grids, AnEmptyAxisIsRefused) {
  EXPECT_HAS(refusal([] {
               Grid grid = productGrid("0.1", "0", "0.1");
               grid.axes[1].re.clear();
               values(grid);
             }),
             "the axis has no values");
}

} // namespace
} // namespace facet::test
