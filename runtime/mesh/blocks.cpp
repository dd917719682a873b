// blocks.cpp - records of a mesh a block at a time: of a mesh in memory, of a file, cut, turned,
// thinned.
#include "runtime/mesh/geometry.h"
#include <facet/runtime/error.h>
#include <facet/runtime/mesh_stream.h>
#include <filesystem>

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

/// The rows that `read` gives without those in `without`, ascending; `size` of them are left.
std::shared_ptr<const MeshBlocks> leavingOut(std::vector<std::int64_t> without,
                                             MeshBlocks::Read read, std::int64_t size) {
  return blocksBy(size, [without = std::move(without), read = std::move(read)](std::int64_t first,
                                                                               std::int64_t count) {
    // The row in which record i is: as many rows left out lie before it as have
    // without[k] - k <= i, which never falls with k.
    const auto row = [&](std::int64_t i) {
      const auto end = std::ranges::partition_point(
          without, [&](const std::int64_t &at) { return at - (&at - without.data()) <= i; });
      return i + (end - without.begin());
    };
    const std::int64_t begin = row(first), end = count > 0 ? row(first + count - 1) + 1 : begin;
    Mesh mesh = read(begin, end - begin);
    if (end - begin == count)
      return mesh;
    std::vector<char> marks(end - begin, 0);
    for (auto at = std::ranges::lower_bound(without, begin); at != without.end() && *at < end; ++at)
      marks[*at - begin] = 1;
    drop(mesh, marks);
    return mesh;
  });
}

/// Bytes of a triangle in a file, as facet and most programs write it.
double bytesOf(MeshFile kind) {
  return kind == MeshFile::TextStl ? 250
         : kind == MeshFile::Obj   ? 45
         : kind == MeshFile::Ply   ? 19
                                   : 80;
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

std::shared_ptr<const MeshBlocks>
openMeshBlocks(const std::string &path, std::optional<double> unit, std::int64_t *dropped) {
  checkUnit(unit.value_or(1));
  const MeshFile kind = recognise(path);
  if (kind != MeshFile::Hdf5 && kind != MeshFile::BinaryStl)
    throw Error(path, "meshes of this format are read whole only",
                "convert it first: facet mesh convert " + path + " -o mesh.h5");
  const auto rows = kind == MeshFile::Hdf5 ? openHdf5Rows(path, false, unit) : openBinaryStl(path);
  // Each time: the file may have changed since it was opened.
  const auto read = [path, rows, unit = unit.value_or(1)](std::int64_t first, std::int64_t count) {
    return checked(rows->read(first, count), path, unit, first);
  };
  std::vector<std::int64_t> without; // rows without area, ascending
  for (std::int64_t first = 0; first < rows->size(); first += rowsAtOnce) {
    const std::vector<char> marks =
        degenerate(read(first, std::min(rowsAtOnce, rows->size() - first)));
    for (std::int64_t i = 0; i < std::ssize(marks); ++i)
      if (marks[i] != 0)
        without.push_back(first + i);
  }
  const std::int64_t size = rows->size() - std::ssize(without);
  if (rows->size() == 0)
    throw Error(path, "there are no triangles in this file");
  if (size == 0)
    throw Error(path, "every triangle has zero area");
  if (dropped != nullptr)
    *dropped = std::ssize(without);
  return leavingOut(std::move(without), read, size);
}

MeshFileSize meshFileSize(const std::string &path) {
  const MeshFile kind = recognise(path);
  if (kind == MeshFile::BinaryStl)
    return {openBinaryStl(path)->size(), true};
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const MeshFileSize guess{static_cast<std::int64_t>(bytes / bytesOf(kind)), false};
  if (kind != MeshFile::Hdf5)
    return guess;
  try {
    std::optional<double> any;
    return {openHdf5Rows(path, false, any)->size(), true};
  } catch (const Error &) { // triangles by index, or an error that reading it whole names too
    return guess;
  }
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
