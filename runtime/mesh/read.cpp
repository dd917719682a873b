// read.cpp - a mesh from a file: the reader for its content, units, checks, zero-area triangles
// dropped.
#include "runtime/files/text.h"
#include "runtime/mesh/checks.h"
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
Mesh readAny(const std::string &path) {
  MeshFile kind = recognise(path);
  if (kind == MeshFile::Hdf5)
    return readHdf5Mesh(path);
  if (kind == MeshFile::Table)
    return readTableMesh(path);
  if (kind == MeshFile::Ply)
    return readPly(path);
  if (kind == MeshFile::Obj)
    return readObj(path);
  if (kind == MeshFile::TextStl)
    return readTextStl(path);
  const auto rows = openStlRows(path);
  return rows->read(0, rows->count());
}
} // namespace

Mesh readMesh(const std::string &path, double unit, std::int64_t *dropped) {
  checkUnit(unit);
  Mesh mesh = readAny(path);
  mesh.name = path;
  if (mesh.size() == 0)
    throw Error(path, "there are no triangles in this file");
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
