// write.cpp - meshes to STL, OBJ, PLY, HDF5 and 7-column text.
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/store/hdf5.h"
#include <cstring>
#include <facet/runtime/error.h>
#include <facet/runtime/mesh_stream.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace facet::runtime {

namespace {
struct IndexedMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> faces;
};

IndexedMesh indexed(const Mesh &mesh) {
  const std::vector<std::uint32_t> corners = weld(mesh, 0);
  std::vector<std::uint32_t> number(corners.size());
  IndexedMesh result;
  result.faces.resize(mesh.triangles.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (corners[i] == i) {
      number[i] = static_cast<std::uint32_t>(result.vertices.size());
      result.vertices.push_back(mesh.triangles[i / 3][i % 3]);
    }
    result.faces[i / 3][i % 3] = number[corners[i]];
  }
  return result;
}

/// Text, whatever the locale: printf writes "-5,25" where a program has set that of Germany.
template <class... Values>
void print(FileWriter &file, fmt::format_string<Values...> format, Values &&...values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  file.write(text.data(), text.size());
}

void writeStl(const Mesh &mesh, FileWriter &file) {
  std::array<char, 80> header{"facet"};
  auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  file.write(header.data(), header.size());
  file.write(&count, sizeof count);
  for (const Triangle &t : mesh.triangles) {
    std::array<char, 50> record{};
    Vec3 normal = areaNormal(t);
    double size = length(normal);
    std::array<float, 12> values{};
    for (int k = 0; k < 3; ++k) {
      values[k] = static_cast<float>(size > 0 ? normal[k] / size : 0);
      for (int c = 0; c < 3; ++c)
        values[3 + 3 * c + k] = static_cast<float>(t[c][k]);
    }
    std::memcpy(record.data(), values.data(), sizeof values);
    file.write(record.data(), record.size());
  }
}

void writeObj(const Mesh &mesh, FileWriter &file) {
  IndexedMesh m = indexed(mesh);
  print(file, "# written by facet; nm\n");
  for (const Vec3 &v : m.vertices)
    print(file, "v {:.17g} {:.17g} {:.17g}\n", v[0], v[1], v[2]);
  for (const auto &f : m.faces)
    print(file, "f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1);
}

void writePly(const Mesh &mesh, FileWriter &file) {
  IndexedMesh m = indexed(mesh);
  print(file,
        "ply\nformat binary_little_endian 1.0\ncomment written by facet; nm\n"
        "element vertex {}\nproperty double x\nproperty double y\nproperty double z\n"
        "element face {}\nproperty list uchar int vertex_indices\n",
        m.vertices.size(), m.faces.size());
  for (const auto &[name, values] : mesh.columns)
    print(file, "property double {}\n", name);
  print(file, "end_header\n");
  for (const Vec3 &v : m.vertices)
    file.write(v.data(), sizeof v);
  for (std::size_t i = 0; i < m.faces.size(); ++i) {
    unsigned char three = 3;
    file.write(&three, 1);
    file.write(m.faces[i].data(), sizeof m.faces[i]);
    for (const auto &[name, values] : mesh.columns)
      file.write(&values[i], sizeof values[i]);
  }
}

void writeSevenColumns(const Mesh &mesh, FileWriter &file) {
  print(file, "# area nx ny nz cx cy cz (nm^2, nm), written by facet\n");
  std::array<std::vector<double>, 7> columns;
  const std::array<const char *, 7> names{"area",       "normal.x",   "normal.y",  "normal.z",
                                          "centroid.x", "centroid.y", "centroid.z"};
  for (std::size_t k = 0; k < 7; ++k)
    columns[k] = column(mesh, names[k]);
  for (std::size_t i = 0; i < columns[0].size(); ++i)
    for (std::size_t k = 0; k < 7; ++k)
      print(file, "{:.17g}{}", columns[k][i], k < 6 ? ' ' : '\n');
}

/// Calls with name, shape and values of each dataset: all records of the mesh.
template <class Use> void eachDataset(const Mesh &mesh, const Use &use) {
  const std::int64_t n = mesh.size();
  if (!mesh.triangles.empty())
    use("triangles", h5::Shape{n, 3, 3}, mesh.triangles[0][0].data());
  if (!mesh.facets.area.empty()) {
    use("area", h5::Shape{n}, mesh.facets.area.data());
    use("normal", h5::Shape{n, 3}, mesh.facets.normal[0].data());
    use("centroid", h5::Shape{n, 3}, mesh.facets.centroid[0].data());
  }
  for (const auto &[name, values] : mesh.columns)
    use(name, h5::Shape{n}, values.data());
}
/// Calls with each column that has an axis: its name in a file, and its table, or those of its real
/// and imaginary part.
template <class Use> void eachTable(const Mesh &mesh, const Use &use) {
  for (const auto &[name, table] : mesh.tables) {
    const std::string stem = name.substr(0, name.rfind('.'));
    if (name == stem)
      use(name, std::array<const AxisTable *, 2>{&table, nullptr});
    else if (name.ends_with(".re"))
      use(stem, std::array<const AxisTable *, 2>{&table, &mesh.tables.at(stem + ".im")});
  }
}

/// The records of a block, from `first` on, row by row.
void writeTable(hid_t set, const std::array<const AxisTable *, 2> &parts, std::int64_t first) {
  const h5::Handle complex = h5::complexType();
  const std::int64_t n = parts[0]->records();
  for (std::int64_t row = 0; row < parts[0]->rows(); ++row) {
    std::vector<double> values;
    for (std::int64_t t = 0; t < n; ++t)
      for (const AxisTable *part : parts)
        if (part != nullptr)
          values.push_back(part->row(row)[t]);
    h5::writeBox(set, parts[1] != nullptr ? hid_t{complex} : H5T_NATIVE_DOUBLE, {row, first},
                 {1, n}, values.data());
  }
}
} // namespace

