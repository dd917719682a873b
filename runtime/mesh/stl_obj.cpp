// stl_obj.cpp - STL and OBJ; of text every number in double precision, errors with the line.
//
// OBJ: Wavefront, Advanced Visualizer, appendix B1. STL: 3D Systems, StereoLithography Interface
// Specification (1988).
#include "runtime/files/text.h"
#include "runtime/mesh/readers.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fstream>

namespace facet::runtime {
namespace {

/// Lines as words, up to '#'.
class Lines {
public:
  explicit Lines(const std::string &path) : path_(path), file_(path, std::ios::binary) {}

  bool next(Words &words) {
    if (!std::getline(file_, line_))
      return false;
    ++number_;
    for (std::string more; endsInBackslash() && std::getline(file_, more); ++number_)
      line_.replace(line_.rfind('\\'), std::string::npos, " " + more);
    splitWords(std::string_view(line_).substr(0, line_.find('#')), words, " \t\r\v\f");
    return true;
  }
  std::int64_t number() const { return number_; }

  [[noreturn]] void damaged(const std::string &what, std::int64_t line = 0) const {
    throw Error(fmt::format("{}:{}", path_, line > 0 ? line : number_), what,
                "export the mesh again");
  }

  double real(std::string_view word) const {
    double value = 0;
    if (!parseNumber(word, value))
      damaged(fmt::format("'{}' is not a number", word.substr(0, 40)));
    return value;
  }

private:
  bool endsInBackslash() const {
    const std::size_t last = line_.find_last_not_of(" \t\r");
    return last != std::string::npos && line_[last] == '\\';
  }

  const std::string &path_;
  std::ifstream file_;
  std::string line_;
  std::int64_t number_ = 0;
};

class ObjReader {
public:
  explicit ObjReader(const std::string &path) : lines_(path) {}

  Mesh read() {
    for (Words words; lines_.next(words);)
      if (!words.empty() && words[0] == "v")
        addVertex(words);
      else if (!words.empty() && words[0] == "f")
        addFace(words);
    // Faces may name vertices that come after them.
    for (const Face &face : faces_)
      cut(face);
    return std::move(mesh_);
  }

private:
  struct Face {
    std::size_t first, count; // in corners_
    std::int64_t line;
  };

  /// x y z, then nothing, a weight by which they are divided, or a colour.
  void addVertex(const Words &words) {
    if (words.size() < 4)
      lines_.damaged(fmt::format("a vertex of {} numbers, not 3", words.size() - 1));
    const double weight = words.size() == 5 ? lines_.real(words[4]) : 1;
    if (weight == 0)
      lines_.damaged("a vertex of weight 0 lies nowhere");
    Vec3 &place = vertices_.emplace_back();
    for (std::size_t k = 0; k < 3; ++k)
      place[k] = lines_.real(words[k + 1]) / weight;
  }

  /// Corners "v", "v/vt", "v//vn", "v/vt/vn"; v from 1, or below 0 from the last vertex so far.
  void addFace(const Words &words) {
    faces_.push_back({corners_.size(), words.size() - 1, lines_.number()});
    for (std::size_t k = 1; k < words.size(); ++k) {
      std::int64_t index = 0;
      if (!parseNumber(words[k].substr(0, words[k].find('/')), index) || index == 0)
        lines_.damaged(fmt::format("'{}' is no corner of a face", words[k].substr(0, 40)));
      corners_.push_back(index > 0 ? index - 1
                                   : static_cast<std::int64_t>(vertices_.size()) + index);
      if (corners_.back() < 0)
        missing(index, lines_.number());
    }
  }

  [[noreturn]] void missing(std::int64_t index, std::int64_t line) const {
    lines_.damaged(fmt::format("a face names vertex {}, and there are {}", index, vertices_.size()),
                   line);
  }

  void cut(const Face &face) {
    polygon_.clear();
    for (std::size_t k = face.first; k < face.first + face.count; ++k) {
      if (corners_[k] >= static_cast<std::int64_t>(vertices_.size()))
        missing(corners_[k] + 1, face.line);
      polygon_.push_back(vertices_[corners_[k]]);
    }
    if (!addPolygon(polygon_, mesh_.triangles))
      lines_.damaged(fmt::format("a face of {} corners cannot be cut into triangles", face.count),
                     face.line);
  }

  Lines lines_;
  std::vector<Vec3> vertices_, polygon_;
  std::vector<std::int64_t> corners_;
  std::vector<Face> faces_;
  Mesh mesh_;
};

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
  static std::string lower(std::string_view word) {
    std::string text(word);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }

  void take(const std::string &word) {
    if (word == "solid" || word == "endsolid") {
      at_ = words_.size(); // its name
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

Mesh readObj(const std::string &path) { return ObjReader(path).read(); }
Mesh readTextStl(const std::string &path) { return StlReader(path).read(); }

// 80 bytes, a count, then 50 bytes a triangle: normal, corners, two bytes for nothing.
std::shared_ptr<const MeshBlocks> openBinaryStl(const std::string &path) {
  const auto bytes = [path](std::int64_t from, void *to, std::int64_t size) {
    std::ifstream file(path, std::ios::binary);
    if (!file.seekg(from).read(static_cast<char *>(to), size))
      throw Error(path, "reading failed");
  };
  std::uint32_t size = 0;
  bytes(80, &size, sizeof size);
  return blocksBy(size, [bytes](std::int64_t first, std::int64_t count) {
    constexpr std::int64_t header = 84, triangle = 50;
    std::vector<char> rows(triangle * count);
    bytes(header + triangle * first, rows.data(), std::ssize(rows));
    Mesh mesh;
    mesh.triangles.resize(count);
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
