// rule.cpp - F of a mesh and of the same mesh with its triangles cut, at a few q.
#include "runtime/engine/check/rule.h"
#include "runtime/engine/check/references.h"
#include "runtime/engine/sum/cut.h"
#include "runtime/engine/sum/points.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <random>
#include <string_view>

namespace facet::runtime {
namespace {

constexpr int finest = 64;
constexpr std::int64_t mostQ = 9, leastQ = 3;
constexpr double always = 4e6;     // terms; below that no q is left out for the mesh's size
constexpr double furtherCut = 5e5; // terms that a finer cut than 2 * 2 may take

// A kernel with exact means reads corners, whatever else it reads.
bool takesPoints(const Kernel &kernel) {
  const auto reads = [&](std::string_view begin) {
    return std::any_of(kernel->columns, kernel->columns + kernel->column_count,
                       [&](std::string_view name) { return name.starts_with(begin); });
  };
  return kernel->triangle != 0 && reads("centroid.") && !reads("vertex");
}

/// Some q at random but not q = 0; the first has the smallest |q|: |F| is likely to be large there.
std::vector<std::int64_t> fewOf(const Grid &grid, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> some;
  for (int tries = 0; tries < 256; ++tries) {
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(grid.size()));
    if (!isZero(grid, i) && std::find(some.begin(), some.end(), i) == some.end())
      some.push_back(i);
  }
  const auto square = [&](std::int64_t i) {
    const auto q = grid.at(i);
    return std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]);
  };
  if (!some.empty())
    std::iter_swap(some.begin(), std::ranges::min_element(some, {}, square));
  some.resize(std::min(some.size(), static_cast<std::size_t>(count)));
  return some;
}

/// Whether cutting leaves sum |term| as it is: terms are proportional to areas.
bool isRule(const std::vector<Reference> &whole, const std::vector<Reference> &cut) {
  const double before = whole[0].sumAbs, after = cut[0].sumAbs;
  return std::isfinite(before) && after < 2 * before && before < 2 * after;
}

/// The error of the rule has h^2 and higher powers, where h is an edge.
std::vector<std::complex<double>> extrapolated(const std::vector<Reference> &coarse,
                                               const std::vector<Reference> &fine,
                                               std::size_t output) {
  std::vector<std::complex<double>> f;
  for (std::size_t i = 0; i < fine.size(); ++i)
    f.push_back((4.0 * fine[i].f[output] - coarse[i].f[output]) / 3.0);
  return f;
}

RuleError compared(const std::vector<Reference> &given, const std::vector<std::complex<double>> &f,
                   std::size_t output, int cut) {
  RuleError rule;
  rule.cut = cut;
  double most = 0, worst = 0;
  std::vector<double> shares;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double off = std::abs(given[i].f[output] - f[i]), size = std::abs(f[i]);
    if (!std::isfinite(off) || size == 0)
      continue;
    most = std::max(most, size);
    worst = std::max(worst, off);
    shares.push_back(off / size);
  }
  if (shares.empty()) {
    rule.unknown = "F is 0 or not finite at all q that were looked at";
    return rule;
  }
  rule.samples = static_cast<int>(shares.size());
  rule.error = worst / most;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  rule.median = *middle;
  return rule;
}

/// The worst of the outputs that are not 0 everywhere.
RuleError worstOf(const std::vector<Reference> &given, const std::vector<Reference> &coarse,
                  const std::vector<Reference> &fine, std::size_t outputs, int cut) {
  RuleError worst;
  for (std::size_t o = 0; o < outputs; ++o) {
    const RuleError one = compared(given, extrapolated(coarse, fine, o), o, cut);
    if (o == 0 || worst.samples == 0 || one.median > worst.median)
      worst = one;
  }
  return worst;
}

} // namespace

RuleError ruleError(const Kernel &kernel, std::shared_ptr<const MeshBlocks> mesh,
                    std::int64_t block, const std::vector<double> &params, const Grid &grid,
                    std::uint64_t seed, int threads) {
  RuleError rule;
  if (!takesPoints(kernel))
    return rule;
  const auto records = static_cast<double>(mesh->size());
  const auto count = static_cast<std::int64_t>(always / (5 * records));
  const std::vector<std::int64_t> q = fewOf(grid, std::clamp(count, leastQ, mostQ), seed);
  if (q.empty())
    return rule;
  const bool tables = kernel->axis_column_count > 0;
  if (tables || mesh->read(0, 1).triangles.empty()) {
    rule.unknown = tables ? "columns with an axis are not cut with the triangles"
                          : "the mesh has no corners, so that its triangles cannot be cut";
    return rule;
  }
  Pool pool(threads);
  // The reference of the mesh with triangles cut into n * n, summed with the mesh in its place.
  const auto cutInto = [&](int n) {
    const std::shared_ptr<const MeshBlocks> finer = n > 1 ? refined(mesh, n) : mesh;
    const std::int64_t most = block > 0 ? block : usualBlock;
    const References reference(kernel, finer, most, Frame(), params, pool);
    if (finer->size() > most)
      reference.check(grid);
    return reference.at(grid, q, q.size(), HUGE_VAL);
  };
  try {
    const std::vector<Reference> given = cutInto(1);
    std::vector<Reference> coarse = given, fine = cutInto(2);
    if (!isRule(given, fine))
      return rule;
    int cut = 2;
    while (2 * cut <= finest &&
           4.0 * cut * cut * records * static_cast<double>(q.size()) <= furtherCut) {
      coarse = std::move(fine);
      fine = cutInto(cut *= 2);
    }
    return worstOf(given, coarse, fine, outputsOf(*kernel).size(), cut);
  } catch (const Error &e) { // F of blocks does not add
    rule.unknown = e.what();
    return rule;
  }
}

std::string show(const RuleError &r) {
  if (!r.unknown.empty())
    return fmt::format("how far centroids are off is not known: {}", r.unknown);
  return fmt::format(
      "centroids in place of triangles are off by {:.1e} of max|F|, by {:.1e} of |F| "
      "at the median ({} q; triangles cut to 1/{})",
      r.error, r.median, r.samples, r.cut);
}

std::string warningOf(const RuleError &rule) {
  if (!rule.large())
    return "";
  return fmt::format(
      "the kernel takes each triangle for a point, its centroid, and these triangles are too large "
      "for that ({:.1e} of |F| at the median q)\n  help: take mean_cis(q, t) in place of "
      "cis(dot(q, t.centroid)), as the kernel `exact` does, or a finer mesh (facet mesh convert "
      "--refine, or refine=N of a shape)",
      rule.median);
}

} // namespace facet::runtime
