// generated.cpp - a particle in a film by the kernel `exact` as generated in f64, through a plan.
#include "samples.h"
#include <cstdlib>
#include <facet/runtime/plan.h>

namespace facet::test {
namespace {

const int fixedProfile = setenv("FACET_PROFILE", FIXED_PROFILE, 1);

/// |Phi|^2 of the box 20 x 30 x 10: four q of a list, complex in a film.
double planned(const Stack &stack, std::size_t layer, double height, double alphaI, double alphaF,
               double phi) {
  const auto q = lateral(stack, k, alphaI * degree, alphaF * degree, phi * degree);
  const auto all = above(stack, layer, height, alphaI * degree, alphaF * degree);
  Grid grid;
  grid.kind = Grid::Kind::Points;
  for (const Channel &c : all) {
    grid.axes[0].re.push_back(q[0]);
    grid.axes[1].re.push_back(q[1]);
    grid.axes[2].re.push_back(c.qz.real());
    grid.axes[2].im.push_back(c.qz.imag());
  }
  PlanOptions options;
  options.algorithm = FACET_DIRECT, options.klass = FACET_F64, options.threads = 1;
  Plan plan(Kernel::load(FACET_EXACT_LIBRARY), grid, makeMesh("box", {{"size", {20, 30, 10}}}),
            options);
  const auto &f = plan.execute();
  Complex sum = 0;
  for (std::size_t c = 0; c < all.size(); ++c)
    sum += all[c].factor * f[c];
  return std::norm(sum);
}

TEST(DwbaGenerated, BoxOnSilicon) {
  EXPECT_IS(planned(silicon(), 0, 5, 0.2, 0.3, 0.35), 340201.357744129, 1e-11);
}
TEST(DwbaGenerated, BoxInAnAbsorbingFilm) {
  EXPECT_IS(planned(film(50, 3e-6, 5e-7), 1, -25, 0.25, 0.2, 0.4), 301773.767139261, 1e-11);
}

} // namespace
} // namespace facet::test
