// ply.cpp - meshes in PLY, text and binary (G. Turk, The PLY polygon file format, 1994).
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/mesh/formats/polygon.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <span>

namespace facet::runtime {
namespace {

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
/// IEEE 754's half precision.
const Type half{2, [](const char *bytes) {
                  std::uint16_t word = 0;
                  std::memcpy(&word, bytes, sizeof word);
                  const int exponent = (word >> 10) & 31, fraction = word & 1023;
                  const double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                                      : exponent == 0 ? std::ldexp(fraction, -24)
                                                      : std::ldexp(1024 + fraction, exponent - 25);
                  return (word >> 15) != 0 ? -size : size;
                }};
Type typeByName(std::string_view name) {
  static const std::map<std::string_view, Type> types{{"char", typeOf<std::int8_t>},
                                                      {"int8", typeOf<std::int8_t>},
                                                      {"uchar", typeOf<std::uint8_t>},
                                                      {"uint8", typeOf<std::uint8_t>},
                                                      {"short", typeOf<std::int16_t>},
                                                      {"int16", typeOf<std::int16_t>},
                                                      {"ushort", typeOf<std::uint16_t>},
                                                      {"uint16", typeOf<std::uint16_t>},
                                                      {"int", typeOf<std::int32_t>},
                                                      {"int32", typeOf<std::int32_t>},
                                                      {"uint", typeOf<std::uint32_t>},
                                                      {"uint32", typeOf<std::uint32_t>},
                                                      {"long", typeOf<std::int64_t>},
                                                      {"int64", typeOf<std::int64_t>},
                                                      {"ulong", typeOf<std::uint64_t>},
                                                      {"uint64", typeOf<std::uint64_t>},
                                                      {"half", half},
                                                      {"float16", half},
                                                      {"float", typeOf<float>},
                                                      {"float32", typeOf<float>},
                                                      {"double", typeOf<double>},
                                                      {"float64", typeOf<double>}};
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
    int behind = file.peek(); // blanks, NUL and ^Z may be
    while (behind != FileReader::traits_type::eof() &&
           (behind == 0 || behind == 26 || isBlank(static_cast<char>(behind)))) {
      file.get();
      behind = file.peek();
    }
    if (behind != FileReader::traits_type::eof())
      damaged("it holds more than its header announces");
    for (std::size_t i = 0; i < faces.size(); ++i)
      cutFace(i);
    if (mesh.triangles.empty())
      notePassed();
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
    const char end = endOfLines();
    while (std::getline(file, line, end)) {
      splitWords(line, words, " \t\r");
      bool good =
          words.empty() || word(0) == "ply" || word(0) == "comment" || word(0) == "obj_info";
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
        good = parseNumber(word(2), element.count) && element.count >= 0 &&
               std::ranges::count(elements, element.name, &Element::name) == 1;
      } else if (word(0) == "property") {
        const bool isList = word(1) == "list";
        const std::size_t at = isList ? 3 : 1;
        const Type type = typed(word(at)), countType = isList ? typed(word(2)) : Type{};
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

  /// CR if the first line ends in it alone, else LF: what follows the header may begin with any
  /// byte.
  char endOfLines() {
    std::array<char, 64> first{};
    file.read(first.data(), first.size());
    const std::string_view text(first.data(), static_cast<std::size_t>(file.gcount()));
    file.clear();
    file.seekg(0);
    const std::size_t end = text.find_first_of("\r\n");
    const bool cr = end != std::string_view::npos && text[end] == '\r' &&
                    (end + 1 == text.size() || text[end + 1] != '\n');
    return cr ? '\r' : '\n';
  }

  Type typed(std::string_view name) {
    const Type type = typeByName(name);
    if (type.size == 0 && !name.empty())
      damaged(fmt::format("'{}' is not a type of PLY", name.substr(0, 40)));
    return type;
  }

  static bool isOfCorners(const Property &property) {
    static const std::set<std::string_view> names{"vertex_indices", "vertex_index", "indices",
                                                  "vertex_indexes", "vertexIndices"};
    return property.isList && names.contains(property.name);
  }

  /// What of the header made no triangle.
  void notePassed() {
    std::string text;
    for (const Element &element : elements)
      if (element.name != "vertex" && element.name != "face" && element.count > 0 && text.empty())
        text = fmt::format("{} of element '{}' passed over", element.count, element.name);
    if (!text.empty())
      mesh.notes.push_back(text);
  }

  void checkFaces(const Element &element) {
    if (element.name != "face" || element.count == 0 ||
        std::ranges::any_of(element.properties, isOfCorners))
      return;
    std::string names;
    for (const Property &property : element.properties)
      names += (names.empty() ? "'" : ", '") + property.name + "'";
    damaged(fmt::format("its faces have no list vertex_indices, vertex_index or indices, but {}",
                        names.empty() ? "nothing" : names));
  }

  void checkVertices() {
    for (const Element &element : elements) {
      checkFaces(element);
      for (const char *name : {"x", "y", "z"})
        if (element.name == "vertex" && !element.properties.empty() &&
            std::ranges::find(element.properties, name, &Property::name) ==
                element.properties.end())
          damaged(fmt::format("its vertices have no property {}", name));
    }
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
    const bool turned = (encoding == Encoding::Big) == (std::endian::native == std::endian::little);
    if (turned)
      std::ranges::reverse(bytes);
    value = type.read(turned ? bytes.end() - type.size : bytes.begin());
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
        std::vector<double> &into = isOfCorners(property) ? list : ignored;
        into.clear();
        for (double value = 0; static_cast<double>(into.size()) < count; into.push_back(value))
          if (!number(property.type, value))
            truncated(element, i);
      }
      if (element.name == "vertex")
        addVertex(element, values);
      else if (element.name == "face")
        addFace(element, values, list);
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

  void addFace(const Element &element, const std::vector<double> &values,
               const std::vector<double> &list) {
    faces.push_back({corners.size(), list.size()});
    corners.insert(corners.end(), list.begin(), list.end());
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!element.properties[k].isList)
        ofFaces[element.properties[k].name].push_back(values[k]);
  }

  /// Triangles; each has the numbers of its face. Vertices may stand after the faces.
  void cutFace(std::size_t i) {
    polygon.clear();
    for (const double index : std::span(corners).subspan(faces[i].first, faces[i].count)) {
      if (!(index >= 0) || index >= static_cast<double>(vertices.size()) ||
          index != std::floor(index))
        damaged(fmt::format("face {} names a vertex that is not there", i + 1));
      polygon.push_back(vertices[static_cast<std::size_t>(index)]);
    }
    if (!addPolygon(polygon, mesh.triangles.own()))
      damaged(fmt::format("face {} cannot be cut into triangles", i + 1));
    for (const auto &[name, values] : ofFaces)
      mesh.columns[name].resize(mesh.triangles.size(), values[i]);
  }

  const std::string &path;
  FileReader file;
  Encoding encoding = Encoding::Text;
  std::vector<Element> elements;
  struct Face {
    std::size_t first, count; // in `corners`
  };
  std::vector<Vec3> vertices, polygon;
  std::vector<Face> faces;
  std::vector<double> corners; // as read: may be no index
  std::map<std::string, std::vector<double>> ofFaces;
  Mesh mesh;
};

} // namespace

Mesh readPly(const std::string &path) { return PlyReader(path).read(); }

} // namespace facet::runtime
