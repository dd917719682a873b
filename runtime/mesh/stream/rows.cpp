// rows.cpp - rows of HDF5 meshes by hyperslabs, and of binary STL.
#include "runtime/mesh/stream/rows.h"
#include "runtime/files/hdf5.h"
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <cstring>
#include <facet/runtime/error.h>
#include <fstream>
#include <mutex>

namespace facet::runtime {
namespace {

/// HDF5 is not built for threads everywhere.
std::mutex &oneAtATime() {
  static std::mutex mutex;
  return mutex;
}

class Hdf5Rows final : public Rows {
public:
  explicit Hdf5Rows(const std::string &path) : path_(path) {
    const std::lock_guard lock(oneAtATime());
    h5::Quiet quiet;
    file_ = h5::openFile(path);
    for (const std::string &name : h5::numberDatasets(file_))
      add(name);
    const bool triangles = has("triangles");
    if (!triangles && has("vertices") && has("faces"))
      throw Error(path,
                  "its triangles are given by index (/vertices, /faces), which is not read "
                  "a block at a time",
                  "facet mesh convert IN.h5 -o OUT.h5 writes /triangles [n, 3, 3]");
    std::erase_if(sets_, [](const Set &s) { return s.name == "vertices" || s.name == "faces"; });
    if (sets_.empty())
      throw Error(path, "this HDF5 file holds no mesh",
                  "facet looks for /triangles [n, 3, 3], or columns [n]");
    count_ = static_cast<std::int64_t>(sets_.front().shape[0]);
    for (const Set &s : sets_) {
      const bool fits = s.name == "triangles"
                            ? s.shape.size() == 3 && s.shape[1] == 3 && s.shape[2] == 3
                            : s.shape.size() == 1 || (s.shape.size() == 2 && s.shape[1] == 3);
      if (!fits)
        throw Error(path,
                    s.name == "triangles"
                        ? "/triangles must have the shape [n, 3, 3]: triangle, corner, x y z"
                        : "dataset /" + s.name + " is no column: its shape must be [n] or [n, 3]");
      if (static_cast<std::int64_t>(s.shape[0]) != count_)
        throw Error(path, "dataset /" + s.name + " has " + std::to_string(s.shape[0]) +
                              " values for " + std::to_string(count_) + " records");
    }
  }
  ~Hdf5Rows() override {
    const std::lock_guard lock(oneAtATime());
    sets_.clear();
    file_ = {};
  }
  Hdf5Rows(const Hdf5Rows &) = delete;
  Hdf5Rows &operator=(const Hdf5Rows &) = delete;

  std::int64_t count() const override { return count_; }
  Mesh read(std::int64_t first, std::int64_t count) const override {
    Mesh mesh;
    Columns columns;
    const auto n = static_cast<std::size_t>(count);
    for (const Set &s : sets_) {
      if (s.name == "triangles") {
        mesh.triangles.resize(n);
        slab(s, first, count, mesh.triangles[0][0].data());
        continue;
      }
      if (s.shape.size() == 1) {
        columns[s.name].resize(n);
        slab(s, first, count, columns[s.name].data());
        continue;
      }
      std::vector<double> all(3 * n);
      slab(s, first, count, all.data());
      for (std::size_t k = 0; k < 3; ++k) {
        std::vector<double> &to = columns[s.name + "." + "xyz"[k]];
        to.resize(n);
        for (std::size_t i = 0; i < n; ++i)
          to[i] = all[3 * i + k];
      }
    }
    if (mesh.triangles.empty())
      return fromColumns(std::move(columns));
    mesh.columns = std::move(columns);
    return mesh;
  }

private:
  struct Set {
    std::string name;
    h5::Handle data;
    std::vector<hsize_t> shape;
  };

  bool has(const std::string &name) const {
    return std::any_of(sets_.begin(), sets_.end(), [&](const Set &s) { return s.name == name; });
  }

  // Single numbers are no columns.
  void add(const std::string &name) {
    Set set{name, {H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose}, {}};
    if (set.data < 0)
      throw Error(path_, "opening dataset /" + name + " failed (" + h5::reason() + ")");
    set.shape = h5::shapeOf(set.data, name, path_);
    if (set.shape.empty())
      return;
    sets_.push_back(std::move(set));
  }

  void slab(const Set &set, std::int64_t first, std::int64_t count, double *to) const {
    const std::lock_guard lock(oneAtATime());
    h5::Quiet quiet;
    std::vector<hsize_t> begin(set.shape.size(), 0), extent = set.shape;
    begin[0] = static_cast<hsize_t>(first);
    extent[0] = static_cast<hsize_t>(count);
    h5::Handle from(H5Dget_space(set.data), H5Sclose);
    h5::Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                      H5Sclose);
    if (H5Sselect_hyperslab(from, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr) <
            0 ||
        H5Dread(set.data, H5T_NATIVE_DOUBLE, memory, from, H5P_DEFAULT, to) < 0)
      throw Error(path_, "reading dataset /" + set.name + " failed (" + h5::reason() + ")");
  }

  std::string path_;
  h5::Handle file_;
  std::vector<Set> sets_;
  std::int64_t count_ = 0;
};

/// 80 bytes, a count, then 50 bytes a triangle: normal, corners, two bytes for nothing.
class StlRows final : public Rows {
public:
  explicit StlRows(const std::string &path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    std::uint32_t count = 0;
    file.seekg(80);
    file.read(reinterpret_cast<char *>(&count), sizeof count);
    if (!file)
      throw Error(path, "reading failed");
    count_ = count;
  }
  std::int64_t count() const override { return count_; }
  Mesh read(std::int64_t first, std::int64_t count) const override {
    constexpr std::int64_t header = 84, size = 50;
    std::ifstream file(path_, std::ios::binary);
    file.seekg(header + size * first);
    std::vector<char> bytes(static_cast<std::size_t>(size * count));
    file.read(bytes.data(), size * count);
    if (!file)
      throw Error(path_, "reading failed");
    Mesh mesh;
    mesh.triangles.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      std::array<float, 9> corners{};
      std::memcpy(corners.data(), bytes.data() + size * i + 12, sizeof corners);
      for (std::size_t k = 0; k < 9; ++k)
        mesh.triangles[i][k / 3][k % 3] = corners[k];
    }
    return mesh;
  }

private:
  std::string path_;
  std::int64_t count_ = 0;
};

} // namespace

std::unique_ptr<const Rows> openHdf5Rows(const std::string &path) {
  return std::make_unique<const Hdf5Rows>(path);
}
std::unique_ptr<const Rows> openStlRows(const std::string &path) {
  return std::make_unique<const StlRows>(path);
}

} // namespace facet::runtime
