// identity.cpp - meshes and grids as hashes of their numbers' bytes.
#include "runtime/output/tiled/identity.h"
#include "runtime/files/hash.h"
#include <algorithm>

namespace facet::runtime {

namespace {
template <class T> std::string_view bytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}
/// In which own columns are that have no role yet.
void addUnit(const Mesh &mesh, Hash &hash) {
  if (mesh.unit != 1 && !mesh.columns.empty())
    hash.field(std::to_string(mesh.unit));
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
  addUnit(mesh, hash);
  return hash.hex();
}

// Each field in a pass of its own, as its bytes follow each other in memory.
std::string hashOf(const MeshBlocks &mesh) {
  constexpr std::int64_t step = 1 << 15;
  Hash hash;
  const auto field = [&](std::size_t width, const auto &bytesOf) {
    hash.add(std::to_string(width * static_cast<std::size_t>(mesh.size())) + ":");
    for (std::int64_t first = 0; width > 0 && first < mesh.size(); first += step)
      hash.add(bytesOf(mesh.read(first, std::min(step, mesh.size() - first))));
  };
  const Mesh head = mesh.read(0, std::min<std::int64_t>(mesh.size(), 1));
  const auto vectors = [&](const auto &ofHead, const auto &get) {
    Mesh kept; // while its bytes are looked at
    field(ofHead.empty() ? 0 : sizeof ofHead[0], [&](Mesh block) {
      kept = std::move(block);
      return bytes(get(kept));
    });
  };
  using M = const Mesh &;
  vectors(head.triangles, [](M m) -> const auto & { return m.triangles; });
  vectors(head.facets.area, [](M m) -> const auto & { return m.facets.area; });
  vectors(head.facets.normal, [](M m) -> const auto & { return m.facets.normal; });
  vectors(head.facets.centroid, [](M m) -> const auto & { return m.facets.centroid; });
  for (const auto &[name, values] : head.columns) {
    hash.field(name);
    vectors(values, [&name = name](M m) -> const auto & { return m.columns.at(name); });
  }
  addUnit(head, hash);
  return hash.hex();
}

} // namespace facet::runtime
