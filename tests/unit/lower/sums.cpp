// sums.cpp - whole sum kernels, every target, class, grid and q kind, against the IR in double.
#include "kernels.h"
#include "sum_call.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace facet::test {
namespace {

using passes::Class;

/// Small triangles anywhere in a centred cube of side `extent` nm.
std::vector<ir::Point> triangles(int count, double extent, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(-extent / 2, extent / 2), small(-1, 1);
  using V = std::array<double, 3>;
  const auto vector = [](const V &v) { return ir::Vector{v[0], v[1], v[2]}; };
  std::vector<ir::Point> points(static_cast<std::size_t>(count));
  for (ir::Point &point : points) {
    std::array<V, 3> corner;
    const V middle{place(random), place(random), place(random)};
    V centroid{};
    for (V &c : corner)
      for (std::size_t k = 0; k < 3; ++k)
        centroid[k] += (c[k] = middle[k] + small(random)) / 3;
    V a, b, n;
    for (std::size_t k = 0; k < 3; ++k)
      a[k] = corner[1][k] - corner[0][k], b[k] = corner[2][k] - corner[0][k];
    for (std::size_t k = 0; k < 3; ++k)
      n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    const double twice = std::hypot(n[0], n[1], n[2]);
    for (double &x : n)
      x /= twice;
    point.record = {{"area", {twice / 2}},          {"normal", vector(n)},
                    {"centroid", vector(centroid)}, {"vertex0", vector(corner[0])},
                    {"vertex1", vector(corner[1])}, {"vertex2", vector(corner[2])}};
    point.params["kappa"] = 0.7;
  }
  return points;
}

struct Size {
  int nt, nx, ny, nz; // points: nx * ny * nz of them
};
// Around the vector widths, the tiles and the blocks of records.
constexpr Size sizes[] = {{1, 1, 1, 1},   {2, 2, 3, 15},  {3, 1, 15, 16},  {15, 3, 2, 17},
                          {16, 1, 17, 3}, {17, 1, 16, 2}, {1000, 1, 9, 33}};

/// max|F - Fref| / N over a sample of q; N as in the accuracy contract: max|Fref|, or the bound of
/// the terms where that is ten times larger.
double errorOf(const lower::SumKernel &sum, const SumCall &call, const ir::Kernel &source,
               Size size, double extent) {
  const bool points = sum.variant.grid == ir::GridKind::Points;
  const auto lanes = static_cast<std::size_t>(lower::pad(sum)[points ? 0 : 2]);
  const std::vector<ir::Point> mesh = triangles(size.nt, extent, 3);

  std::mt19937_64 random(11); // |q| to 2 nm^-1
  std::uniform_real_distribution<double> in(0.2, 1.15), sign(-1.15, 1.15), damping(0, 0.02);
  const std::size_t n[3] = {static_cast<std::size_t>(size.nx), static_cast<std::size_t>(size.ny),
                            static_cast<std::size_t>(size.nz)};
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t length = points ? n[0] * n[1] * n[2] : n[k];
    for (std::size_t i = 0; i < length; ++i) {
      grid.re[k].push_back(k == 2 ? in(random) : sign(random));
      grid.im[k].push_back(k == 2 && sum.variant.complexQ ? damping(random) * 100 / extent : 0);
    }
    while ((points || k == 2) && grid.re[k].size() % lanes != 0) {
      grid.re[k].push_back(grid.re[k].back());
      grid.im[k].push_back(grid.im[k].back());
    }
  }
  const std::size_t nz = grid.re[2].size();
  const std::size_t total = points ? nz : n[0] * n[1] * nz;
  std::vector<double> re(total), im(total);
  call(packRecords(sum, mesh), grid, {0.7}, re, im);

  std::vector<ir::Complex> totals; // what a separable sum leaves to sums without q
  for (ir::Point record : mesh) {
    ir::evaluateRecord(sum.kernel, record);
    totals.resize(record.totals.size());
    for (std::size_t k = 0; k < totals.size(); ++k)
      totals[k] += record.totals[k];
  }

