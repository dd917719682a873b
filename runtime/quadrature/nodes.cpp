// nodes.cpp - a rule for each triangle of a mesh, their count, and records of nodes.
#include "runtime/quadrature/nodes.h"
#include "runtime/quadrature/choice.h"
#include "runtime/quadrature/rules.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>

namespace facet::runtime {
namespace {

void checkCorners(const Mesh &mesh) {
  if (mesh.triangles.empty())
    throw Error(mesh.name.empty() ? "mesh" : mesh.name,
                "has no corners, and nodes of a quadrature rule lie between corners",
                "give a mesh with vertices (STL, OBJ, PLY, HDF5), or use the direct algorithm");
}

class Counter {
public:
  void add(const RuleChoice &choice) {
    const std::int64_t n = choice.nodes();
    ++triangles_;
    count_.nodes += n;
    count_.cut += choice.cut > 1 ? 1 : 0;
    count_.largestDegree = std::max(count_.largestDegree, rules()[choice.rule].degree);
    count_.most = std::max(count_.most, n);
  }
  /// As if there were `triangles` of them.
  NodeCount total(std::int64_t triangles) const {
    NodeCount result = count_;
    if (triangles_ == 0)
      return result;
    result.perTriangle = static_cast<double>(count_.nodes) / static_cast<double>(triangles_);
    if (triangles != triangles_) {
      const double ratio = static_cast<double>(triangles) / static_cast<double>(triangles_);
      result.nodes = std::llround(result.perTriangle * static_cast<double>(triangles));
      result.cut = std::llround(static_cast<double>(count_.cut) * ratio);
    }
    return result;
  }

private:
  NodeCount count_;
  std::int64_t triangles_ = 0;
};

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

NodeCount predictNodes(const Mesh &mesh, const std::vector<Shell> &shells, const Matrix3 &rotation,
                       std::int64_t sample) {
  checkCorners(mesh);
  const std::vector<Demand> demands = demandsOf(shells);
  const auto n = static_cast<std::int64_t>(mesh.triangles.size());
  // An odd step, so that the two triangles of a quad are not told apart.
  const std::int64_t step = n <= sample ? 1 : (n / sample) | 1;
  Counter counter;
  for (std::int64_t t = 0; t < n; t += step)
    counter.add(
        chooseRule({mesh.triangles[static_cast<std::size_t>(t)], rotation}, demands, mesh.name, t));
  return counter.total(n);
}

NodeRules::NodeRules(const Mesh &mesh, const std::vector<Shell> &shells, const Matrix3 &rotation) {
  checkCorners(mesh);
  const std::vector<Demand> demands = demandsOf(shells);
  const std::size_t n = mesh.triangles.size();
  choices_.reserve(n);
  first_.reserve(n + 1);
  first_.push_back(0);
  Counter counter;
  for (std::size_t t = 0; t < n; ++t) {
    const RuleChoice choice =
        chooseRule({mesh.triangles[t], rotation}, demands, mesh.name, static_cast<std::int64_t>(t));
    choices_.push_back(choice);
    first_.push_back(first_.back() + choice.nodes());
    counter.add(choice);
  }
  count_ = counter.total(static_cast<std::int64_t>(n));
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
    const RuleChoice &choice = choices_[static_cast<std::size_t>(t)];
    eachNode(rules()[choice.rule], choice.cut, [&](double w, double a, double b, double c) {
      *weight++ = w;
      *x++ = a;
      *y++ = b;
      *z++ = c;
    });
  }
}

} // namespace facet::runtime
