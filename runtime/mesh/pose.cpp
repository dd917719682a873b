// pose.cpp - a mesh turned, sized and moved: corners, and own columns by what they are.
#include "runtime/mesh/geometry.h"
#include <functional>
#include <limits>

namespace facet::runtime {
namespace {

/// The components of an own column that is a vector; null where it is none, or not there.
template <class AMesh> auto vectorOf(AMesh &mesh, const std::string &name) {
  std::array<decltype(&mesh.columns.begin()->second), 3> parts{};
  for (std::size_t k = 0; k < 3; ++k)
    if (const auto found = mesh.columns.find(name + "." + "xyz"[k]); found != mesh.columns.end())
      parts[k] = &found->second;
  if (parts[0] == nullptr || parts[1] == nullptr || parts[2] == nullptr)
    parts.fill(nullptr);
  return parts;
}

Vec3 turned(const std::array<double, 9> &m, const Vec3 &p) {
  return {m[0] * p[0] + m[1] * p[1] + m[2] * p[2], m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
          m[6] * p[0] + m[7] * p[1] + m[8] * p[2]};
}

/// What `change` makes of each value of the column, number or vector.
void eachValue(Mesh &mesh, const std::string &name,
               const std::function<Vec3(const Vec3 &)> &change) {
  const auto parts = vectorOf(mesh, name);
  if (parts[0] != nullptr)
    for (std::size_t i = 0; i < parts[0]->size(); ++i) {
      const Vec3 value = change({(*parts[0])[i], (*parts[1])[i], (*parts[2])[i]});
      for (std::size_t k = 0; k < 3; ++k)
        (*parts[k])[i] = value[k];
    }
  if (const auto number = mesh.columns.find(name); number != mesh.columns.end())
    for (double &value : number->second)
      value = change({value, 0, 0})[0];
}

} // namespace

void giveRoles(Mesh &mesh, const ColumnRoles &roles) {
  for (const auto &[name, role] : roles) {
    const bool own = mesh.columns.contains(name) || vectorOf(mesh, name)[0] != nullptr;
    if (!own || !mesh.roles.try_emplace(name, role).second)
      continue;
    if (const double factor = std::pow(mesh.unit, role.power); factor != 1)
      eachValue(mesh, name, [factor](const Vec3 &v) { return factor * v; });
  }
}

void eachPlace(const Mesh &mesh, const ColumnRoles &roles,
               const std::function<void(const Vec3 &)> &use) {
  for (const Triangle &t : mesh.triangles)
    for (const Vec3 &p : t)
      use(p);
  for (const Vec3 &p : mesh.facets.centroid)
    use(p);
  for (const auto &[name, role] : roles)
    if (const auto parts = vectorOf(mesh, name); role.moves && parts[0] != nullptr)
      for (std::size_t i = 0; i < parts[0]->size(); ++i)
        use({(*parts[0])[i], (*parts[1])[i], (*parts[2])[i]});
}

Vec3 centre(const Mesh &mesh) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Vec3 low{far, far, far}, high{-far, -far, -far};
  eachPlace(mesh, mesh.roles, [&](const Vec3 &p) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  });
  return low[0] > high[0] ? Vec3{} : 0.5 * (low + high);
}

Mesh posed(Mesh mesh, const Vec3 &middle, double scale, const std::array<double, 9> &matrix) {
  const bool turns = matrix != std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const auto vector = [&](const Vec3 &v, double factor, bool moves, bool turning) {
    const Vec3 there = factor * (moves ? v - middle : v);
    return turns && turning ? turned(matrix, there) : there;
  };
  for (Triangle &t : mesh.triangles)
    for (Vec3 &p : t)
      p = vector(p, scale, true, true);
  for (double &area : mesh.facets.area)
    area *= scale * scale;
  for (Vec3 &p : mesh.facets.normal)
    p = vector(p, 1, false, true);
  for (Vec3 &p : mesh.facets.centroid)
    p = vector(p, scale, true, true);
  for (const auto &[name, role] : mesh.roles)
    if (const double factor = std::pow(scale, role.power); role.turns || role.moves || factor != 1)
      eachValue(mesh, name,
                [&](const Vec3 &v) { return vector(v, factor, role.moves, role.turns); });
  return mesh;
}

Mesh rotated(const Mesh &mesh, const std::array<double, 9> &matrix) {
  return posed(mesh, {}, 1, matrix);
}

} // namespace facet::runtime
