// stl.cpp - meshes in STL, text and binary (3D Systems, StereoLithography Interface Specification,
// 1988).
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/mesh/formats/lines.h"
#include <cstring>
#include <filesystem>

namespace facet::runtime {
namespace {

class StlReader {
public:
  explicit StlReader(const std::string &path) : lines_(path) {}

  Mesh read() {
    while (lines_.next(words_))
      for (at_ = 0; at_ < words_.size();)
        take(lower(words_[at_++]));
    if (!corners_.empty())
      lines_.damaged("truncated: the last facet has no end");
    return std::move(mesh_);
  }

private:
  void take(const std::string &word) {
    if (word == "solid" || word == "endsolid" || word == "color") {
      at_ = words_.size(); // its name, or red, green and blue
    } else if (word == "normal") {
      at_ = std::min(words_.size(), at_ + 3); // corners say it better
    } else if (word == "vertex") {
      Vec3 &place = corners_.emplace_back();
      for (double &x : place) {
        if (at_ == words_.size())
          lines_.damaged("a vertex of fewer than 3 numbers");
        x = lines_.real(words_[at_++]);
      }
    } else if (word == "endfacet") {
      if (corners_.size() != 3)
        lines_.damaged(fmt::format("a facet of {} corners, not 3", corners_.size()));
      mesh_.triangles.push_back({corners_[0], corners_[1], corners_[2]});
      corners_.clear();
    } else if (word != "facet" && word != "outer" && word != "loop" && word != "endloop") {
      lines_.damaged(fmt::format("'{}' is no word of STL", word.substr(0, 40)));
    }
  }

  Lines lines_;
  Words words_;
  std::size_t at_ = 0;
  std::vector<Vec3> corners_;
  Mesh mesh_;
};

} // namespace

Mesh readTextStl(const std::string &path) { return StlReader(path).read(); }

// 80 bytes, a count, then 50 bytes a triangle: normal, corners, two bytes for nothing.
std::shared_ptr<const MeshBlocks> openBinaryStl(const std::string &path) {
  const auto bytes = [path](std::int64_t from, void *to, std::int64_t size) {
    FileReader file(path);
    if (!file.seekg(from).read(static_cast<char *>(to), size))
      throw Error(path, "reading failed");
  };
  constexpr std::int64_t header = 84, triangle = 50;
  std::uint32_t size = 0;
  bytes(80, &size, sizeof size);
  const std::int64_t behind =
      static_cast<std::int64_t>(std::filesystem::file_size(path)) - header - triangle * size;
  return blocksBy(size, [bytes, behind](std::int64_t first, std::int64_t count) {
    std::vector<char> rows(triangle * count);
    bytes(header + triangle * first, rows.data(), std::ssize(rows));
    Mesh mesh;
    mesh.triangles.resize(count);
    if (behind > 0)
      mesh.notes.push_back(
          fmt::format("{} after the last triangle passed over", plural(behind, "byte")));
    for (std::int64_t i = 0; i < count; ++i) {
      std::array<float, 9> corners{};
      std::memcpy(corners.data(), rows.data() + triangle * i + 12, sizeof corners);
      for (std::size_t k = 0; k < 9; ++k)
        mesh.triangles[i][k / 3][k % 3] = corners[k];
    }
    return mesh;
  });
}

} // namespace facet::runtime
