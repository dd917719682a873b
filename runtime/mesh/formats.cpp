// formats.cpp - PLY, OBJ and STL, text and binary: every number in double precision, errors with the
// line; polygons cut into triangles.
//
// PLY: G. Turk, The PLY polygon file format (1994). OBJ: Wavefront, Advanced Visualizer, appendix
// B1. STL: 3D Systems, StereoLithography Interface Specification (1988).
#include "runtime/files/reader.h"
#include "runtime/files/text.h"
#include "runtime/mesh/geometry.h"
#include <bit>
#include <cstring>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {
namespace {

using Ring = std::vector<std::size_t>;

class Cutter {
public:
  explicit Cutter(const std::vector<Vec3> &corners) : p_(corners) {
    for (std::size_t i = 1; i + 1 < p_.size(); ++i) // twice the area, whatever the shape
      normal_ = normal_ + cross(p_[i] - p_[0], p_[i + 1] - p_[0]);
  }

  bool isConvex(const Ring &ring) const {
    for (std::size_t i = 0; i < ring.size(); ++i)
      if (turn(ring, i) < -1e-12 * dot(normal_, normal_)) // but for rounding
        return false;
    return true;
  }

  /// A corner whose triangle holds no other corner; the ring's size if there is none.
  std::size_t ear(const Ring &ring) const {
    for (std::size_t i = 0; i < ring.size(); ++i)
      if (turn(ring, i) > 0 && isEmpty(ring, i))
        return i;
    return ring.size();
  }

  static std::array<std::size_t, 3> at(const Ring &ring, std::size_t i) {
    return {ring[(i + ring.size() - 1) % ring.size()], ring[i], ring[(i + 1) % ring.size()]};
  }

private:
  double side(const Vec3 &a, const Vec3 &b, const Vec3 &c) const {
    return dot(cross(b - a, c - a), normal_);
  }
  double turn(const Ring &ring, std::size_t i) const {
    const auto [a, b, c] = at(ring, i);
    return side(p_[a], p_[b], p_[c]);
  }
  bool isEmpty(const Ring &ring, std::size_t i) const {
    const auto [a, b, c] = at(ring, i);
    for (const std::size_t k : ring) {
      const Vec3 &p = p_[k];
      if (p == p_[a] || p == p_[b] || p == p_[c])
        continue;
      if (side(p_[a], p_[b], p) >= 0 && side(p_[b], p_[c], p) >= 0 && side(p_[c], p_[a], p) >= 0)
        return false;
    }
    return true;
  }

  const std::vector<Vec3> &p_;
  Vec3 normal_{};
};

/// Adds the triangles of a polygon, which face as it does: a fan if it is convex, else ear by
/// ear (G. H. Meisters, Am. Math. Monthly 82 (1975) 648). Nothing of fewer than three corners.
/// False if a polygon is not convex and has more than 1,000 corners, which would take minutes.
bool addPolygon(const std::vector<Vec3> &corners, std::vector<Triangle> &to) {
  constexpr std::size_t most = 1000;
  if (corners.size() == 3) {
    to.push_back({corners[0], corners[1], corners[2]});
    return true;
  }
  Ring ring(corners.size());
  std::iota(ring.begin(), ring.end(), 0);
  const Cutter cutter(corners);
  const auto add = [&](const std::array<std::size_t, 3> &t) {
    to.push_back({corners[t[0]], corners[t[1]], corners[t[2]]});
  };
  while (ring.size() > 3 && !cutter.isConvex(ring)) {
    if (corners.size() > most)
      return false;
    const std::size_t i = cutter.ear(ring);
    if (i == ring.size()) // it crosses itself
      break;
    add(Cutter::at(ring, i));
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 2; i < ring.size(); ++i)
    add({ring[0], ring[i - 1], ring[i]});
  return true;
}

enum class Encoding { Text, Little, Big };

struct Type {
  std::size_t size = 0; // 0: no such type
  double (*read)(const char *bytes) = nullptr;
};
template <class T>
const Type typeOf{sizeof(T), [](const char *bytes) {
                    T value{};
                    std::memcpy(&value, bytes, sizeof value);
                    return static_cast<double>(value);
                  }};
Type typeByName(std::string_view name) {
  static const std::map<std::string_view, Type> types{
      {"char", typeOf<std::int8_t>},     {"int8", typeOf<std::int8_t>},
      {"uchar", typeOf<std::uint8_t>},   {"uint8", typeOf<std::uint8_t>},
      {"short", typeOf<std::int16_t>},   {"int16", typeOf<std::int16_t>},
      {"ushort", typeOf<std::uint16_t>}, {"uint16", typeOf<std::uint16_t>},
      {"int", typeOf<std::int32_t>},     {"int32", typeOf<std::int32_t>},
      {"uint", typeOf<std::uint32_t>},   {"uint32", typeOf<std::uint32_t>},
      {"float", typeOf<float>},          {"float32", typeOf<float>},
      {"double", typeOf<double>},        {"float64", typeOf<double>}};
  const auto found = types.find(name);
  return found == types.end() ? Type{} : found->second;
}

struct Property {
  std::string name;
  Type type, countType; // countType: of a list
  bool isList = false;
};
struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;
};