void writeMeshBlocks(const MeshBlocks &mesh, const std::string &path) {
  const Mesh head = mesh.read(0, std::min<std::int64_t>(1, mesh.size()));
  if (head.unit != 1 && head.roles.empty() && !head.columns.empty())
    throw Error(
        path,
        fmt::format("'{}' and other columns of {} are in its own unit, and only a kernel knows "
                    "which are lengths",
                    head.columns.begin()->first, head.name),
        "keep the mesh in its unit, and give that (--unit) where the mesh is used");
  std::int64_t width = 0; // numbers of a record
  eachDataset(head, [&](const std::string &, const h5::Shape &shape, const double *) {
    width += shape.size() == 1 ? 1 : shape.size() == 2 ? 3 : 9;
  });
  h5::writeFile(path, 8 * width * mesh.size(), [&](hid_t file) {
    h5::attribute(file, "units", "nm");
    std::map<std::string, h5::Handle> sets;
    eachDataset(head, [&](const std::string &name, h5::Shape shape, const double *) {
      shape[0] = mesh.size();
      sets.emplace(name, h5::makeDataset(file, name, H5T_NATIVE_DOUBLE, shape));
    });
    const h5::Handle complex = h5::complexType();
    eachTable(head, [&](const std::string &name, const auto &parts) {
      sets.emplace(name, h5::makeDataset(file, name,
                                         parts[1] != nullptr ? hid_t{complex} : H5T_NATIVE_DOUBLE,
                                         {parts[0]->rows(), mesh.size()}));
    });
    std::int64_t first = 0;
    eachBlock(mesh, [&](const Mesh &block) {
      eachDataset(block,
                  [&](const std::string &name, const h5::Shape &shape, const double *values) {
                    h5::Shape begin(shape.size(), 0);
                    begin[0] = first;
                    h5::writeBox(sets.at(name), H5T_NATIVE_DOUBLE, begin, shape, values);
                  });
      eachTable(block, [&](const std::string &name, const auto &parts) {
        writeTable(sets.at(name), parts, first);
      });
      first += block.size();
    });
  });
}

void writeMesh(const Mesh &mesh, const std::string &path) {
  std::string extension = std::filesystem::path(path).extension().string();
  using Writer = void (*)(const Mesh &, FileWriter &);
  static const std::map<std::string, Writer> corners{
      {".stl", writeStl}, {".obj", writeObj}, {".ply", writePly}};
  if (extension == ".h5" || extension == ".hdf5")
    return writeMeshBlocks(*blocksOf({std::shared_ptr<void>(), &mesh}), path);
  auto writer = corners.find(extension);
  if (writer == corners.end() && extension != ".txt")
    throw Error(path, "facet writes no '" + extension + "' meshes",
                "use .stl, .obj, .ply, .h5 or .txt (7 columns)");
  if (writer != corners.end() && mesh.triangles.empty())
    throw Error(path, "a mesh without corners cannot be written as " + extension,
                "use .h5 or .txt");
  FileWriter file(path);
  (writer == corners.end() ? writeSevenColumns : writer->second)(mesh, file);
  file.commit();
}

} // namespace facet::runtime
