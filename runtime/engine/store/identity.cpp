// identity.cpp - meshes and grids as hashes of their numbers' bytes.
#include "runtime/engine/store/identity.h"
#include "runtime/engine/system/hash.h"
#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace facet::runtime {

namespace {
std::string_view bytes(const auto &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof values[0]};
}

/// The hash of `size` records, of which `head` has at least the first; `each` calls its argument
/// with all of them, a block at a time.
std::string hashOf(const Mesh &head, std::int64_t size, const auto &each) {
  Hash hash;
  const auto field = [&](const auto &get) {
    const auto &first = get(head);
    const std::size_t width = first.empty() ? 0 : sizeof first[0];
    hash.add(std::to_string(width * static_cast<std::size_t>(size)) + ":");
    if (width > 0)
      each([&](const Mesh &block) { hash.add(bytes(get(block))); });
  };
  using M = const Mesh &;
  field([](M m) -> const auto & { return m.triangles; });
  field([](M m) -> const auto & { return m.facets.area; });
  field([](M m) -> const auto & { return m.facets.normal; });
  field([](M m) -> const auto & { return m.facets.centroid; });
  for (const auto &column : head.columns) {
    hash.field(column.first);
    field([&name = column.first](M m) -> const auto & { return m.columns.at(name); });
  }
  for (const auto &[name, table] : head.tables) {
    hash.field(name + "[" + std::to_string(table.rows()) + "]");
    for (std::int64_t row = 0; row < table.rows(); ++row)
      each([&](const Mesh &block) {
        const AxisTable &part = block.tables.at(name);
        hash.add(bytes(std::span(part.row(row), static_cast<std::size_t>(part.records()))));
      });
  }
  // The mesh's own columns are in this unit until they have a role.
  if (head.unit != 1 && !head.columns.empty())
    hash.field(fmt::format("{}", head.unit));
  return hash.hex();
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

// Reads each field in a pass of its own, so that blocks hash as the whole mesh in memory does.
std::string hashOf(const MeshBlocks &mesh) {
  constexpr std::int64_t step = 1 << 15;
  const Mesh head = mesh.read(0, std::min<std::int64_t>(mesh.size(), 1));
  return hashOf(head, mesh.size(), [&](const auto &use) {
    for (std::int64_t first = 0; first < mesh.size(); first += step)
      use(mesh.read(first, std::min(step, mesh.size() - first)));
  });
}

std::string hashOf(const Mesh &mesh) {
  return hashOf(mesh, mesh.size(), [&](const auto &use) { use(mesh); });
}

} // namespace facet::runtime
