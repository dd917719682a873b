// polyhedra.h - polyhedra with closed forms, and the q at which form factors go wrong.
#pragma once
#include "closed_forms.h"
#include "meshes.h"
#include <algorithm>
#include <functional>
#include <string>

FACET_LANGUAGE_BEGIN
namespace test {

using Wave = wavevector<real, real, cplx>;

struct Polyhedron {
  std::string name;
  Mesh mesh;
  std::function<LongComplex(const Wave &)> closedForm;
};

inline std::vector<Polyhedron> polyhedra() {
  const vec3 size(3, 5, 8), corner(-1, -2, -4.5);
  const auto solid = [](std::string name, const Mesh &mesh) {
    return Polyhedron{std::move(name), mesh, [mesh](const Wave &q) { return solidOf(q, mesh); }};
  };
  return {
      {"box", box(size, corner), [=](const Wave &q) { return boxOf(q, size, corner); }},
      solid("tetrahedron", tetrahedron({-2, -1, -1}, {3, -1, -0.5}, {0, 4, -1}, {0.25, 0.5, 5})),
      solid("truncated octahedron", truncatedOctahedron(2.5))};
}

/// q along, in, across and 1e-9 beside everything that makes phases alike, |q| from 1e-8 to 10.
inline std::vector<Wave> awkwardRealQ(const Mesh &mesh) {
  std::vector<vec3> directions = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.36, 0.48, 0.8}};
  const auto add = [&](vec3 d) {
    const auto along = [&](vec3 known) { return norm(cross(known, d)) < 1e-6; };
    if (std::none_of(directions.begin(), directions.end(), along))
      directions.push_back(d);
  };
  for (const Triangle &t : mesh) {
    const vec3 along = t.edge1 / norm(t.edge1);
    add(t.normal), add(along), add(cross(t.normal, along));
  }
  std::vector<Wave> all;
  for (const double size : {1e-8, 1e-5, 1e-2, 0.3, 1.0, 3.0, 10.0})
    for (const vec3 d : directions)
      for (const vec3 beside : {vec3(0, 0, 0), vec3(1e-9, 0, 0), vec3(0, -1e-9, 1e-9)}) {
        const vec3 q = (d + beside) * size;
        all.push_back({q.x, q.y, q.z});
      }
  return all;
}

/// Complex q, those with q.q = 0 among them: (0, s, is) and (3s, 4s, 5is)/5.
inline std::vector<Wave> awkwardComplexQ() {
  std::vector<Wave> all;
  for (const double s : {1e-8, 1e-4, 0.02, 0.5})
    all.insert(all.end(), {{0, s, cplx(0, s)},
                           {0.6 * s, 0.8 * s, cplx(0, s)},
                           {s, 0, cplx(0, -s)},
                           {0, 0, cplx(0, s)},
                           {s, s, cplx(s, s / 9)},
                           {0, 2, cplx(1, s)}});
  return all;
}

/// |F - closed form| over min(V, S/|q|), grown by the largest e^{-Im q.r} of the mesh.
inline double relativeError(const Polyhedron &solid, const Wave &q, LongComplex f) {
  double growth = 1;
  for (const Triangle &t : solid.mesh)
    growth = std::max<double>(growth, std::exp(-im(q.z) * t.vertex0.z));
  const double scale =
      static_cast<double>(min(volume(solid.mesh), area(solid.mesh) / norm(q))) * growth;
  return static_cast<double>(std::abs(f - solid.closedForm(q))) / scale;
}

} // namespace test
FACET_LANGUAGE_END
