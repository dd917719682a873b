// choice.cpp - the rule and the cut for one triangle: the bound of every shell met, fewest nodes.
#include "runtime/quadrature/choice.h"
#include "runtime/quadrature/moments.h"
#include "runtime/quadrature/rules.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr double mostPhase = 1e4; // rad in one triangle
constexpr int cutsTried = 3;      // beyond the first that any rule allows

double length(const double (&v)[3]) { return std::hypot(v[0], v[1], v[2]); }

/// Largest |p.v| of vectors v over real p with |p_k| <= most_k, |p| <= norm; `longest`: max|v|.
double along(const Vec3 (&vectors)[3], double longest, const double (&most)[3], double norm) {
  double largest = 0;
  for (const Vec3 &v : vectors)
    largest = std::max(largest, most[0] * std::abs(v[0]) + most[1] * std::abs(v[1]) +
                                    most[2] * std::abs(v[2]));
  return std::min(largest, norm * longest);
}

/// The first rule that meets all demands with this cut; rules().size() where there is none.
std::size_t firstRule(const std::vector<Demand> &demands, const std::vector<PhaseRange> &ranges,
                      int cut) {
  std::size_t rule = 0, met = 0; // met: demands in a row that `rule` meets, the last one at i
  for (std::size_t i = 0; met < demands.size() && rule < rules().size();) {
    if (!demands[i].metBy(rule, cut, ranges[i])) {
      ++rule;
      met = 0;
      continue;
    }
    ++met;
    i = (i + 1) % demands.size();
  }
  return rule;
}

} // namespace

TriangleShape::TriangleShape(const std::array<Vec3, 3> &corners, const Matrix3 &rotation) {
  Vec3 turned[3];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      turned[i][k] = rotation[3 * k] * corners[i][0] + rotation[3 * k + 1] * corners[i][1] +
                     rotation[3 * k + 2] * corners[i][2];
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i)
      edge[i][k] = turned[(i + 1) % 3][k] - turned[i][k];
    for (std::size_t i = 0; i < 3; ++i) // the mean of two edges that meet in the corner
      corner[i][k] = (edge[(i + 2) % 3][k] - edge[i][k]) / 3;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    farthest = std::max(farthest, std::hypot(corner[i][0], corner[i][1], corner[i][2]));
    longest = std::max(longest, std::hypot(edge[i][0], edge[i][1], edge[i][2]));
  }
}

PhaseRange phaseRange(const TriangleShape &triangle, const Shell &shell) {
  const auto &[corner, edge, farthest, longest] = triangle;
  const double re = std::min(length(shell.reMax), shell.normMax), im = length(shell.imMax);
  PhaseRange range;
  range.x = along(corner, farthest, shell.reMax, re);
  range.halfRe = along(edge, longest, shell.reMax, re) / 2;
  if (im > 0) {
    range.s = along(corner, farthest, shell.imMax, im);
    range.halfIm = along(edge, longest, shell.imMax, im) / 2;
    range.x = std::min(std::hypot(range.x, range.s), shell.normMax * farthest);
  }
  return range;
}

std::int64_t RuleChoice::nodes() const {
  return static_cast<std::int64_t>(rules()[rule].nodes.size()) * cut * cut;
}

Demand::Demand(const Shell &of) : shell(of), logTolerance(std::log(of.tolerance)) {
  if (length(shell.imMax) > 0)
    return;
  for (std::size_t rule = 0; rule < rules().size(); ++rule)
    half.push_back(shell.tolerance < 2 ? largestHalf(rule, shell.tolerance) : HUGE_VAL);
}

bool Demand::metBy(std::size_t rule, int cut, const PhaseRange &range) const {
  if (!half.empty())
    return range.halfRe <= half[rule] * cut;
  return logBound(rules()[rule].degree, range, cut) <= logTolerance;
}

std::vector<Demand> demandsOf(const std::vector<Shell> &shells) {
  std::vector<Demand> demands;
  for (const Shell &shell : pruned(shells))
    demands.emplace_back(shell);
  std::sort(demands.begin(), demands.end(),
            [](const Demand &a, const Demand &b) { return a.shell.normMax > b.shell.normMax; });
  return demands;
}

RuleChoice chooseRule(const TriangleShape &triangle, const std::vector<Demand> &demands,
                      const std::string &mesh, std::int64_t which) {
  thread_local std::vector<PhaseRange> ranges;
  ranges.clear();
  for (const Demand &demand : demands) {
    ranges.push_back(phaseRange(triangle, demand.shell));
    if (!(ranges.back().x <= mostPhase))
      throw Error(
          mesh.empty() ? "mesh" : mesh,
          fmt::format("the phase q.r runs over {:.2g} rad in triangle {}", ranges.back().x, which),
          "too many quadrature nodes: use the direct algorithm, or a smaller |q|");
  }
  const auto firstOf = [&](int cut) { return firstRule(demands, ranges, cut); };
  const std::size_t last = rules().size() - 1;
  if (const std::size_t rule = firstOf(1); rule <= last)
    return {static_cast<std::uint16_t>(rule), 1};
  // The smallest cut that the best rule allows: doubled, then halved between.
  int high = 2, low = 1;
  for (; high < 65535 && firstOf(high) > last; high = std::min(2 * high, 65535))
    low = high;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (firstOf(middle) > last ? low : high) = middle;
  }
  RuleChoice best{static_cast<std::uint16_t>(std::min(firstOf(high), last)),
                  static_cast<std::uint16_t>(high)};
  for (int cut = high + 1; cut <= std::min(high + cutsTried, 65535); ++cut) {
    const RuleChoice other{static_cast<std::uint16_t>(std::min(firstOf(cut), last)),
                           static_cast<std::uint16_t>(cut)};
    if (other.nodes() < best.nodes())
      best = other;
  }
  return best;
}

} // namespace facet::runtime
