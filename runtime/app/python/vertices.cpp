// vertices.cpp - triangles that share vertices, for Python: what the numbers of their corners say,
// whatever places these have.
#include "runtime/app/python/arrays.h"
#include <algorithm>
#include <complex>
#include <facet/runtime/error.h>
#include <facet/runtime/gradient.h>
#include <facet/runtime/mesh.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace facet::runtime;
using facet::python::In;

namespace {

using Vertices = In<double, nb::shape<-1, 3>>;
using Faces = In<std::uint32_t, nb::shape<-1, 3>>;

void checkFaces(const Faces &faces, std::size_t vertices) {
  const std::uint32_t *end = faces.data() + faces.size();
  if (std::any_of(faces.data(), end, [&](std::uint32_t vertex) { return vertex >= vertices; }))
    throw Error("faces", "name a vertex that is not there", "they count from 0");
}

/// The corners of each face.
std::vector<Triangles::value_type> cornersOf(const Vertices &vertices, const Faces &faces) {
  checkFaces(faces, vertices.shape(0));
  std::vector<Triangles::value_type> made(faces.shape(0));
  const std::uint32_t *face = faces.data();
  for (auto &triangle : made)
    for (Vec3 &corner : triangle)
      std::copy_n(vertices.data() + std::size_t{3} * *face++, 3, corner.begin());
  return made;
}

facet::python::Out<double> gathered(const Vertices &vertices, const Faces &faces) {
  return facet::python::arrayOf(cornersOf(vertices, faces));
}

/// The mesh with its vertices elsewhere, in nm.
Mesh moved(const Mesh &mesh, const Vertices &vertices, const Faces &faces) {
  const nb::gil_scoped_release released;
  Mesh made;
  made.name = mesh.name;
  // Copies share them, as long as nothing is changed: those that a plan and its derivatives keep.
  const auto corners =
      std::make_shared<const std::vector<Triangles::value_type>>(cornersOf(vertices, faces));
  made.triangles = Triangles(*corners, corners);
  made.columns = mesh.columns;
  made.tables = mesh.tables;
  made.roles = mesh.roles;
  made = checkedMesh(std::move(made));
  made.unit = mesh.unit;
  return made;
}

/// nm^3; below 0: inside out.
double volumeOf(const Mesh &mesh) {
  const nb::gil_scoped_release released;
  double volume = 0;
  if (mesh.triangles.empty())
    return 0;
  const Vec3 origin = mesh.triangles[0][0];
  for (const auto &t : mesh.triangles) {
    std::array<Vec3, 3> v = t;
    for (Vec3 &corner : v)
      for (std::size_t k = 0; k < 3; ++k)
        corner[k] -= origin[k];
    const auto &[a, b, c] = v;
    volume += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
              a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return volume / 6;
}

/// Whether each edge is run through as often one way as the other: then the surface is closed, and
/// its triangles face one way, wherever its vertices are.
bool closedByFaces(const Faces &faces) {
  const nb::gil_scoped_release released;
  std::vector<std::uint64_t> up, down; // edges by their two vertices
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const std::uint64_t from = faces.data()[i], to = faces.data()[i - i % 3 + (i + 1) % 3];
    if (from < to)
      up.push_back(from << 32 | to);
    else if (to < from)
      down.push_back(to << 32 | from);
  }
  std::ranges::sort(up);
  std::ranges::sort(down);
  return up == down;
}

/// Derivatives by corners, added up where triangles share a vertex.
facet::python::Out<double> byVertices(Gradient &gradient,
                                      const In<std::complex<double>, nb::ndim<1>> &cotangent,
                                      const std::vector<double> &params, const Faces &faces,
                                      std::size_t vertices) {
  const std::vector<std::complex<double>> g(cotangent.data(), cotangent.data() + cotangent.size());
  std::vector<double> sums(3 * vertices);
  {
    const nb::gil_scoped_release released;
    checkFaces(faces, vertices);
    const Corners corners = gradient.corners(g, params);
    if (corners.size() != faces.shape(0))
      throw Error("faces", "are not those of the mesh", "set a mesh that was made of them");
    const std::uint32_t *face = faces.data();
    for (const auto &triangle : corners)
      for (const Vec3 &corner : triangle) {
        double *to = sums.data() + std::size_t{3} * *face++;
        for (std::size_t k = 0; k < 3; ++k)
          to[k] += corner[k];
      }
  }
  return facet::python::arrayOf(std::move(sums), {vertices, 3});
}

} // namespace

namespace facet::python {

void addVertices(nb::module_ &m) {
  m.def("gathered", &gathered, "vertices"_a, "faces"_a);
  m.def("moved", &moved, "mesh"_a, "vertices"_a, "faces"_a);
  m.def("volume", &volumeOf, "mesh"_a);
  m.def("closed_by_faces", &closedByFaces, "faces"_a);
  m.def("by_vertices", &byVertices, "gradient"_a, "cotangent"_a, "params"_a, "faces"_a,
        "vertices"_a);
}

} // namespace facet::python
