// in_file.cpp - blocks of a mesh file: rows checked, in nm, those without area left out.
#include "runtime/mesh/checks.h"
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <facet/runtime/mesh_stream.h>
#include <filesystem>

namespace facet::runtime {
namespace {

class InFile final : public MeshBlocks {
public:
  InFile(std::string path, std::unique_ptr<const Rows> rows, double unit)
      : path_(std::move(path)), rows_(std::move(rows)), unit_(unit) {
    for (std::int64_t first = 0; first < rows_->count(); first += rowsAtOnce) {
      const Mesh part = checked(first, std::min(rowsAtOnce, rows_->count() - first));
      const std::vector<char> marks = degenerate(part);
      for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i] != 0)
          without_.push_back(first + static_cast<std::int64_t>(i));
    }
    if (rows_->count() == 0)
      throw Error(path_, "there are no triangles in this file");
    if (size() == 0)
      throw Error(path_, "every triangle has zero area");
  }

  std::int64_t size() const override { return rows_->count() - dropped(); }
  std::int64_t dropped() const { return static_cast<std::int64_t>(without_.size()); }

  Mesh read(std::int64_t first, std::int64_t count) const override {
    const std::int64_t begin = row(first), end = count > 0 ? row(first + count - 1) + 1 : begin;
    Mesh mesh = checked(begin, end - begin);
    if (end - begin == count)
      return mesh;
    std::vector<char> marks(static_cast<std::size_t>(end - begin), 0);
    for (auto at = std::lower_bound(without_.begin(), without_.end(), begin);
         at != without_.end() && *at < end; ++at)
      marks[static_cast<std::size_t>(*at - begin)] = 1;
    drop(mesh, marks);
    return mesh;
  }

private:
  /// The file may have changed since it was opened.
  Mesh checked(std::int64_t first, std::int64_t count) const {
    Mesh mesh = rows_->read(first, count);
    mesh.name = path_;
    checkNumbers(mesh, first);
    scale(mesh, unit_);
    return mesh;
  }

  /// The row of the file in which record i is: as many rows without area lie before it as have
  /// without_[k] - k <= i, which never falls with k.
  std::int64_t row(std::int64_t i) const {
    std::size_t low = 0, high = without_.size();
    while (low < high) {
      const std::size_t k = (low + high) / 2;
      if (without_[k] - static_cast<std::int64_t>(k) <= i)
        low = k + 1;
      else
        high = k;
    }
    return i + static_cast<std::int64_t>(low);
  }

  std::string path_;
  std::unique_ptr<const Rows> rows_;
  double unit_;
  std::vector<std::int64_t> without_; // rows without area, ascending
};

class Changed final : public MeshBlocks {
public:
  Changed(std::shared_ptr<const MeshBlocks> mesh, const std::array<double, 9> &matrix,
          const std::map<std::string, double> &columns, const ColumnRoles &roles)
      : mesh_(std::move(mesh)), matrix_(matrix), columns_(columns), roles_(roles) {}
  std::int64_t size() const override { return mesh_->size(); }
  Mesh read(std::int64_t first, std::int64_t count) const override {
    Mesh mesh = mesh_->read(first, count);
    for (const auto &[name, value] : columns_)
      mesh.columns[name] = std::vector<double>(static_cast<std::size_t>(count), value);
    giveRoles(mesh, roles_);
    return posed(std::move(mesh), {}, 1, matrix_);
  }

private:
  std::shared_ptr<const MeshBlocks> mesh_;
  std::array<double, 9> matrix_;
  std::map<std::string, double> columns_;
  ColumnRoles roles_;
};

/// Bytes of a triangle in a file, as facet and most programs write it.
double bytesOf(MeshFile kind) {
  switch (kind) {
  case MeshFile::TextStl:
    return 250;
  case MeshFile::Obj:
    return 45;
  case MeshFile::Ply:
    return 19;
  default:
    return 80;
  }
}

} // namespace

std::shared_ptr<const MeshBlocks> openMeshBlocks(const std::string &path, double unit,
                                                 std::int64_t *dropped) {
  checkUnit(unit);
  const MeshFile kind = recognise(path);
  if (kind != MeshFile::Hdf5 && kind != MeshFile::BinaryStl)
    throw Error(path, "meshes of this format are read whole only",
                "convert it first: facet mesh convert " + path + " -o mesh.h5");
  auto mesh = std::make_shared<const InFile>(
      path, kind == MeshFile::Hdf5 ? openHdf5Rows(path) : openStlRows(path), unit);
  if (dropped != nullptr)
    *dropped = mesh->dropped();
  return mesh;
}

MeshFileSize meshFileSize(const std::string &path) {
  const MeshFile kind = recognise(path);
  if (kind == MeshFile::BinaryStl)
    return {openStlRows(path)->count(), true};
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const MeshFileSize guess{static_cast<std::int64_t>(bytes / bytesOf(kind)), false};
  if (kind != MeshFile::Hdf5)
    return guess;
  try {
    return {openHdf5Rows(path)->count(), true};
  } catch (const Error &) { // triangles by index, or an error that reading it whole names too
    return guess;
  }
}

std::shared_ptr<const MeshBlocks> changed(std::shared_ptr<const MeshBlocks> mesh,
                                          const std::array<double, 9> &matrix,
                                          const std::map<std::string, double> &columns,
                                          const ColumnRoles &roles) {
  return std::make_shared<const Changed>(std::move(mesh), matrix, columns, roles);
}

} // namespace facet::runtime
