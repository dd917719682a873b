// columns.cpp - meshes and other records as columns: the papers' 7-column text, named text.
#include "runtime/files/text.h"
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <facet/runtime/error.h>

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
