// totals.cpp - sums of record-only values: 0 if only rounding is left of them, else kept.
#include "fixture.h"
#include "runtime/engine/sum/algorithm.h"

namespace facet::test {
namespace {

/// B = sum s n_x, as a kernel with cism1 has it.
void areaTimesNormal(const double *const *c, int64_t n, const double *, double *totals,
                     double *sizes) {
  long double sum = 0;
  totals[0] = totals[1] = sizes[0] = 0;
  for (int64_t t = 0; t < n; ++t) {
    sum += static_cast<long double>(c[0][t]) * c[1][t];
    sizes[0] += std::abs(c[0][t] * c[1][t]);
  }
  totals[0] = static_cast<double>(sum);
}

Totals totalsOf(const Mesh &mesh) {
  const Kernel kernel = fixture();
  const Grid grid = productGrid("0.1", "0.1", "0.1");
  Records records(*kernel);
  records.setMesh(mesh);
  Pool pool(2);
  const std::vector<double> params{1};
  const std::vector<std::int64_t> zeros;
  const std::function<void(double, double)> progress;
  Totals totals;
  totals.compute(areaTimesNormal, 1, {kernel, grid, records, pool, params, zeros, progress},
                 Source(records));
  return totals;
}

TEST(Totals, OfAClosedMeshAreZero) {
  const Totals totals = totalsOf(makeMesh("torus", {{"around", {240}}, {"tube", {200}}}));
  EXPECT_EQ(totals.values()[0], 0);
  EXPECT_GT(totals.numbers()[2], 0);
  EXPECT_HAS(totals.text(), "B0 = 0 (");
}

TEST(Totals, OfAnOpenMeshAreKept) {
  Mesh open = torus();
  open.triangles.resize(3);
  const Totals totals = totalsOf(open);
  EXPECT_NE(totals.values()[0], 0);
  EXPECT_HAS(totals.text(), "B0 kept (");
}

} // namespace
} // namespace facet::test
