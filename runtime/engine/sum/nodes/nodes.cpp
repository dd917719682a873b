// nodes.cpp - the q of a grid in octaves of |q|, and a rule for each triangle of a mesh. The rule
// meets the bound of every shell by the fewest nodes. Also their count, and records of nodes.
#include "runtime/engine/sum/nodes/rules.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr int octaves = 60;       // q smaller than 2^-60 of the largest joins the last
constexpr double mostPhase = 1e4; // rad in one triangle
constexpr int cutsTried = 3;      // beyond the first that any rule allows

double squares(const Axis &axis, std::size_t i) {
  return axis.re[i] * axis.re[i] + (axis.im.empty() ? 0 : axis.im[i] * axis.im[i]);
}

/// Adds q at i[k] of axis k to a shell.
void take(Shell &shell, const Grid &grid, const std::array<std::int64_t, 3> &i, double norm,
          double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Axis &axis = grid.axes[k];
    shell.reMax[k] = std::max(shell.reMax[k], std::abs(axis.re[i[k]]));
    if (!axis.im.empty())
      shell.imMax[k] = std::max(shell.imMax[k], std::abs(axis.im[i[k]]));
  }
  shell.tolerance = shell.normMax > 0 ? std::min(shell.tolerance, tolerance) : tolerance;
  shell.normMax = std::max(shell.normMax, norm);
}

bool demandsNoMore(const Shell &a, const Shell &than) {
  bool less =
      a.normMax <= than.normMax && a.tolerance >= than.tolerance && (than.linear || !a.linear);
  for (int k = 0; k < 3; ++k)
    less = less && a.reMax[k] <= than.reMax[k] && a.imMax[k] <= than.imMax[k];
  return less;
}

double length(const double (&v)[3]) { return std::hypot(v[0], v[1], v[2]); }

/// Largest |p.v| of vectors v over real p with |p_k| <= most_k, |p| <= norm; `longest`: max|v|.
double along(const Vec3 (&vectors)[3], double longest, const double (&most)[3], double norm) {
  double largest = 0;
  for (const Vec3 &v : vectors)
    largest = std::max(largest, most[0] * std::abs(v[0]) + most[1] * std::abs(v[1]) +
                                    most[2] * std::abs(v[2]));
  return std::min(largest, norm * longest);
}

/// The first rule that meets all demands with this cut; rules().size() if there is none.
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

/// The square of the longest edge.
double longestSquared(const std::array<Vec3, 3> &corners) {
  double longest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < 3; ++k)
      squares += std::pow(corners[(i + 1) % 3][k] - corners[i][k], 2);
    longest = std::max(longest, squares);
  }
  return longest;
}

void checkCorners(const Mesh &mesh) {
  if (mesh.triangles.empty())
    throw Error(mesh.name.empty() ? "mesh" : mesh.name,
                "has no corners, and nodes of a quadrature rule lie between corners",
                "give a mesh with vertices (STL, OBJ, PLY, HDF5), or use the direct algorithm");
}

/// The nodes of a rule on a triangle cut into cut*cut: weight, x, y, z a node, in order.
template <class Take> void eachNode(const Rule &rule, int cut, const Take &take) {
  const double n = cut;
  for (int i = 0; i < cut; ++i)
    for (int j = 0; i + j < cut; ++j)
      for (const int side : {1, -1}) { // -1: the triangle upside down beside it
        if (side < 0 && i + j + 1 >= cut)
          continue;
        const double x = cut - i - j - 1, y = side > 0 ? i : i + 1, z = side > 0 ? j : j + 1;
        for (const Rule::Node &node : rule.nodes)
          take(node.weight / (n * n), (x + side * node.at[0]) / n, (y + side * node.at[1]) / n,
               (z + side * node.at[2]) / n);
      }
}

} // namespace

std::vector<Shell> shellsOf(const Grid &grid, std::span<const double> tolerance) {
  const int top = std::ilogb(shellsOf(grid, 0).front().normMax);
  const bool list = grid.kind == Grid::Kind::Points;
  const auto [nx, ny, nz] = grid.extents();
  std::vector<Shell> shells(octaves);
  const double *at = tolerance.data();
  for (std::int64_t x = 0; x < nx; ++x)
    for (std::int64_t row = 0; row < ny; ++row) {
      const std::int64_t y = list ? x : row;
      const double across = squares(grid.axes[0], x) + squares(grid.axes[1], y);
      for (std::int64_t column = 0; column < nz; ++column, ++at) {
        const std::int64_t z = list ? x : column;
        const double norm2 = across + squares(grid.axes[2], z);
        if (!(norm2 > 0) || std::isinf(*at))
          continue;
        const double norm = std::sqrt(norm2);
        Shell &shell = shells[std::clamp(top - std::ilogb(norm), 0, octaves - 1)];
        take(shell, grid, {x, y, z}, norm, *at);
      }
    }
  std::erase_if(shells, [](const Shell &shell) { return !(shell.normMax > 0); });
  return pruned(shells);
}

