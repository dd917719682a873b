// read.cpp - results read back from the HDF5 files that facet writes.
#include "runtime/files/hdf5.h"
#include "runtime/output/hdf5/nexus.h"
#include "runtime/output/layout.h"
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
[[noreturn]] void foreign(const std::string &path) {
  throw Error(path, "this HDF5 file is no result of facet",
              "facet looks for /entry/amplitude/F; silx view opens any file");
}

/// The attributes of /entry/process: numbers, and the rest is provenance.
void readProcess(const h5::Object &file, Result &result) {
  if (!file.has("entry/process"))
    return;
  const h5::Object process = file.open("entry/process");
  for (const std::string &name : process.attributeNames())
    if (const auto value = process.numberAttribute(name))
      result.numbers[name] = *value;
    else if (name != "NX_class")
      result.provenance[name] = process.attribute(name);
}

/// Returns the shape of F.
h5::Shape readF(const h5::Object &group, Result &result) {
  const h5::Object data = group.open("F");
  h5::Shape shape = data.shape();
  result.f.resize(static_cast<std::size_t>(nexus::elements(shape)));
  data.read(h5::Shape(shape.size(), 0), shape, result.f.data(), h5::complexType());
  result.unit = data.attribute("units");
  if (result.unit == "arbitrary")
    result.unit.clear();
  return shape;
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
  const h5::Object file(path);
  return file.has("entry/amplitude") && !file.open("entry/amplitude").attribute("grid").empty();
}

Result readHdf5(const std::string &path) {
  const h5::Object file(path);
  if (!file.has("entry/amplitude/F"))
    foreign(path);
  const h5::Object group = file.open("entry/amplitude");
  Result result;
  h5::Shape shape = readF(group, result);
  result.grid.kind =
      group.attribute("grid") == "product" ? Grid::Kind::Product : Grid::Kind::Points;
  for (int k = 0; k < 3; ++k) {
    const std::string name = axisName(k);
    if (!group.has(name))
      foreign(path);
    result.grid.axes[k].re = group.open(name).doubles();
    if (group.has(name + "_im"))
      result.grid.axes[k].im = group.open(name + "_im").doubles();
  }
  if (const std::string name = group.attribute("sweep"); !name.empty()) {
    if (shape.empty() || !group.has(name))
      foreign(path);
    result.sweep = Sweep{name, group.open(name).doubles()};
    shape.erase(shape.begin());
  }
  if (result.grid.kind == Grid::Kind::Points && shape.size() == 2) {
    result.grid.imageRows = shape[0];
    result.grid.imageColumns = shape[1];
  }
  check(result.grid);
  const std::size_t steps = result.sweep ? result.sweep->values.size() : 1;
  if (result.f.size() != steps * static_cast<std::size_t>(result.grid.size()))
    foreign(path);
  result.title = file.text("entry/title");
  result.experiment = file.text("entry/process/experiment");
  readProcess(file, result);
  return result;
}

std::map<std::string, std::string> readProvenance(const std::string &path) {
  Result result;
  readProcess(h5::Object(path), result);
  return result.provenance;
}

} // namespace facet::runtime
