// checks.cpp - numbers that are none, units, triangles without area.
#include "runtime/mesh/checks.h"
#include "runtime/mesh/geometry.h"
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
bool finite(const Vec3 &p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

[[noreturn]] void notFinite(const Mesh &mesh, std::int64_t i, const std::string &what) {
  throw Error(mesh.name, "triangle " + std::to_string(i + 1) + ": " + what + " is NaN or infinite",
              "repair the file; triangles count from 1");
}

template <class Value> void keep(std::vector<Value> &values, const std::vector<char> &drop) {
  if (values.empty())
    return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (drop[i] == 0)
      values[kept++] = values[i];
  values.resize(kept);
}
} // namespace

void checkNumbers(const Mesh &mesh, std::int64_t first) {
  const auto number = [first](std::size_t i) { return first + static_cast<std::int64_t>(i); };
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const Vec3 &p : mesh.triangles[i])
      if (!finite(p))
        notFinite(mesh, number(i), "a corner");
  const auto &f = mesh.facets;
  for (std::size_t i = 0; i < f.area.size(); ++i) {
    if (!std::isfinite(f.area[i]) || !finite(f.normal[i]) || !finite(f.centroid[i]))
      notFinite(mesh, number(i), "its area, normal or centroid");
    if (f.area[i] < 0)
      throw Error(mesh.name, "triangle " + std::to_string(number(i) + 1) + ": its area is negative",
                  "the columns are area nx ny nz cx cy cz");
    if (f.area[i] > 0 && std::abs(length(f.normal[i]) - 1) > 0.01)
      throw Error(mesh.name,
                  "triangle " + std::to_string(number(i) + 1) + ": its normal has length " +
                      std::to_string(length(f.normal[i])) + ", not 1",
                  "the columns are area nx ny nz cx cy cz");
  }
  auto n = static_cast<std::size_t>(mesh.size());
  for (const auto &[name, values] : mesh.columns) {
    if (values.size() != n)
      throw Error(mesh.name, "column '" + name + "' has " + std::to_string(values.size()) +
                                 " values for " + std::to_string(n) + " records");
    for (std::size_t i = 0; i < n; ++i)
      if (!std::isfinite(values[i]))
        throw Error(mesh.name,
                    "record " + std::to_string(number(i) + 1) + ": column '" + name +
                        "' is NaN or infinite",
                    "repair the file; records count from 1");
  }
}

void checkUnit(double unit) {
  if (!(unit > 0) || !std::isfinite(unit))
    throw Error("unit", "must be a number greater than 0: nm for one unit of the mesh file");
}

void scale(Mesh &mesh, double unit) {
  for (Triangle &t : mesh.triangles)
    for (Vec3 &p : t)
      p = unit * p;
  for (double &area : mesh.facets.area)
    area *= unit * unit;
  for (Vec3 &p : mesh.facets.centroid)
    p = unit * p;
  mesh.unit = unit;
}

std::vector<char> degenerate(const Mesh &mesh) {
  std::vector<char> marks(static_cast<std::size_t>(mesh.size()), 0);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    marks[i] = static_cast<char>(isDegenerate(mesh.triangles[i]));
  for (std::size_t i = 0; i < mesh.facets.area.size(); ++i)
    marks[i] = static_cast<char>(mesh.facets.area[i] <= 0);
  return marks;
}

void drop(Mesh &mesh, const std::vector<char> &marks) {
  keep(mesh.triangles, marks);
  keep(mesh.facets.area, marks);
  keep(mesh.facets.normal, marks);
  keep(mesh.facets.centroid, marks);
  for (auto &[name, values] : mesh.columns)
    keep(values, marks);
}

} // namespace facet::runtime
