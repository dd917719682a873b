// read.cpp - a mesh from a file: the reader for its content, units, checks, zero-area triangles
// dropped.
#include "runtime/files/text.h"
#include "runtime/mesh/geometry.h"
#include "runtime/mesh/readers.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

Mesh readAny(const std::string &path) {
  switch (recognise(path)) {
  case MeshFile::Hdf5:
    return readHdf5Mesh(path);
  case MeshFile::Table:
    return readTableMesh(path);
  case MeshFile::Ply:
    return readPly(path);
  case MeshFile::Obj:
    return readObj(path);
  case MeshFile::TextStl:
    return readTextStl(path);
  default:
    const auto rows = openBinaryStl(path);
    return rows->read(0, rows->size());
  }
}

bool finite(const Vec3 &p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

} // namespace

Mesh readMesh(const std::string &path, double unit, std::int64_t *dropped) {
  checkUnit(unit);
  Mesh mesh = readAny(path);
  mesh.name = path;
  return checkedMesh(std::move(mesh), unit, dropped);
}

Mesh checkedMesh(Mesh mesh, double unit, std::int64_t *dropped) {
  checkUnit(unit);
  if (mesh.size() == 0)
    throw Error(mesh.name, "there are no triangles in it");
  checkNumbers(mesh);
  scale(mesh, unit);
  const std::vector<char> marks = degenerate(mesh);
  const std::int64_t count = std::count(marks.begin(), marks.end(), 1);
  if (count > 0 && count == mesh.size())
    throw Error(mesh.name, "every triangle has zero area");
  if (count > 0)
    drop(mesh, marks);
  if (dropped)
    *dropped = count;
  return mesh;
}

void checkNumbers(const Mesh &mesh, std::int64_t first) {
  const auto refuse = [&](const char *record, std::int64_t i, const std::string &what,
                          const std::string &help) {
    throw Error(mesh.name, fmt::format("{} {}: {}", record, first + i + 1, what), help);
  };
  const auto notFinite = [&](std::int64_t i, const char *what) {
    refuse("triangle", i, fmt::format("{} is NaN or infinite", what),
           "repair the file; triangles count from 1");
  };
  for (std::int64_t i = 0; i < std::ssize(mesh.triangles); ++i)
    for (const Vec3 &p : mesh.triangles[i])
      if (!finite(p))
        notFinite(i, "a corner");
  const Mesh::Facets &f = mesh.facets;
  const char *sevenColumns = "the columns are area nx ny nz cx cy cz";
  for (std::int64_t i = 0; i < std::ssize(f.area); ++i) {
    if (!std::isfinite(f.area[i]) || !finite(f.normal[i]) || !finite(f.centroid[i]))
      notFinite(i, "its area, normal or centroid");
    if (f.area[i] < 0)
      refuse("triangle", i, "its area is negative", sevenColumns);
    if (const double size = length(f.normal[i]); f.area[i] > 0 && std::abs(size - 1) > 0.01)
      refuse("triangle", i, fmt::format("its normal has length {:f}, not 1", size), sevenColumns);
  }
  const std::int64_t n = mesh.size();
  for (const auto &[name, values] : mesh.columns) {
    if (std::ssize(values) != n)
      throw Error(mesh.name,
                  fmt::format("column '{}' has {} values for {} records", name, values.size(), n));
    for (std::int64_t i = 0; i < n; ++i)
      if (!std::isfinite(values[i]))
        refuse("record", i, fmt::format("column '{}' is NaN or infinite", name),
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
  std::vector<char> marks(mesh.size(), 0);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    marks[i] = isDegenerate(mesh.triangles[i]);
  for (std::size_t i = 0; i < mesh.facets.area.size(); ++i)
    marks[i] = mesh.facets.area[i] <= 0;
  return marks;
}

void drop(Mesh &mesh, const std::vector<char> &marks) {
  drop(mesh.triangles, marks);
  drop(mesh.facets.area, marks);
  drop(mesh.facets.normal, marks);
  drop(mesh.facets.centroid, marks);
  for (auto &[name, values] : mesh.columns)
    drop(values, marks);
}

double parseUnit(const std::string &text) {
  static const std::map<std::string, double> units{{"nm", 1},   {"angstrom", 0.1}, {"A", 0.1},
                                                   {"um", 1e3}, {"mm", 1e6},       {"m", 1e9}};
  if (auto unit = units.find(text); unit != units.end())
    return unit->second;
  double value = 0;
  if (!parseNumber(text, value) || !(value > 0) || !std::isfinite(value))
    throw Error("unit '" + text + "'", "this is no unit of length",
                "write nm, angstrom, um, mm, m, or the nm in one unit of the file");
  return value;
}

} // namespace facet::runtime
