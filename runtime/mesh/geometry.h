// geometry.h - vectors of three doubles, as the mesh code needs them.
#pragma once
#include <algorithm>
#include <cmath>
#include <facet/runtime/mesh.h>

namespace facet::runtime {

inline Vec3 operator+(const Vec3 &a, const Vec3 &b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3 &a, const Vec3 &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator*(double s, const Vec3 &a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3 &a, const Vec3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3 &a, const Vec3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec3 &a) { return std::sqrt(dot(a, a)); }

using Triangle = std::array<Vec3, 3>;

/// Area times the outward unit normal.
inline Vec3 areaNormal(const Triangle &t) { return 0.5 * cross(t[1] - t[0], t[2] - t[0]); }
inline Vec3 centroid(const Triangle &t) { return 1.0 / 3 * (t[0] + t[1] + t[2]); }
inline double longestEdge(const Triangle &t) {
  return std::max({length(t[1] - t[0]), length(t[2] - t[1]), length(t[0] - t[2])});
}
/// Calls with each list of records of a mesh and the same list of another, which takes over what is
/// said of all of them.
template <class Use> void eachList(const Mesh &from, Mesh &to, const Use &use) {
  to.name = from.name;
  to.roles = from.roles;
  to.unit = from.unit;
  use(from.triangles, to.triangles);
  use(from.facets.area, to.facets.area);
  use(from.facets.normal, to.facets.normal);
  use(from.facets.centroid, to.facets.centroid);
  for (const auto &[name, values] : from.columns)
    use(values, to.columns[name]);
}

/// The part of the area that sum s n of a closed surface stays below. One triangle missing of four
/// million is 2e-7; rounding leaves 1e-13. Facets come from text with few digits.
constexpr double leastGap(bool corners) { return corners ? 1e-8 : 1e-5; }
/// No area but rounding: corners that coincide or lie on a line.
inline bool isDegenerate(const Triangle &t) {
  double edge = longestEdge(t);
  return length(areaNormal(t)) <= 1e-14 * edge * edge;
}

} // namespace facet::runtime
