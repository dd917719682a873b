// meshes.h - small closed meshes made in the precision of the language, and their closed forms.
#pragma once
#include <array>
#include <complex>
#include <facet/reference.h>
#include <vector>

FACET_LANGUAGE_BEGIN
namespace test {

using Mesh = std::vector<Triangle>;
using Corners = std::array<vec3, 3>; // counter-clockwise seen from outside

inline Triangle triangle(vec3 a, vec3 b, vec3 c) {
  Triangle t;
  t.vertex0 = a, t.vertex1 = b, t.vertex2 = c;
  t.edge1 = b - a, t.edge2 = c - a;
  const vec3 twice = cross(t.edge1, t.edge2);
  t.area = norm(twice) / 2;
  t.normal = twice / norm(twice);
  t.centroid = (a + b + c) / 3;
  return t;
}

/// Each triangle cut into four, `times` over, corners moved by `place` (onto a sphere, or nowhere).
template <class Place> Mesh refined(std::vector<Corners> faces, int times, const Place &place) {
  for (int round = 0; round < times; ++round) {
    std::vector<Corners> next;
    for (const auto &[a, b, c] : faces) {
      const vec3 ab = place((a + b) / 2), bc = place((b + c) / 2), ca = place((c + a) / 2);
      next.insert(next.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    faces = next;
  }
  Mesh mesh;
  for (const auto &[a, b, c] : faces)
    mesh.push_back(triangle(a, b, c));
  return mesh;
}
inline vec3 stay(vec3 v) { return v; }

/// A flat convex face of corners in order, as a fan.
inline void fan(std::vector<Corners> &faces, const std::vector<vec3> &face) {
  for (std::size_t k = 2; k < face.size(); ++k)
    faces.push_back({face[0], face[k - 1], face[k]});
}

/// The box [0, size] moved by `corner`, each face two triangles, refined.
inline Mesh box(vec3 size, vec3 corner, int times = 0) {
  const auto at = [&](int k) {
    return vec3(k & 1 ? size.x : 0, k & 2 ? size.y : 0, k & 4 ? size.z : 0) + corner;
  };
  std::vector<Corners> faces;
  for (const auto &f : {std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
                        std::array{2, 6, 7, 3}, std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}})
    fan(faces, {at(f[0]), at(f[1]), at(f[2]), at(f[3])});
  return refined(faces, times, stay);
}

inline Mesh tetrahedron(vec3 a, vec3 b, vec3 c, vec3 d) { // dot(cross(b-a, c-a), d-a) > 0
  return {triangle(a, c, b), triangle(a, b, d), triangle(b, c, d), triangle(c, a, d)};
}

/// A sphere about the origin, from an octahedron; its corners lie on the sphere.
inline Mesh sphere(real radius, int times) {
  const auto place = [&](vec3 v) { return v * (radius / norm(v)); };
  std::vector<Corners> faces;
  for (int k = 0; k < 8; ++k) {
    const vec3 x(k & 1 ? -radius : radius, 0, 0), y(0, k & 2 ? -radius : radius, 0),
        z(0, 0, k & 4 ? -radius : radius);
    const bool turned = ((k ^ (k >> 1) ^ (k >> 2)) & 1) != 0;
    faces.push_back({x, turned ? z : y, turned ? y : z});
  }
  return refined(faces, times, place);
}

/// The truncated octahedron of the 24 permutations of (0, +-a, +-2a): six squares, eight hexagons.
inline Mesh truncatedOctahedron(real a) {
  // One square and one hexagon, each then reflected; a reflection turns the order of corners round.
  const std::vector<vec3> square = {{2, 1, 0}, {2, 0, 1}, {2, -1, 0}, {2, 0, -1}};
  const std::vector<vec3> hexagon = {{2, 1, 0}, {1, 2, 0}, {0, 2, 1},
                                     {0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
  std::vector<Corners> faces;
  const auto add = [&](std::vector<vec3> face, vec3 outward) {
    if (dot(cross(face[1] - face[0], face[2] - face[0]), outward) < 0)
      face = {face.rbegin(), face.rend()};
    for (vec3 &v : face)
      v = v * a;
    fan(faces, face);
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int sign : {1, -1}) {
      std::vector<vec3> face;
      face.reserve(square.size());
      for (const vec3 v : square) {
        const std::array<real, 3> u{sign * v.x, v.y, v.z};
        face.emplace_back(u[(3 - axis) % 3], u[(4 - axis) % 3], u[(5 - axis) % 3]);
      }
      add(face, face[0] + face[2]);
    }
  for (int k = 0; k < 8; ++k) {
    const vec3 sign(k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1);
    std::vector<vec3> face;
    face.reserve(hexagon.size());
    for (const vec3 v : hexagon)
      face.emplace_back(v.x * sign.x, v.y * sign.y, v.z * sign.z);
    add(face, sign);
  }
  return refined(faces, 0, stay);
}

inline real area(const Mesh &mesh) {
  real sum = 0;
  for (const Triangle &t : mesh)
    sum += t.area;
  return sum;
}

inline real volume(const Mesh &mesh) {
  real sum = 0;
  for (const Triangle &t : mesh)
    sum += t.area * dot(t.centroid, t.normal) / 3;
  return sum;
}

/// F of kernel K over records at hand.
template <class K, class Record>
reference_values<K> value(const std::vector<Record> &records, const q_of<K> &q) {
  const auto at = [&](long k) -> const Record & { return records[static_cast<std::size_t>(k)]; };
  return evaluate<K>(q, at, static_cast<long>(records.size()));
}

} // namespace test
FACET_LANGUAGE_END
