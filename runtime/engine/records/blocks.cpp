// blocks.cpp - records of a mesh a block at a time: of a mesh in memory, cut, turned, thinned.
#include "runtime/engine/records/geometry.h"
#include <facet/runtime/mesh_stream.h>

namespace facet::runtime {
namespace {

Mesh part(const Mesh &mesh, std::int64_t first, std::int64_t count) {
  Mesh block;
  eachList(mesh, block, [&](const auto &all, auto &some) {
    if (!all.empty())
      some.assign(all.data() + first, all.data() + first + count);
  });
  for (const auto &[name, table] : mesh.tables)
    block.tables[name] = table.part(first, count);
  return block;
}

} // namespace

std::shared_ptr<const MeshBlocks> blocksOf(std::shared_ptr<const Mesh> mesh) {
  const std::int64_t size = mesh->size();
  return blocksBy(size, [mesh = std::move(mesh)](std::int64_t first, std::int64_t count) {
    return part(*mesh, first, count);
  });
}

std::shared_ptr<const MeshBlocks> refined(std::shared_ptr<const MeshBlocks> mesh, int n) {
  const std::int64_t each = std::int64_t{n} * n, size = each * mesh->size();
  return blocksBy(size, [mesh = std::move(mesh), n, each](std::int64_t first, std::int64_t count) {
    const std::int64_t parent = first / each, end = (first + count + each - 1) / each;
    Mesh cut = refined(mesh->read(parent, end - parent), n);
    return cut.size() == count ? cut : part(cut, first - parent * each, count);
  });
}

std::shared_ptr<const MeshBlocks> changed(std::shared_ptr<const MeshBlocks> mesh,
                                          const Matrix3 &matrix,
                                          const std::map<std::string, double> &columns,
                                          const ColumnRoles &roles) {
  const std::int64_t size = mesh->size();
  return blocksBy(size, [mesh = std::move(mesh), matrix, columns, roles](std::int64_t first,
                                                                         std::int64_t count) {
    Mesh block = mesh->read(first, count);
    for (const auto &[name, value] : columns)
      block.columns[name].assign(count, value);
    giveRoles(block, roles);
    return posed(std::move(block), {}, 1, matrix);
  });
}

Mesh thinned(const MeshBlocks &mesh, std::int64_t count) {
  const std::int64_t every = (mesh.size() + count - 1) / count;
  Mesh all;
  std::map<std::string, std::vector<std::vector<double>>> rows; // of the columns with an axis
  std::int64_t first = 0;
  eachBlock(mesh, [&](const Mesh &block) {
    const std::int64_t begin = (every - first % every) % every;
    eachList(block, all, [&](const auto &from, auto &to) {
      for (std::int64_t i = begin; i < std::ssize(from); i += every)
        to.push_back(from[i]);
    });
    for (const auto &[name, table] : block.tables) {
      rows[name].resize(static_cast<std::size_t>(table.rows()));
      for (std::int64_t row = 0; row < table.rows(); ++row)
        for (std::int64_t i = begin; i < table.records(); i += every)
          rows[name][static_cast<std::size_t>(row)].push_back(table.row(row)[i]);
    }
    first += block.size();
  });
  for (const auto &[name, each] : rows) {
    std::vector<double> values;
    for (const std::vector<double> &row : each)
      values.insert(values.end(), row.begin(), row.end());
    const std::int64_t n = std::ssize(each), records = std::ssize(each.front());
    all.tables[name] = AxisTable(n, records, std::move(values));
  }
  return all;
}

} // namespace facet::runtime
