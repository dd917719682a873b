// choice.cpp - the rule and the cut for one triangle: the bound of every shell met, fewest nodes.
#include "runtime/quadrature/choice.h"
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

/// A shell seen from one triangle.
struct Demand {
  PhaseRange range;
  double logTolerance;
  bool metBy(std::size_t rule, int cut) const {
    return logBound(rules()[rule].degree, range, cut) <= logTolerance;
  }
};

/// The first rule that meets all demands with this cut; rules().size() where there is none. The
/// bound falls with the degree.
std::size_t firstRule(const std::vector<Demand> &demands, int cut) {
  std::size_t rule = 0;
  for (const Demand &demand : demands)
    while (rule < rules().size() && !demand.metBy(rule, cut))
      ++rule;
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

RuleChoice chooseRule(const TriangleShape &triangle, const std::vector<Shell> &shells,
                      const std::string &mesh, std::int64_t which) {
  thread_local std::vector<Demand> demands;
  demands.clear();
  for (const Shell &shell : shells) {
    const PhaseRange range = phaseRange(triangle, shell);
    if (!(range.x <= mostPhase))
      throw Error(mesh.empty() ? "mesh" : mesh,
                  fmt::format("the phase q.r runs over {:.2g} rad in triangle {}", range.x, which),
                  "too many quadrature nodes: use the direct algorithm, or a smaller |q|");
    demands.push_back({range, std::log(shell.tolerance)});
  }
  const std::size_t last = rules().size() - 1;
  if (const std::size_t rule = firstRule(demands, 1); rule <= last)
    return {static_cast<std::uint16_t>(rule), 1};
  // The smallest cut that the best rule allows: doubled, then halved between.
  int high = 2, low = 1;
  for (; high < 65535 && firstRule(demands, high) > last; high = std::min(2 * high, 65535))
    low = high;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (firstRule(demands, middle) > last ? low : high) = middle;
  }
  RuleChoice best{static_cast<std::uint16_t>(std::min(firstRule(demands, high), last)),
                  static_cast<std::uint16_t>(high)};
  for (int cut = high + 1; cut <= std::min(high + cutsTried, 65535); ++cut) {
    const RuleChoice other{static_cast<std::uint16_t>(std::min(firstRule(demands, cut), last)),
                           static_cast<std::uint16_t>(cut)};
    if (other.nodes() < best.nodes())
      best = other;
  }
  return best;
}

} // namespace facet::runtime
