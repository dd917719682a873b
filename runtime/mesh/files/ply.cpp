// ply.cpp - PLY, text and binary: triangles in double precision, numbers of faces as columns.
// Format: G. Turk, The PLY polygon file format (1994).
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <facet/runtime/error.h>
#include <fstream>
#include <sstream>

namespace facet::runtime {

namespace {
enum class Encoding { Text, Little, Big };

struct Property {
  std::string name, type, countType; // countType: of a list
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
                "truncated: the header announces " + std::to_string(element.count) + " of '" +
                    element.name + "', the file holds " + std::to_string(i),
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
        words >> property.type;
        if (property.type == "list")
          words >> property.countType >> property.type;
        if (!(words >> property.name) || elements.empty() || size(property.type) == 0 ||
            (!property.countType.empty() && size(property.countType) == 0))
          damaged(line + ": no line of a header");
        elements.back().properties.push_back(property);
      }
    }
    damaged("its header has no end");
  }

  static std::size_t size(const std::string &type) {
    static const std::map<std::string, std::size_t> sizes{
        {"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
        {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
        {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
    auto found = sizes.find(type);
    return found == sizes.end() ? 0 : found->second;
  }

  template <class T> static double as(const char *bytes) {
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  }

  /// One number; false at the end of the file.
  bool number(const std::string &type, double &value) {
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
    std::size_t n = size(type);
    if (!file.read(bytes.data(), static_cast<std::streamsize>(n)))
      return false;
    if ((encoding == Encoding::Big) == (std::endian::native == std::endian::little))
      std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    bool isSigned = type[0] != 'u';
    if (n == 8)
      value = as<double>(bytes.data());
    else if (type[0] == 'f')
      value = as<float>(bytes.data());
    else if (n == 4)
      value = isSigned ? as<std::int32_t>(bytes.data()) : as<std::uint32_t>(bytes.data());
    else if (n == 2)
      value = isSigned ? as<std::int16_t>(bytes.data()) : as<std::uint16_t>(bytes.data());
    else
      value = isSigned ? as<std::int8_t>(bytes.data()) : as<std::uint8_t>(bytes.data());
    return true;
  }

  void readElement(const Element &element) {
    if (element.properties.empty()) // nothing to read, however often
      return;
    std::vector<double> values(element.properties.size()), list;
    for (std::int64_t i = 0; i < element.count; ++i) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Property &property = element.properties[k];
        if (property.countType.empty()) {
          if (!number(property.type, values[k]))
            truncated(element, i);
          continue;
        }
        double count = 0;
        if (!number(property.countType, count) || !(count >= 0))
          truncated(element, i);
        bool corners = property.name == "vertex_indices" || property.name == "vertex_index";
        std::vector<double> ignored;
        auto &into = corners ? list : ignored;
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
        damaged("face " + std::to_string(i + 1) + " names a vertex that is not there");
    polygon.clear();
    for (double index : list)
      polygon.push_back(vertices[static_cast<std::size_t>(index)]);
    if (!addPolygon(polygon, mesh.triangles))
      damaged("face " + std::to_string(i + 1) + " cannot be cut into triangles");
    for (std::size_t k = 0; k < values.size(); ++k)
      if (element.properties[k].countType.empty())
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
