// read.cpp - results read back from the HDF5 files that facet writes.
#include "runtime/files/hdf5.h"
#include "runtime/output/layout.h"
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
[[noreturn]] void foreign(const std::string &path) {
  throw Error(path, "this HDF5 file is no result of facet",
              "facet looks for /entry/amplitude/F; silx view opens any file");
}

/// The attributes of /entry/process: strings are provenance, the rest numbers.
herr_t visit(hid_t object, const char *name, const H5A_info_t *, void *to) {
  auto &result = *static_cast<Result *>(to);
  h5::Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  h5::Handle type(H5Aget_type(attribute), H5Tclose);
  if (std::string(name) == "NX_class")
    return 0;
  double value = 0;
  if (H5Tget_class(type) == H5T_STRING)
    result.provenance[name] = h5::stringAttribute(object, name);
  else if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0)
    result.numbers[name] = value;
  return 0;
}

void readProcess(hid_t file, Result &result) {
  if (!h5::has(file, "/entry/process"))
    return;
  h5::Handle process(H5Gopen2(file, "/entry/process", H5P_DEFAULT), H5Gclose);
  H5Aiterate2(process, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &result);
}

void readF(hid_t group, Result &result, std::vector<hsize_t> &shape, const std::string &path) {
  h5::Handle data(H5Dopen2(group, "F", H5P_DEFAULT), H5Dclose);
  h5::Handle space(H5Dget_space(data), H5Sclose);
  shape.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  result.f.resize(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  h5::Handle type(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
  H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
  if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.f.data()) < 0)
    throw Error(path, "reading /entry/amplitude/F failed (" + h5::reason() + ")");
  result.unit = h5::stringAttribute(data, "units");
  if (result.unit == "arbitrary")
    result.unit.clear();
}
} // namespace

Output Result::output() const {
  Output output;
  output.grid = &grid;
  output.f = &f;
  output.title = title;
  output.unit = unit;
  output.sweep = sweep ? &*sweep : nullptr;
  output.provenance = provenance;
  output.numbers = numbers;
  output.experiment = experiment;
  return output;
}

bool holdsF(const std::string &path) {
  const h5::Handle file = h5::openFile(path);
  if (!h5::has(file, "/entry/amplitude"))
    return false;
  const h5::Handle group(H5Gopen2(file, "/entry/amplitude", H5P_DEFAULT), H5Gclose);
  return !h5::stringAttribute(group, "grid").empty();
}

Result readHdf5(const std::string &path) {
  h5::Handle file = h5::openFile(path);
  h5::Quiet quiet;
  if (!h5::has(file, "/entry/amplitude/F"))
    foreign(path);
  h5::Handle group(H5Gopen2(file, "/entry/amplitude", H5P_DEFAULT), H5Gclose);
  Result result;
  std::vector<hsize_t> shape;
  readF(group, result, shape, path);
  result.grid.kind =
      h5::stringAttribute(group, "grid") == "product" ? Grid::Kind::Product : Grid::Kind::Points;
  for (int k = 0; k < 3; ++k) {
    std::string name = axisName(k);
    if (!h5::has(group, name))
      foreign(path);
    result.grid.axes[k].re = h5::readDoubles(group, name, path).values;
    if (h5::has(group, name + "_im"))
      result.grid.axes[k].im = h5::readDoubles(group, name + "_im", path).values;
  }
  if (const std::string name = h5::stringAttribute(group, "sweep"); !name.empty()) {
    if (shape.empty() || !h5::has(group, name))
      foreign(path);
    result.sweep = Sweep{name, h5::readDoubles(group, name, path).values};
    shape.erase(shape.begin());
  }
  if (result.grid.kind == Grid::Kind::Points && shape.size() == 2) {
    result.grid.imageRows = static_cast<std::int64_t>(shape[0]);
    result.grid.imageColumns = static_cast<std::int64_t>(shape[1]);
  }
  check(result.grid);
  const std::size_t steps = result.sweep ? result.sweep->values.size() : 1;
  if (result.f.size() != steps * static_cast<std::size_t>(result.grid.size()))
    foreign(path);
  result.title = h5::readString(file, "/entry/title");
  result.experiment = h5::readString(file, "/entry/process/experiment");
  readProcess(file, result);
  return result;
}

std::map<std::string, std::string> readProvenance(const std::string &path) {
  const h5::Handle file = h5::openFile(path);
  const h5::Quiet quiet;
  Result result;
  readProcess(file, result);
  return result.provenance;
}

} // namespace facet::runtime
