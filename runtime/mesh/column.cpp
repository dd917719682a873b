// column.cpp - columns of doubles that kernels read: geometry of the triangles and columns of the
// file.
#include "runtime/mesh/geometry.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <functional>

namespace facet::runtime {

namespace {
/// A built-in column of vectors: component k of record i.
using Component = std::function<double(std::size_t i, int k)>;

const std::vector<std::string> &builtIn() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
#define FACET_TRIANGLE(name, is_vector, power, moves, doc)                                         \
  if (is_vector)                                                                                   \
    for (const char *k : {".x", ".y", ".z"})                                                       \
      all.push_back(std::string(#name) + k);                                                       \
  else                                                                                             \
    all.emplace_back(#name);
#include <facet/triangle.def>
    return all;
  }();
  return names;
}

Component fromCorners(const Mesh &mesh, const std::string &name, const Vec3 &centre) {
  const auto &t = mesh.triangles;
  if (name == "area")
    return [&t](std::size_t i, int) { return length(areaNormal(t[i])); };
  if (name == "normal")
    return [&t](std::size_t i, int k) {
      Vec3 a = areaNormal(t[i]);
      return a[k] / length(a);
    };
  if (name == "centroid")
    return [&t, centre](std::size_t i, int k) {
      return ((t[i][0][k] - centre[k]) + (t[i][1][k] - centre[k]) + (t[i][2][k] - centre[k])) / 3;
    };
  if (name == "edge1" || name == "edge2")
    return [&t, corner = name == "edge1" ? 1 : 2](std::size_t i, int k) {
      return t[i][corner][k] - t[i][0][k];
    };
  int corner = name.back() - '0'; // vertex0, vertex1, vertex2
  return [&t, corner, centre](std::size_t i, int k) { return t[i][corner][k] - centre[k]; };
}

/// Area, normal and centroid of a mesh without corners; empty for the rest.
Component fromFacets(const Mesh &mesh, const std::string &name, const Vec3 &centre) {
  const auto &f = mesh.facets;
  if (name == "area")
    return [&f](std::size_t i, int) { return f.area[i]; };
  if (name == "normal")
    return [&f](std::size_t i, int k) { return f.normal[i][k]; };
  if (name == "centroid")
    return [&f, centre](std::size_t i, int k) { return f.centroid[i][k] - centre[k]; };
  return {};
}

[[noreturn]] void missing(const Mesh &mesh, const std::string &name, bool geometry) {
  if (geometry && !mesh.facets.area.empty())
    throw Error(mesh.name,
                "the kernel needs '" + name +
                    "', and this mesh gives areas, normals and centroids only",
                "use a mesh with corners (STL, OBJ, PLY, HDF5), or a kernel for the centroid rule");
  if (geometry)
    throw Error(mesh.name,
                "the kernel needs '" + name + "' of triangles, and these records are none",
                "give /triangles or /vertices and /faces, or a column '" + name + "'");
  std::vector<std::string> own;
  std::string list;
  for (const auto &[known, values] : mesh.columns) {
    own.push_back(known);
    list += (list.empty() ? "" : ", ") + known;
  }
  std::string near = nearest(name, own);
  throw Error(mesh.name,
              "the kernel needs a column '" + name + "', which is not there; " +
                  (own.empty() ? "the file has none of its own" : "own columns are: " + list),
              near.empty() ? "add a dataset '" + name +
                                 "' [n] to an HDF5 mesh (facet mesh convert makes one), a property "
                                 "of PLY faces, or a named column to text"
                           : "did you mean '" + near + "'?");
}
} // namespace

std::int64_t Mesh::size() const {
  if (!triangles.empty())
    return static_cast<std::int64_t>(triangles.size());
  if (!facets.area.empty() || columns.empty())
    return static_cast<std::int64_t>(facets.area.size());
  return static_cast<std::int64_t>(columns.begin()->second.size());
}

std::vector<double> column(const Mesh &mesh, const std::string &name, const Vec3 &centre) {
  if (auto own = mesh.columns.find(name); own != mesh.columns.end())
    return own->second;
  const auto &known = builtIn();
  if (std::find(known.begin(), known.end(), name) == known.end())
    missing(mesh, name, false);
  std::size_t dot = name.find('.');
  int k = dot == std::string::npos ? 0 : name[dot + 1] - 'x';
  Component value;
  if (!mesh.triangles.empty())
    value = fromCorners(mesh, name.substr(0, dot), centre);
  else if (!mesh.facets.area.empty())
    value = fromFacets(mesh, name.substr(0, dot), centre);
  if (!value)
    missing(mesh, name, true);
  std::vector<double> result(static_cast<std::size_t>(mesh.size()));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = value(i, k);
  return result;
}

} // namespace facet::runtime
