// write.cpp - an HDF5 mesh written block by block.
#include "runtime/files/hdf5.h"
#include <algorithm>
#include <facet/runtime/mesh_stream.h>

namespace facet::runtime {
namespace {

constexpr std::int64_t step = 1 << 15;

/// A dataset of n rows that is filled from the first on.
struct Growing {
  h5::Handle data;
  std::vector<hsize_t> shape;

  Growing(hid_t file, const std::string &name, std::vector<hsize_t> rows)
      : data(h5::makeDataset(file, name, H5T_NATIVE_DOUBLE, rows)), shape(std::move(rows)) {}
  void put(std::int64_t first, std::int64_t count, const double *values) const {
    std::vector<hsize_t> begin(shape.size(), 0), extent = shape;
    begin[0] = static_cast<hsize_t>(first);
    extent[0] = static_cast<hsize_t>(count);
    h5::Handle to(h5::must(H5Dget_space(data)), H5Sclose);
    h5::must(
        H5Sselect_hyperslab(to, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr));
    h5::Handle memory(
        h5::must(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr)),
        H5Sclose);
    h5::must(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, to, H5P_DEFAULT, values));
  }
};

} // namespace

void writeMeshBlocks(const MeshBlocks &mesh, const std::string &path) {
  const auto n = static_cast<hsize_t>(mesh.size());
  const Mesh head = mesh.read(0, 1);
  const std::int64_t width = (head.triangles.empty() ? 0 : 9) + (head.facets.area.empty() ? 0 : 7) +
                             static_cast<std::int64_t>(head.columns.size());
  h5::writeFile(path, 8 * width * mesh.size(), [&](hid_t file) {
    h5::attribute(file, "units", "nm");
    std::map<std::string, Growing> sets;
    const auto add = [&](const std::string &name, const std::vector<hsize_t> &shape) {
      sets.emplace(name, Growing(file, name, shape));
    };
    if (!head.triangles.empty())
      add("triangles", {n, 3, 3});
    if (!head.facets.area.empty()) {
      add("area", {n});
      add("normal", {n, 3});
      add("centroid", {n, 3});
    }
    for (const auto &[name, values] : head.columns)
      add(name, {n});
    for (std::int64_t first = 0; first < mesh.size(); first += step) {
      const std::int64_t count = std::min(step, mesh.size() - first);
      const Mesh block = mesh.read(first, count);
      const auto put = [&](const std::string &name, const double *values) {
        sets.at(name).put(first, count, values);
      };
      if (!block.triangles.empty())
        put("triangles", block.triangles[0][0].data());
      if (!block.facets.area.empty()) {
        put("area", block.facets.area.data());
        put("normal", block.facets.normal[0].data());
        put("centroid", block.facets.centroid[0].data());
      }
      for (const auto &[name, values] : block.columns)
        put(name, values.data());
    }
  });
}

} // namespace facet::runtime
