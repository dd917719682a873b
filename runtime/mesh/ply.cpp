// ply.cpp - PLY, text and binary: triangles in double precision, numbers of faces as columns.
// Format: G. Turk, The PLY polygon file format (1994).
#include "runtime/mesh/readers.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

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
Type typeByName(const std::string &name) {
  static const std::map<std::string, Type> types{
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
  explicit PlyReader(const std::string &path) : path(path), file(path, std::ios::binary) {}

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
    std::string line, word;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream words(line);
      words >> word;
      if (word == "end_header")
        return;
      if (word == "format") {
        words >> word;
        encoding = word == "ascii"               ? Encoding::Text
                   : word == "binary_big_endian" ? Encoding::Big
                                                 : Encoding::Little;
      } else if (word == "element") {
        Element element;
        if (!(words >> element.name >> element.count) || element.count < 0)
          damaged(line + ": no line of a header");
        elements.push_back(element);
      } else if (word == "property") {
        Property property;
        words >> word;
        if (property.isList = word == "list"; property.isList) {
          words >> word;
          property.countType = typeByName(word);
          words >> word;
        }
        property.type = typeByName(word);
        if (!(words >> property.name) || elements.empty() || property.type.size == 0 ||
            (property.isList && property.countType.size == 0))
          damaged(line + ": no line of a header");
        elements.back().properties.push_back(property);
      }
    }
    damaged("its header has no end");
  }

  /// One number; false at the end of the file.
  bool number(const Type &type, double &value) {
    if (encoding == Encoding::Text) {
      std::string word; // istream's own >> refuses nan
      if (!(file >> word))
        return false;
      char *end = nullptr;
      value = std::strtod(word.c_str(), &end);
      if (*end != '\0')
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
    if (!addPolygon(polygon, mesh.triangles))
      damaged(fmt::format("face {} cannot be cut into triangles", i + 1));
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!element.properties[k].isList)
        mesh.columns[element.properties[k].name].resize(mesh.triangles.size(), values[k]);
  }

  const std::string &path;
  std::ifstream file;
  Encoding encoding = Encoding::Text;
  std::vector<Element> elements;
  std::vector<Vec3> vertices, polygon;
  Mesh mesh;
};
} // namespace

Mesh readPly(const std::string &path) { return PlyReader(path).read(); }

} // namespace facet::runtime
