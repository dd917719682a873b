// records.cpp - columns of random triangles, and of the nodes of quadrature rules on them.
#include "values.h"
#include <cmath>
#include <map>
#include <random>

namespace facet::test {
namespace {

using Vector = std::array<double, 3>;

Vector along(const Vector &from, const Vector &to) {
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

/// The built-in columns of a triangle: what belongs together does, as analysis may rely on it.
std::map<std::string, Vector> triangle(const std::array<Vector, 3> &v) {
  const Vector a = along(v[0], v[1]);
  const Vector b = along(v[0], v[2]);
  const Vector n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0]};
  const double twice = std::hypot(n[0], n[1], n[2]);
  Vector normal{};
  Vector centroid{};
  for (int k = 0; k < 3; ++k) {
    normal[k] = n[k] / twice;
    centroid[k] = (v[0][k] + v[1][k] + v[2][k]) / 3;
  }
  return {{"area", {twice / 2}}, {"normal", normal}, {"centroid", centroid}, {"vertex0", v[0]},
          {"vertex1", v[1]},     {"vertex2", v[2]},  {"edge1", a},           {"edge2", b}};
}

} // namespace

std::vector<std::vector<double>> randomColumns(const facet_kernel_description &kernel, int nt,
                                               double size) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> within(-1, 1);
  std::vector<std::vector<double>> columns(kernel.column_count);
  for (int t = 0; t < nt; ++t) {
    std::array<Vector, 3> corners{};
    const Vector centre = {5 * within(random), 5 * within(random), 5 * within(random)};
    for (Vector &corner : corners)
      for (int k = 0; k < 3; ++k)
        corner[k] = centre[k] + size * within(random);
    const auto own = triangle(corners);
    for (int c = 0; c < kernel.column_count; ++c) {
      const std::string name = kernel.columns[c];
      const std::size_t dot = name.find('.');
      const auto found = own.find(name.substr(0, dot));
      columns[c].push_back(found == own.end()
                               ? 1 + 0.5 * within(random)
                               : found->second[dot == std::string::npos ? 0 : name[dot + 1] - 'x']);
    }
  }
  return columns;
}

std::vector<std::vector<double>> atNodes(const std::vector<std::vector<double>> &columns,
                                         const std::vector<Node> &rule) {
  std::vector<std::vector<double>> nodes(columns.size() + 4);
  for (std::size_t t = 0; t < columns[0].size(); ++t)
    for (const Node &node : rule) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        nodes[c].push_back(columns[c][t]);
      nodes[columns.size()].push_back(node.weight);
      for (std::size_t k = 0; k < 3; ++k)
        nodes[columns.size() + 1 + k].push_back(node.barycentric[k]);
    }
  return nodes;
}

std::vector<const double *> pointers(const std::vector<std::vector<double>> &columns) {
  std::vector<const double *> out;
  out.reserve(columns.size());
  for (const auto &column : columns)
    out.push_back(column.data());
  return out;
}

} // namespace facet::test
