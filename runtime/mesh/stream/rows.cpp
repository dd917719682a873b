// rows.cpp - rows of HDF5 meshes by hyperslabs, and of binary STL.
#include "runtime/files/hdf5.h"
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <cstring>
#include <facet/runtime/error.h>
#include <fstream>
#include <mutex>
#include <optional>

namespace facet::runtime {
namespace {

/// HDF5 is not built for threads everywhere.
std::mutex &oneAtATime() {
  static std::mutex mutex;
  return mutex;
}

class Hdf5Rows final : public Rows {
public:
  /// `whole`: triangles by index too, which are read at once.
  Hdf5Rows(const std::string &path, bool whole) : path_(path) {
    const std::lock_guard lock(oneAtATime());
    const h5::Object &file = file_.emplace(path);
    for (const std::string &name : file.numbers())
      if (Set set{name, file.open(name), {}}; !(set.shape = set.data.shape()).empty())
        sets_.push_back(std::move(set)); // single numbers are no columns
    if (!has("triangles") && has("vertices") && has("faces"))
      takeIndexed(whole);
    std::erase_if(sets_, [](const Set &s) { return s.name == "vertices" || s.name == "faces"; });
    if (sets_.empty() && indexed_.empty())
      throw Error(path, "this HDF5 file holds no mesh",
                  "facet looks for /triangles [n, 3, 3], or /vertices [m, 3] and /faces [n, 3], or "
                  "columns [n]");
    count_ = indexed_.empty() ? sets_.front().shape[0] : std::ssize(indexed_);
    for (const Set &s : sets_)
      checkShape(s);
  }
  ~Hdf5Rows() override {
    const std::lock_guard lock(oneAtATime());
    sets_.clear();
    file_.reset();
  }
  Hdf5Rows(const Hdf5Rows &) = delete;
  Hdf5Rows &operator=(const Hdf5Rows &) = delete;

  std::int64_t count() const override { return count_; }
  Mesh read(std::int64_t first, std::int64_t count) const override {
    Mesh mesh;
    if (count == 0)
      return mesh;
    mesh.triangles = indexed_;
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
    h5::Object data;
    h5::Shape shape;
  };

  const Set *find(const std::string &name) const {
    const auto at =
        std::find_if(sets_.begin(), sets_.end(), [&](const Set &s) { return s.name == name; });
    return at == sets_.end() ? nullptr : &*at;
  }
  bool has(const std::string &name) const { return find(name) != nullptr; }

  void checkShape(const Set &s) const {
    if (s.name == "triangles" && s.shape != h5::Shape{s.shape[0], 3, 3})
      throw Error(path_, "/triangles must have the shape [n, 3, 3]: triangle, corner, x y z");
    if (s.name != "triangles" && s.shape.size() != 1 && s.shape != h5::Shape{s.shape[0], 3})
      throw Error(path_, "dataset /" + s.name + " is no column: its shape must be [n] or [n, 3]");
    if (s.shape[0] != count_)
      throw Error(path_, "dataset /" + s.name + " has " + std::to_string(s.shape[0]) +
                             " values for " + std::to_string(count_) + " records");
  }

  void takeIndexed(bool whole) {
    if (!whole)
      throw Error(path_,
                  "its triangles are given by index (/vertices, /faces), which is not read "
                  "a block at a time",
                  "facet mesh convert IN.h5 -o OUT.h5 writes /triangles [n, 3, 3]");
    for (const char *name : {"vertices", "faces"})
      if (const h5::Shape &shape = find(name)->shape; shape != h5::Shape{shape[0], 3})
        throw Error(path_, "/vertices and /faces must have the shapes [m, 3] and [n, 3]");
    const std::vector<double> places = find("vertices")->data.doubles(),
                              faces = find("faces")->data.doubles();
    indexed_.resize(faces.size() / 3);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (!(faces[i] >= 0) || 3 * faces[i] >= static_cast<double>(places.size()))
        throw Error(path_,
                    "face " + std::to_string(i / 3 + 1) + " names a vertex that is not there",
                    "indices count from 0");
      for (std::size_t k = 0; k < 3; ++k)
        indexed_[i / 3][i % 3][k] = places[3 * static_cast<std::size_t>(faces[i]) + k];
    }
  }

  void slab(const Set &set, std::int64_t first, std::int64_t count, double *to) const {
    const std::lock_guard lock(oneAtATime());
    h5::Shape begin(set.shape.size(), 0), extent = set.shape;
    begin[0] = first;
    extent[0] = count;
    set.data.read(begin, extent, to);
  }

  std::string path_;
  std::optional<h5::Object> file_; // closed under the lock
  std::vector<Set> sets_;
  std::vector<std::array<Vec3, 3>> indexed_;
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

Mesh readHdf5Mesh(const std::string &path) {
  const Hdf5Rows rows(path, true);
  return rows.read(0, rows.count());
}
std::unique_ptr<const Rows> openHdf5Rows(const std::string &path) {
  return std::make_unique<const Hdf5Rows>(path, false);
}
std::unique_ptr<const Rows> openStlRows(const std::string &path) {
  return std::make_unique<const StlRows>(path);
}

} // namespace facet::runtime
