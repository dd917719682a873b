// identity.cpp - meshes and grids as hashes of their numbers' bytes.
#include "runtime/output/tiled/identity.h"
#include "runtime/files/hash.h"

namespace facet::runtime {

namespace {
template <class T> std::string_view bytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}
} // namespace

std::string hashOf(const Grid &grid) {
  Hash hash;
  hash.field(grid.kind == Grid::Kind::Product ? "product" : "points");
  for (const auto &axis : grid.axes) {
    hash.field(bytes(axis.re));
    hash.field(bytes(axis.im));
  }
  hash.field(std::to_string(grid.imageRows) + "x" + std::to_string(grid.imageColumns));
  return hash.hex();
}

std::string hashOf(const Mesh &mesh) {
  Hash hash;
  hash.field(bytes(mesh.triangles));
  hash.field(bytes(mesh.facets.area));
  hash.field(bytes(mesh.facets.normal));
  hash.field(bytes(mesh.facets.centroid));
  for (const auto &[name, values] : mesh.columns) {
    hash.field(name);
    hash.field(bytes(values));
  }
  return hash.hex();
}

} // namespace facet::runtime
