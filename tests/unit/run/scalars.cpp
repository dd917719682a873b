// scalars.cpp - strengths that depend on a scalar of q are evaluated once for all tolerances a plan
// weighs.
#include "fixture.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include "runtime/engine/transform/waves.h"
#include <random>

namespace facet::test {
namespace {

std::int64_t calls = 0, records = 0; // of strengthsAt()

void norm2(const double *const re[3], const double *const *, const std::int64_t stride[3],
           std::int64_t n, const double *, double *const *u) {
  for (std::int64_t i = 0; i < n; ++i) {
    u[0][i] = 0;
    for (int k = 0; k < 3; ++k)
      u[0][i] += re[k][i * stride[k]] * re[k][i * stride[k]];
  }
}

/// e^{-(900 + 10 area) u}, u from 0 to 3, which takes bands.
void strengthsAt(const double *const *c, std::int64_t n, const double *params, double *const *,
                 double *const *strengths) {
  ++calls, records += n;
  for (std::int64_t t = 0; t < n; ++t) {
    strengths[0][2 * t] = std::exp(-(900 + 10 * c[0][t]) * params[1]);
    strengths[0][2 * t + 1] = 0;
  }
}

/// The points of the fixture, and these strengths in the place of its own.
void fill(const double *const *c, std::int64_t n, const double *params, double *const *points,
          double *const *strengths) {
  for (int k = 0; k < 3; ++k)
    std::copy_n(c[4 + k], n, points[k]);
  strengthsAt(c, n, params, points, strengths);
}

Grid scattered() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> component(-1, 1);
  Grid grid;
  grid.kind = Grid::Kind::Points;
  for (int i = 0; i < 1581; ++i)
    for (Axis &axis : grid.axes)
      axis.re.push_back(component(random));
  return grid;
}

/// A fixture whose strengths depend on norm2(q).
struct Mixing {
  Kernel kernel = fixture("waves");
  Grid grid = scattered();
  Records columns{*kernel};
  Pool pool{1};
  std::vector<double> params{1};
  std::vector<std::int64_t> zeros;
  std::function<void(double, double)> silent;
  SumContext work{kernel, grid, columns, pool, params, zeros, silent};
  facet_transforms form = *kernel.transforms(FACET_REAL_Q);
  const facet_waves_fn again = strengthsAt;
  const char *const name = "norm2(q)";
  const std::int32_t one = 1;

  explicit Mixing(const Mesh &mesh) {
    columns.setMesh(mesh);
    form.transforms = form.scalars = 1;
    form.scalars_of = &one;
    form.scalar_names = &name;
    form.scalars_fn = norm2;
    form.fill = fill;
    form.refill = &again;
  }
};

NufftLayout laidOut(const WaveRecords &waves, const Grid &grid, double tolerance) {
  TransformOptions how;
  how.tolerance = how.accuracy = tolerance;
  return layOutNufft(grid, requestOf(waves, 0, grid, how));
}

TEST(Scalars, StrengthsAreEvaluatedOnceForAllTolerances) {
  Mixing m(makeMesh("torus", {{"around", {10}}, {"tube", {6}}}));
  WaveRecords waves(m.work, m.form);
  waves.fill();
  const NufftLayout first = laidOut(waves, m.grid, 1e-9);
  ASSERT_TRUE(first.possible()) << first.refusal;
  ASSERT_GT(first.calls.size(), 4U) << first.text();
  const std::int64_t ofOne = std::exchange(calls, 0);
  EXPECT_EQ(laidOut(waves, m.grid, 1e-9).text(), first.text());
  EXPECT_EQ(calls, 0);
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10})
    EXPECT_TRUE(laidOut(waves, m.grid, tolerance).possible());
  EXPECT_LT(calls, 2 * ofOne);
}

TEST(Scalars, AreCountedAnewWhereRecordsChange) {
  const auto made = [](double tube) {
    return makeMesh("torus", {{"around", {10}}, {"tube", {6}}, {"minor", {tube}}});
  };
  Mixing m(made(3)), other(made(6));
  WaveRecords waves(m.work, m.form), fresh(other.work, other.form);
  waves.fill(), fresh.fill();
  laidOut(waves, m.grid, 1e-9);
  m.columns.setMesh(made(6));
  waves.changed();
  waves.fill();
  EXPECT_EQ(laidOut(waves, m.grid, 1e-9).text(), laidOut(fresh, m.grid, 1e-9).text());
}

TEST(Scalars, NoRecordIsLookedAtTwice) {
  Mixing m(makeMesh("box", {{"size", {6, 6, 6}}}));
  ASSERT_EQ(m.columns.size(), 12);
  WaveRecords waves(m.work, m.form);
  waves.fill();
  calls = records = 0;
  laidOut(waves, m.grid, 1e-9);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(records, 12 * calls);
}

} // namespace
} // namespace facet::test