  double difference = 0, largest = 0, bound = 0;
  const std::size_t valid = n[0] * n[1] * n[2];
  for (std::size_t sample = 0; sample < 6; ++sample) {
    const std::size_t i = sample == 0 ? valid - 1 : (sample * 7919) % valid;
    const std::size_t x = points ? i : i / (n[1] * n[2]), y = points ? i : i / n[2] % n[1],
                      z = points ? i : i % n[2];
    ir::Point at = mesh.front();
    at.q = {ir::Complex{grid.re[0][x]}, ir::Complex{grid.re[1][y]},
            ir::Complex{grid.re[2][z], grid.im[2][z]}};
    ir::Complex sumRef;
    double absolute = 0;
    for (ir::Point record : mesh) {
      record.q = at.q;
      const ir::Complex term = ir::evaluateTerm(source, record);
      sumRef += term;
      absolute += std::abs(term);
    }
    const std::size_t p = points ? i : (x * n[1] + y) * nz + z;
    at.sum = {re[p], im[p]};
    at.totals = totals;
    const ir::Complex f = ir::evaluateFinish(sum.kernel, at);
    at.sum = sumRef;
    const ir::Complex reference = ir::evaluateFinish(source, at);
    at.sum = sumRef + absolute;
    bound = std::max(bound, std::abs(ir::evaluateFinish(source, at) - reference));
    difference = std::max(difference, std::abs(f - reference));
    largest = std::max(largest, std::abs(reference));
  }
  return difference / (largest >= 0.1 * bound ? largest : bound);
}

lower::SumKernel compiled(const ir::Kernel &source, const std::string &target,
                          const passes::Variant &variant) {
  lower::SumKernel sum;
  sum.variant = variant;
  sum.kernel = passes::run(source, variant);
  sum.target = target;
  sum.knobs = lower::defaultKnobs(sum.kernel, variant, target);
  sum.symbol = "sum";
  return sum;
}

/// The source's value for real q: its own text, with real axes.
ir::Kernel sourceFor(const char *text, const passes::Variant &variant) {
  ir::Kernel kernel = ir::read(text, "test");
  passes::specialise(kernel, variant);
  return kernel;
}

double allowed(Class klass) { return klass == Class::F64 ? 1e-12 : 5e-6; }

using Variant = std::tuple<std::string, Class, ir::GridKind, bool>;
class Sums : public testing::TestWithParam<Variant> {};

TEST_P(Sums, AreRightForOddSizes) {
  const auto &[target, klass, gridKind, complexQ] = GetParam();
  const passes::Variant variant{gridKind, complexQ, klass};
  const ir::Kernel source = sourceFor(Born, variant);
  const lower::SumKernel sum = compiled(ir::read(Born, "born"), target, variant);
  const SumCall call(sum);
  for (const Size &size : sizes)
    EXPECT_LE(errorOf(sum, call, source, size, 100), allowed(klass))
        << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
  if (klass != Class::F32) { // phases to 1000 and more
    EXPECT_LE(errorOf(sum, call, source, {500, 1, 5, 19}, 1000), allowed(klass)) << "extent 1000";
  }
}

/// Separable sums: also where rows are no multiple of a tile's, lines and blocks of records end
/// early, and rows run across x.
class Separable : public testing::TestWithParam<std::tuple<std::string, Class, bool>> {};

TEST_P(Separable, SumsAreRightForOddSizes) {
  const auto &[target, klass, complexQ] = GetParam();
  const passes::Variant variant{ir::GridKind::Product, complexQ, klass,
                                passes::Algorithm::Separable};
  for (const char *text : {Born, Closed}) {
    const ir::Kernel source = sourceFor(text, {ir::GridKind::Product, complexQ, klass});
    const lower::SumKernel sum = compiled(ir::read(text, "kernel"), target, variant);
    const SumCall call(sum);
    for (const Size &size : sizes)
      EXPECT_LE(errorOf(sum, call, source, size, 100), klass == Class::F64 ? 1e-12 : 2e-6)
          << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
    // Tables are formed in double, so that large phases cost nothing.
    EXPECT_LE(errorOf(sum, call, source, {500, 5, 1, 83}, 10000),
              klass == Class::F64 ? 1e-11 : 2e-6);
  }
}

