// columns.cpp - meshes and other records as columns: HDF5, the papers' 7-column text, named
// text.
#include "runtime/files/hdf5.h"
#include "runtime/files/table.h"
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <set>

namespace facet::runtime {

namespace {
/// Takes NAME.x, NAME.y, NAME.z out of the columns as vectors; empty where one is missing.
std::vector<Vec3> takeVectors(Columns &columns, const std::string &name) {
  std::array<Columns::iterator, 3> at;
  for (int k = 0; k < 3; ++k) {
    at[k] = columns.find(name + "." + "xyz"[k]);
    if (at[k] == columns.end())
      return {};
  }
  std::vector<Vec3> vectors(at[0]->second.size());
  for (int k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < vectors.size(); ++i)
      vectors[i][k] = at[k]->second[i];
    columns.erase(at[k]);
  }
  return vectors;
}

} // namespace

Mesh fromColumns(Columns columns) {
  Mesh mesh;
  bool corners =
      columns.count("vertex0.x") + columns.count("vertex1.x") + columns.count("vertex2.x") == 3;
  bool facets =
      columns.count("area") + columns.count("normal.x") + columns.count("centroid.x") == 3;
  if (corners) {
    std::array<std::vector<Vec3>, 3> v;
    for (int c = 0; c < 3; ++c)
      v[c] = takeVectors(columns, "vertex" + std::to_string(c));
    mesh.triangles.resize(std::min({v[0].size(), v[1].size(), v[2].size()}));
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
      mesh.triangles[i] = {v[0][i], v[1][i], v[2][i]};
  } else if (facets) {
    mesh.facets.normal = takeVectors(columns, "normal");
    mesh.facets.centroid = takeVectors(columns, "centroid");
    mesh.facets.area = std::move(columns["area"]);
    columns.erase("area");
  }
  mesh.columns = std::move(columns);
  return mesh;
}

namespace {
std::vector<std::array<Vec3, 3>> trianglesFrom(const h5::Doubles &data, const std::string &path) {
  if (data.shape.size() != 3 || data.shape[1] != 3 || data.shape[2] != 3)
    throw Error(path, "/triangles must have the shape [n, 3, 3]: triangle, corner, x y z");
  std::vector<std::array<Vec3, 3>> triangles(data.shape[0]);
  for (std::size_t i = 0; i < data.values.size(); ++i)
    triangles[i / 9][i / 3 % 3][i % 3] = data.values[i];
  return triangles;
}

std::vector<std::array<Vec3, 3>> trianglesFrom(const h5::Doubles &vertices,
                                               const h5::Doubles &faces, const std::string &path) {
  for (const auto *data : {&vertices, &faces})
    if (data->shape.size() != 2 || data->shape[1] != 3)
      throw Error(path, "/vertices and /faces must have the shapes [m, 3] and [n, 3]");
  std::vector<std::array<Vec3, 3>> triangles(faces.shape[0]);
  for (std::size_t i = 0; i < faces.values.size(); ++i) {
    double index = faces.values[i];
    if (!(index >= 0) || index >= static_cast<double>(vertices.shape[0]))
      throw Error(path, "face " + std::to_string(i / 3 + 1) + " names a vertex that is not there",
                  "indices count from 0");
    for (int k = 0; k < 3; ++k)
      triangles[i / 3][i % 3][k] = vertices.values[3 * static_cast<std::size_t>(index) + k];
  }
  return triangles;
}
} // namespace

Mesh readHdf5Mesh(const std::string &path) {
  h5::Handle file = h5::openFile(path);
  std::vector<std::string> names = h5::numberDatasets(file);
  std::set<std::string> left(names.begin(), names.end());
  std::vector<std::array<Vec3, 3>> triangles;
  if (left.erase("triangles") != 0) {
    triangles = trianglesFrom(h5::readDoubles(file, "triangles", path), path);
  } else if (left.count("vertices") != 0 && left.count("faces") != 0) {
    triangles = trianglesFrom(h5::readDoubles(file, "vertices", path),
                              h5::readDoubles(file, "faces", path), path);
  }
  left.erase("vertices");
  left.erase("faces");
  Columns columns;
  for (const std::string &name : left) {
    h5::Doubles data = h5::readDoubles(file, name, path);
    if (data.shape.size() == 1) {
      columns[name] = std::move(data.values);
    } else if (data.shape.size() == 2 && data.shape[1] == 3) {
      for (int k = 0; k < 3; ++k) {
        auto &column = columns[name + "." + "xyz"[k]];
        for (std::size_t i = 0; i < data.shape[0]; ++i)
          column.push_back(data.values[3 * i + k]);
      }
    } else if (!data.shape.empty()) {
      throw Error(path, "dataset /" + name + " is no column: its shape must be [n] or [n, 3]");
    }
  }
  if (triangles.empty() && columns.empty())
    throw Error(path, "this HDF5 file holds no mesh",
                "facet looks for /triangles [n, 3, 3], or /vertices [m, 3] and /faces [n, 3], or "
                "columns [n]");
  Mesh mesh;
  if (triangles.empty())
    return fromColumns(std::move(columns));
  mesh.triangles = std::move(triangles);
  mesh.columns = std::move(columns);
  return mesh;
}

Mesh readTableMesh(const std::string &path) {
  Table table = readTable(path);
  if (table.rows() == 0)
    throw Error(path, "there are no triangles in this file");
  static const std::vector<std::string> papers{"area",       "normal.x",   "normal.y",  "normal.z",
                                               "centroid.x", "centroid.y", "centroid.z"};
  // Seven columns are triangles, whatever a comment says, unless it says so by their names.
  const auto &said = table.commentNames;
  if (table.names.empty() && (table.columns.size() != papers.size() ||
                              std::find(said.begin(), said.end(), "normal.x") != said.end()))
    table.names = said;
  if (table.names.empty()) {
    if (table.columns.size() != papers.size())
      throw Error(path,
                  "a table of triangles has 7 columns (area nx ny nz cx cy cz), this one has " +
                      std::to_string(table.columns.size()),
                  "give other columns names by a header line");
    table.names = papers;
  }
  Columns columns;
  for (std::size_t k = 0; k < table.names.size(); ++k)
    if (!columns.emplace(table.names[k], std::move(table.columns[k])).second)
      throw Error(path, "two columns are named '" + table.names[k] + "'");
  return fromColumns(std::move(columns));
}

} // namespace facet::runtime