std::vector<Shell> shellsOf(const Grid &grid, double tolerance) {
  Shell shell;
  shell.tolerance = tolerance;
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double most = 0;
    for (std::size_t i = 0; i < grid.axes[k].re.size(); ++i) {
      shell.reMax[k] = std::max(shell.reMax[k], std::abs(grid.axes[k].re[i]));
      if (!grid.axes[k].im.empty())
        shell.imMax[k] = std::max(shell.imMax[k], std::abs(grid.axes[k].im[i]));
      most = std::max(most, squares(grid.axes[k], i));
    }
    sum += most;
  }
  shell.normMax = std::sqrt(sum);
  return {shell};
}

std::vector<Shell> shellsOfDerivatives(const Grid &grid, double tolerance) {
  std::vector<Shell> shells = shellsOf(grid, tolerance);
  for (Shell &shell : shells)
    shell.linear = true;
  return shells;
}

std::vector<Shell> coarseShells(const Mesh &mesh, const Grid &grid) {
  double longest = 0; // squared
  for (const auto &corners : mesh.triangles)
    longest = std::max(longest, longestSquared(corners));
  Shell shell = shellsOf(grid, 0.1).front();
  // A phase that runs over 6 rad along the longest edge: a rule of degree 5 at this tolerance.
  if (longest > 0)
    shell.normMax = std::min(shell.normMax, 6 / std::sqrt(longest));
  for (int k = 0; k < 3; ++k) {
    shell.reMax[k] = shell.normMax;
    shell.imMax[k] = 0;
  }
  return {shell};
}

std::vector<Shell> pruned(std::vector<Shell> shells) {
  std::vector<Shell> kept;
  for (std::size_t i = 0; i < shells.size(); ++i) {
    bool needed = true;
    for (std::size_t j = 0; j < shells.size() && needed; ++j)
      // If two are alike, the first is kept.
      needed = i == j || !demandsNoMore(shells[i], shells[j]) ||
               (i < j && demandsNoMore(shells[j], shells[i]));
    if (needed)
      kept.push_back(shells[i]);
  }
  return kept;
}

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
  if (!(length(shell.imMax) > 0))
    half.assign(rules().size(), NAN);
}

bool Demand::metBy(std::size_t rule, int cut, const PhaseRange &range) const {
  if (!half.empty()) {
    if (std::isnan(half[rule]))
      half[rule] =
          shell.tolerance < 2 ? largestHalf(rule, shell.tolerance, shell.linear) : HUGE_VAL;
    return range.halfRe <= half[rule] * cut;
  }
  return logBound(rules()[rule].degree - (shell.linear ? 1 : 0), range, cut) <= logTolerance;
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

// By the square of the longest edge, as which nodes grow where they are many.
std::vector<WeightedRecord> standingFor(const Mesh &mesh, std::int64_t most) {
  std::vector<double> sizes;
  sizes.reserve(static_cast<std::size_t>(mesh.size()));
  for (const auto &corners : mesh.triangles)
    sizes.push_back(longestSquared(corners));
  return standingFor(sizes, most);
}

NodeCount predictNodes(const Mesh &mesh, const std::vector<WeightedRecord> &by,
                       const std::vector<Shell> &shells, const Matrix3 &rotation) {
  checkCorners(mesh);
  const std::vector<Demand> demands = demandsOf(shells);
  double all = 0;
  std::int64_t most = 0;
  for (const auto &[t, stands] : by) {
    const std::int64_t nodes =
        chooseRule({mesh.triangles[t], rotation}, demands, mesh.name, t).nodes();
    all += stands * static_cast<double>(nodes);
    most = std::max(most, nodes);
  }
  return {all / static_cast<double>(mesh.size()), most};
}

NodeRules::NodeRules(const Mesh &mesh, const std::vector<Shell> &shells, const Matrix3 &rotation) {
  checkCorners(mesh);
  const std::vector<Demand> demands = demandsOf(shells);
  const std::int64_t n = mesh.size();
  choices_.reserve(n);
  first_.reserve(n + 1);
  first_.push_back(0);
  for (std::int64_t t = 0; t < n; ++t) {
    choices_.push_back(chooseRule({mesh.triangles[t], rotation}, demands, mesh.name, t));
    first_.push_back(first_.back() + choices_.back().nodes());
  }
}

std::int64_t NodeRules::within(std::int64_t t0, std::int64_t most) const {
  const auto from = first_.begin() + t0 + 1;
  const auto end = std::upper_bound(from, first_.end(), nodesBefore(t0) + most);
  return std::max(t0 + 1, static_cast<std::int64_t>(end - first_.begin()) - 1);
}

void NodeRules::expand(std::int64_t t0, std::int64_t t1, std::span<const double *const> columns,
                       double *const *out) const {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double *to = out[c];
    for (std::int64_t t = t0; t < t1; ++t)
      to = std::fill_n(to, nodesBefore(t + 1) - nodesBefore(t), columns[c][t]);
  }
  double *const *node = out + columns.size();
  double *weight = node[0], *x = node[1], *y = node[2], *z = node[3];
  for (std::int64_t t = t0; t < t1; ++t) {
    const RuleChoice &choice = choices_[t];
    eachNode(rules()[choice.rule], choice.cut, [&](double w, double a, double b, double c) {
      *weight++ = w;
      *x++ = a;
      *y++ = b;
      *z++ = c;
    });
  }
}

} // namespace facet::runtime