std::string separableName(const testing::TestParamInfo<Separable::ParamType> &info) {
  const auto &[target, klass, complexQ] = info.param;
  return fmt::format("{}_{}_{}", target, klass == Class::F64 ? "f64" : "f32",
                     complexQ ? "complex" : "real");
}

INSTANTIATE_TEST_SUITE_P(Lower, Separable,
                         testing::Combine(testing::ValuesIn(targetsHere()),
                                          testing::Values(Class::F32, Class::F64), testing::Bool()),
                         separableName);

std::string nameOf(const testing::TestParamInfo<Variant> &info) {
  const auto &[target, klass, grid, complexQ] = info.param;
  return fmt::format("{}_{}_{}_{}", target,
                     klass == Class::F64          ? "f64"
                     : klass == Class::F32Careful ? "careful"
                                                  : "f32",
                     grid == ir::GridKind::Points ? "points" : "product",
                     complexQ ? "complex" : "real");
}

INSTANTIATE_TEST_SUITE_P(
    Lower, Sums,
    testing::Combine(testing::ValuesIn(targetsHere()),
                     testing::Values(Class::F32, Class::F32Careful, Class::F64),
                     testing::Values(ir::GridKind::Product, ir::GridKind::Points), testing::Bool()),
    nameOf);

class OtherKernels : public testing::TestWithParam<const char *> {};

TEST_P(OtherKernels, AreRightOnTheBestTarget) {
  for (const Class klass : {Class::F32, Class::F64})
    for (const bool complexQ : {false, true}) {
      const passes::Variant variant{ir::GridKind::Product, complexQ, klass};
      const ir::Kernel source = sourceFor(GetParam(), variant);
      const lower::SumKernel sum =
          compiled(ir::read(GetParam(), "kernel"), targetsHere().back(), variant);
      const SumCall call(sum);
      for (const Size &size : {sizes[3], sizes[5]})
        EXPECT_LE(errorOf(sum, call, source, size, 50), allowed(klass))
            << passes::spelling(klass) << (complexQ ? " complex" : " real");
    }
}

INSTANTIATE_TEST_SUITE_P(Lower, OtherKernels, testing::Values(Closed, Odd, Exact));

TEST(Lower, ErrorBoundHoldsWherePhasesAreSmall) {
  for (const Class klass : {Class::F32, Class::F32Careful, Class::F64}) {
    const passes::Variant variant{ir::GridKind::Product, true, klass};
    const ir::Kernel source = sourceFor(Closed, variant);
    const lower::SumKernel sum = compiled(source, targetsHere().back(), variant);
    const SumCall call(sum);
    EXPECT_LE(errorOf(sum, call, source, sizes[0], 1), lower::errorBound(variant));
  }
}

class Tiles : public testing::TestWithParam<passes::Algorithm> {};

TEST_P(Tiles, OfOtherSizesGiveTheSameSums) {
  const std::string target = targetsHere().back();
  const passes::Variant variant{ir::GridKind::Product, true, Class::F64, GetParam()};
  const ir::Kernel source = sourceFor(Born, {ir::GridKind::Product, true, Class::F64});
  lower::SumKernel sum = compiled(ir::read(Born, "born"), target, variant);
  for (const schedules::Knobs knobs :
       {schedules::Knobs{1, 1, 7}, {3, 2, 16}, {2, 3, 512}, {8, 1, 100}}) {
    sum.knobs = knobs;
    const SumCall call(sum);
    for (const Size &size : {sizes[1], sizes[4], sizes[6]})
      EXPECT_LE(errorOf(sum, call, source, size, 100), allowed(Class::F64))
          << knobs.tileY << " x " << knobs.tileZ;
  }
}

INSTANTIATE_TEST_SUITE_P(Lower, Tiles,
                         testing::Values(passes::Algorithm::Direct, passes::Algorithm::Separable),
                         [](const auto &info) { return std::string(spelling(info.param)); });

} // namespace
} // namespace facet::test
