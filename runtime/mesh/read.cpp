// read.cpp - a mesh from a file: the reader for its content, units, checks, zero-area triangles
// dropped.
#include "runtime/mesh/files/readers.h"
#include "runtime/mesh/geometry.h"
#include <charconv>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
bool finite(const Vec3 &p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

[[noreturn]] void notFinite(const Mesh &mesh, std::size_t i, const std::string &what) {
  throw Error(mesh.name, "triangle " + std::to_string(i + 1) + ": " + what + " is NaN or infinite",
              "repair the file; triangles count from 1");
}

/// Throws for NaN and infinity, lengths that differ, and normals that are none.
void checkNumbers(const Mesh &mesh) {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const Vec3 &p : mesh.triangles[i])
      if (!finite(p))
        notFinite(mesh, i, "a corner");
  const auto &f = mesh.facets;
  for (std::size_t i = 0; i < f.area.size(); ++i) {
    if (!std::isfinite(f.area[i]) || !finite(f.normal[i]) || !finite(f.centroid[i]))
      notFinite(mesh, i, "its area, normal or centroid");
    if (f.area[i] < 0)
      throw Error(mesh.name, "triangle " + std::to_string(i + 1) + ": its area is negative",
                  "the columns are area nx ny nz cx cy cz");
    if (f.area[i] > 0 && std::abs(length(f.normal[i]) - 1) > 0.01)
      throw Error(mesh.name,
                  "triangle " + std::to_string(i + 1) + ": its normal has length " +
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
                    "record " + std::to_string(i + 1) + ": column '" + name +
                        "' is NaN or infinite",
                    "repair the file; records count from 1");
  }
}

void scale(Mesh &mesh, double unit) {
  for (Triangle &t : mesh.triangles)
    for (Vec3 &p : t)
      p = unit * p;
  for (double &area : mesh.facets.area)
    area *= unit * unit;
  for (Vec3 &p : mesh.facets.centroid)
    p = unit * p;
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

std::int64_t dropDegenerate(Mesh &mesh) {
  std::vector<char> drop(static_cast<std::size_t>(mesh.size()), 0);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    drop[i] = static_cast<char>(isDegenerate(mesh.triangles[i]));
  for (std::size_t i = 0; i < mesh.facets.area.size(); ++i)
    drop[i] = static_cast<char>(mesh.facets.area[i] <= 0);
  std::int64_t dropped = std::count(drop.begin(), drop.end(), 1);
  if (dropped == 0)
    return 0;
  if (dropped == mesh.size())
    throw Error(mesh.name, "every triangle has zero area");
  keep(mesh.triangles, drop);
  keep(mesh.facets.area, drop);
  keep(mesh.facets.normal, drop);
  keep(mesh.facets.centroid, drop);
  for (auto &[name, values] : mesh.columns)
    keep(values, drop);
  return dropped;
}

Mesh readAny(const std::string &path) {
  MeshFile kind = recognise(path);
  if (kind == MeshFile::Hdf5)
    return readHdf5Mesh(path);
  if (kind == MeshFile::Table)
    return readTableMesh(path);
  if (kind == MeshFile::Ply)
    return readPly(path);
  return readByAssimp(path, kind);
}
} // namespace

Mesh readMesh(const std::string &path, double unit, std::int64_t *dropped) {
  if (!(unit > 0) || !std::isfinite(unit))
    throw Error("unit", "must be a number greater than 0: nm for one unit of the mesh file");
  Mesh mesh = readAny(path);
  mesh.name = path;
  if (mesh.size() == 0)
    throw Error(path, "there are no triangles in this file");
  checkNumbers(mesh);
  scale(mesh, unit);
  std::int64_t count = dropDegenerate(mesh);
  if (dropped)
    *dropped = count;
  return mesh;
}

double parseUnit(const std::string &text) {
  static const std::map<std::string, double> units{{"nm", 1},   {"angstrom", 0.1}, {"A", 0.1},
                                                   {"um", 1e3}, {"mm", 1e6},       {"m", 1e9}};
  if (auto unit = units.find(text); unit != units.end())
    return unit->second;
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) ||
      !std::isfinite(value))
    throw Error("unit '" + text + "'", "this is no unit of length",
                "write nm, angstrom, um, mm, m, or the nm in one unit of the file");
  return value;
}

} // namespace facet::runtime
