// open.cpp - records of a mesh file a block at a time.
#include "runtime/engine/records/geometry.h"
#include <facet/runtime/error.h>
#include <facet/runtime/mesh_stream.h>
#include <filesystem>

namespace facet::runtime {
namespace {

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

} // namespace facet::runtime
