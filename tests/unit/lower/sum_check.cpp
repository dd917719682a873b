// sum_check.cpp - random triangles and q, the IR summed over them, and a compiled sum's error.
#include "sum_check.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace facet::test {
namespace {

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
                    {"vertex1", vector(corner[1])}, {"vertex2", vector(corner[2])},
                    {"contrast", {1 + n[0] / 2}}};
    point.params["kappa"] = 0.7;
  }
  return points;
}

/// What a separable sum leaves to sums over the records that know no q: `finish` takes them.
std::vector<ir::Complex> totalsOf(const ir::Kernel &kernel, const std::vector<ir::Point> &mesh) {
  std::vector<ir::Complex> totals;
  for (ir::Point record : mesh) {
    ir::evaluateRecord(kernel, record);
    totals.resize(record.totals.size());
    for (std::size_t k = 0; k < totals.size(); ++k)
      totals[k] += record.totals[k];
  }
  return totals;
}

} // namespace

Expected expect(const ir::Kernel &source, const passes::Variant &variant, Size size, double extent,
                std::size_t samples) {
  const bool points = variant.grid == ir::GridKind::Points;
  Expected expected;
  expected.size = size;
  expected.mesh = triangles(size.nt, extent, 3);

  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> in(0.2, 1.15), sign(-1.15, 1.15), damping(0, 0.02);
  const std::size_t n[3] = {static_cast<std::size_t>(size.nx), static_cast<std::size_t>(size.ny),
                            static_cast<std::size_t>(size.nz)};
  const std::size_t all = n[0] * n[1] * n[2];
  Grid &grid = expected.grid;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < (points ? all : n[k]); ++i) {
      grid.re[k].push_back(k == 2 ? in(random) : sign(random));
      grid.im[k].push_back(k == 2 && variant.complexQ ? damping(random) * 100 / extent : 0);
    }

  double largest = 0, bound = 0;
  for (std::size_t sample = 0; sample < std::min(samples, all); ++sample) {
    const std::size_t i = sample == 0 ? all - 1 : samples >= all ? sample - 1 : sample * 7919 % all;
    const std::size_t x = points ? i : i / (n[1] * n[2]), y = points ? i : i / n[2] % n[1],
                      z = points ? i : i % n[2];
    ir::Point at = expected.mesh.front();
    at.q = {ir::Complex{grid.re[0][x]}, ir::Complex{grid.re[1][y]},
            ir::Complex{grid.re[2][z], grid.im[2][z]}};
    ir::Complex sum;
    double absolute = 0;
    for (ir::Point record : expected.mesh) {
      record.q = at.q;
      const ir::Complex term = ir::evaluateTerm(source, record).front();
      sum += term;
      absolute += std::abs(term);
    }
    at.sum = sum;
    const ir::Complex f = ir::evaluateFinish(source, at).front();
    at.sum = sum + absolute;
    bound = std::max(bound, std::abs(ir::evaluateFinish(source, at).front() - f));
    largest = std::max(largest, std::abs(f));
    expected.samples.push_back(i);
    expected.f.push_back(f);
  }
  expected.n = largest >= 0.1 * bound ? largest : bound;
  return expected;
}

double worstOf(const ir::Kernel &kernel, bool points, const Expected &expected,
               const std::function<ir::Complex(std::size_t, std::size_t, std::size_t)> &sumAt) {
  const std::vector<ir::Complex> totals = totalsOf(kernel, expected.mesh);
  const auto ny = static_cast<std::size_t>(expected.size.ny),
             nz = static_cast<std::size_t>(expected.size.nz);
  double difference = 0;
  for (std::size_t k = 0; k < expected.samples.size(); ++k) {
    const std::size_t i = expected.samples[k], x = points ? i : i / (ny * nz),
                      y = points ? i : i / nz % ny, z = points ? i : i % nz;
    ir::Point at = expected.mesh.front();
    at.q = {ir::Complex{expected.grid.re[0][x]}, ir::Complex{expected.grid.re[1][y]},
            ir::Complex{expected.grid.re[2][z], expected.grid.im[2][z]}};
    at.sum = sumAt(x, y, z);
    at.totals = totals;
    const double off = std::abs(ir::evaluateFinish(kernel, at).front() - expected.f[k]);
    difference = std::isnan(off) ? INFINITY : std::max(difference, off);
  }
  return difference / expected.n;
}

double errorOf(const lower::SumKernel &sum, const SumCall &call, const Expected &expected) {
  const bool points = sum.variant.grid == ir::GridKind::Points;
  const auto lanes = static_cast<std::size_t>(lower::pad(sum)[points ? 0 : 2]);
  Grid grid = expected.grid;
  for (std::size_t k = points ? 0 : 2; k < 3; ++k)
    while (grid.re[k].size() % lanes != 0) {
      grid.re[k].push_back(grid.re[k].back());
      grid.im[k].push_back(grid.im[k].back());
    }
  const auto ny = static_cast<std::size_t>(expected.size.ny), padded = grid.re[2].size();
  const std::size_t total = points ? padded : grid.re[0].size() * ny * padded;
  std::vector<double> re(total), im(total);
  call(packRecords(sum, expected.mesh), grid, {0.7}, re, im);

  return worstOf(sum.kernel, points, expected, [&](std::size_t x, std::size_t y, std::size_t z) {
    const std::size_t p = points ? x : (x * ny + y) * padded + z;
    return ir::Complex{re[p], im[p]};
  });
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

std::string nameOf(const passes::Variant &v) {
  std::string klass(spelling(v.klass));
  std::replace(klass.begin(), klass.end(), '-', '_');
  return fmt::format("{}_{}_{}_{}", spelling(v.algorithm), klass,
                     v.grid == ir::GridKind::Points ? "points" : "product",
                     v.complexQ ? "complex" : "real");
}

ir::Kernel sourceFor(const std::string &text, const passes::Variant &variant) {
  ir::Kernel kernel = ir::read(text, "test");
  passes::specialise(kernel, variant);
  return kernel;
}

} // namespace facet::test