class PlyReader {
public:
  explicit PlyReader(const std::string &path) : path(path), file(path) {}

  Mesh read() {
    readHeader();
    for (const Element &element : elements)
      readElement(element);
    return std::move(mesh);
  }

private:
  [[noreturn]] void damaged(const std::string &what) {
    throw Error(path, "this ply file is damaged: " + what, "export the mesh again");
  }
  [[noreturn]] void truncated(const Element &element, std::int64_t i) {
    throw Error(path,
                fmt::format("truncated: the header announces {} of '{}', the file holds {}",
                            element.count, element.name, i),
                "copy or export the file again");
  }

  void readHeader() {
    Words words;
    std::string line;
    const auto word = [&](std::size_t k) {
      return k < words.size() ? words[k] : std::string_view();
    };
    while (std::getline(file, line)) {
      splitWords(line, words, " \t\r");
      bool good = true;
      if (word(0) == "end_header") {
        checkVertices();
        return;
      }
      if (word(0) == "format") {
        good = word(1) == "ascii" || word(1) == "binary_big_endian" ||
               word(1) == "binary_little_endian";
        encoding = word(1) == "ascii"               ? Encoding::Text
                   : word(1) == "binary_big_endian" ? Encoding::Big
                                                    : Encoding::Little;
      } else if (word(0) == "element") {
        Element &element = elements.emplace_back(std::string(word(1)));
        good = parseNumber(word(2), element.count) && element.count >= 0;
      } else if (word(0) == "property") {
        const bool isList = word(1) == "list";
        const std::size_t at = isList ? 3 : 1;
        const Type type = typeByName(word(at)), countType = typeByName(word(2));
        good = words.size() > at + 1 && !elements.empty() && type.size > 0 &&
               (!isList || countType.size > 0);
        if (good)
          elements.back().properties.push_back(
              {std::string(words[at + 1]), type, countType, isList});
      }
      if (!good)
        damaged(line + ": no line of a header");
    }
    damaged("its header has no end");
  }

  void checkVertices() {
    for (const Element &element : elements)
      for (const char *name : {"x", "y", "z"})
        if (element.name == "vertex" && !element.properties.empty() &&
            std::ranges::find(element.properties, name, &Property::name) ==
                element.properties.end())
          damaged(fmt::format("its vertices have no property {}", name));
  }

  /// One number; false at the end of the file.
  bool number(const Type &type, double &value) {
    if (encoding == Encoding::Text) {
      std::string word; // istream's own >> refuses nan
      if (!(file >> word))
        return false;
      if (!parseNumber(word, value))
        damaged(word.substr(0, 40) + " is not a number");
      return true;
    }
    std::array<char, 8> bytes{};
    if (!file.read(bytes.data(), static_cast<std::streamsize>(type.size)))
      return false;
    if ((encoding == Encoding::Big) == (std::endian::native == std::endian::little))
      std::reverse(bytes.begin(), bytes.begin() + type.size);
    value = type.read(bytes.data());
    return true;
  }

  void readElement(const Element &element) {
    if (element.properties.empty()) // nothing to read, however often
      return;
    std::vector<double> values(element.properties.size()), list, ignored;
    for (std::int64_t i = 0; i < element.count; ++i) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Property &property = element.properties[k];
        if (!property.isList) {
          if (!number(property.type, values[k]))
            truncated(element, i);
          continue;
        }
        double count = 0;
        if (!number(property.countType, count) || !(count >= 0))
          truncated(element, i);
        const bool corners = property.name == "vertex_indices" || property.name == "vertex_index";
        std::vector<double> &into = corners ? list : ignored;
        into.clear();
        for (double value = 0; static_cast<double>(into.size()) < count; into.push_back(value))
          if (!number(property.type, value))
            truncated(element, i);
      }
      if (element.name == "vertex")
        addVertex(element, values);
      else if (element.name == "face")
        addFace(element, values, list, i);
    }
  }

  void addVertex(const Element &element, const std::vector<double> &values) {
    Vec3 place{};
    for (std::size_t k = 0; k < values.size(); ++k)
      for (int axis = 0; axis < 3; ++axis)
        if (element.properties[k].name == std::string(1, "xyz"[axis]))
          place[axis] = values[k];
    vertices.push_back(place);
  }

  /// Triangles; each has the numbers of its face.
  void addFace(const Element &element, const std::vector<double> &values,
               const std::vector<double> &list, std::int64_t i) {
    for (double index : list)
      if (!(index >= 0) || index >= static_cast<double>(vertices.size()))
        damaged(fmt::format("face {} names a vertex that is not there", i + 1));
    polygon.clear();
    for (double index : list)
      polygon.push_back(vertices[index]);
    if (!addPolygon(polygon, mesh.triangles.own()))
      damaged(fmt::format("face {} cannot be cut into triangles", i + 1));
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!element.properties[k].isList)
        mesh.columns[element.properties[k].name].resize(mesh.triangles.size(), values[k]);
  }

  const std::string &path;
  FileReader file;
  Encoding encoding = Encoding::Text;
  std::vector<Element> elements;
  std::vector<Vec3> vertices, polygon;
  Mesh mesh;
};
/// Lines as words, up to '#'.
class Lines {
public:
  explicit Lines(const std::string &path) : path_(path), file_(path) {}

  bool next(Words &words) {
    if (!std::getline(file_, line_))
      return false;
    ++number_;
    cutComment();
    for (std::string more; endsInBackslash() && std::getline(file_, more); ++number_) {
      line_.replace(line_.rfind('\\'), std::string::npos, " " + more);
      cutComment();
    }
    splitWords(line_, words, " \t\r\v\f");
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
  /// First: one that ends in a backslash does not go on.
  void cutComment() { line_.resize(std::min(line_.size(), line_.find('#'))); }
  bool endsInBackslash() const {
    const std::size_t last = line_.find_last_not_of(" \t\r");
    return last != std::string::npos && line_[last] == '\\';
  }

  const std::string &path_;
  FileReader file_;
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
    if (!addPolygon(polygon_, mesh_.triangles.own()))
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

Mesh readPly(const std::string &path) { return PlyReader(path).read(); }
Mesh readObj(const std::string &path) { return ObjReader(path).read(); }
Mesh readTextStl(const std::string &path) { return StlReader(path).read(); }

// 80 bytes, a count, then 50 bytes a triangle: normal, corners, two bytes for nothing.
std::shared_ptr<const MeshBlocks> openBinaryStl(const std::string &path) {
  const auto bytes = [path](std::int64_t from, void *to, std::int64_t size) {
    FileReader file(path);
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
