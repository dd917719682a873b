// hdf5_output.cpp - results as NeXus NXdata: |F|^2 as the default plot, complex F in a group of its
// own.
//
// Layout of NXdata: manual.nexusformat.org/classes/base_classes/NXdata.html. silx refuses bin edges
// and 2-D coordinates in `axes`, so axes are centres and a detector's q lie beside the signal.
#include "runtime/files/hdf5.h"
#include "runtime/output/layout.h"
#include <algorithm>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
using Shape = std::vector<hsize_t>;

const char *viewName(View view) {
  switch (view) {
  case View::Image:
    return "image";
  case View::Curve:
    return "curve";
  case View::Scatter:
    return "scatter";
  case View::Volume:
    return "volume";
  }
  return "data";
}

std::string squared(const std::string &unit) {
  if (unit.empty())
    return "";
  std::size_t power = unit.find('^');
  if (power == std::string::npos)
    return unit + "^2";
  return unit.substr(0, power + 1) + std::to_string(2 * std::atoi(unit.c_str() + power + 1));
}

/// |F|^2 in blocks, in the order of the picture, so that no second array of the size of F is
/// needed.
void writeIntensity(hid_t group, const Output &output, const Layout &layout, const Shape &shape) {
  h5::Handle data = h5::makeDataset(group, "I", H5T_NATIVE_DOUBLE, shape);
  h5::attribute(data, "long_name", "|F|^2");
  h5::attribute(data, "units", output.unit.empty() ? "arbitrary" : squared(output.unit));
  if (layout.view == View::Image)
    h5::attribute(data, "interpretation", "image");
  bool image = layout.view == View::Image;
  hsize_t slow = shape[0];
  hsize_t fast = 1;
  for (std::size_t k = 1; k < shape.size(); ++k)
    fast *= shape[k];
  hsize_t block = std::clamp<hsize_t>((hsize_t{1} << 20) / std::max<hsize_t>(fast, 1), 1, slow);
  std::vector<double> values;
  for (hsize_t begin = 0; begin < slow; begin += block) {
    hsize_t rows = std::min(block, slow - begin);
    values.resize(rows * fast);
    for (hsize_t i = 0; i < values.size(); ++i) {
      hsize_t row = begin + i / fast;
      hsize_t flat = image ? static_cast<hsize_t>(layout.index(static_cast<std::int64_t>(row),
                                                               static_cast<std::int64_t>(i % fast)))
                           : begin * fast + i;
      values[i] = std::norm((*output.f)[flat]);
    }
    Shape start(shape.size(), 0), count = shape;
    start[0] = begin;
    count[0] = rows;
    h5::Handle file(h5::must(H5Dget_space(data)), H5Sclose);
    h5::must(
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
    h5::Handle memory(
        h5::must(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr)),
        H5Sclose);
    h5::must(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values.data()));
  }
}

/// h5py's complex numbers: a compound of r and i.
h5::Handle complexType() {
  h5::Handle type(h5::must(H5Tcreate(H5T_COMPOUND, 16)), H5Tclose);
  h5::must(H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE));
  h5::must(H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE));
  return type;
}

void writeComponent(hid_t group, const Grid &grid, int k, const Shape &shape) {
  const Axis &axis = grid.axes[k];
  std::string name = axisName(k);
  auto put = [&](const std::string &as, const std::vector<double> &values, const char *what) {
    h5::writeDoubles(group, as, shape, values.data());
    h5::Handle data(h5::must(H5Dopen2(group, as.c_str(), H5P_DEFAULT)), H5Dclose);
    h5::attribute(data, "units", "1/nm");
    h5::attribute(data, "long_name", name + what + " (1/nm)");
  };
  put(name, axis.re, "");
  if (axis.isComplex())
    put(name + "_im", axis.im, ", imaginary part");
}

void link(hid_t from, hid_t to, const std::string &name) {
  if (h5::has(from, name))
    h5::must(H5Lcreate_hard(from, name.c_str(), to, name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
}

void nameAxes(hid_t group, const char *signal, const std::vector<std::string> &axes) {
  h5::attribute(group, "signal", signal);
  h5::attribute(group, "axes", axes);
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k] != ".")
      h5::attribute(group, axes[k] + "_indices", static_cast<int>(k));
}

struct Plan {
  Layout layout;
  Shape f, picture; // shapes of F and of I
  std::vector<std::string> fAxes, axes;
};

Plan planOf(const Grid &grid) {
  Plan plan;
  plan.layout = layoutOf(grid);
  auto n = grid.extents();
  auto size = static_cast<hsize_t>(grid.size());
  auto rows = static_cast<hsize_t>(plan.layout.rows),
       columns = static_cast<hsize_t>(plan.layout.columns);
  bool product = plan.layout.product;
  if (product) {
    plan.f = {static_cast<hsize_t>(n[0]), static_cast<hsize_t>(n[1]), static_cast<hsize_t>(n[2])};
    plan.fAxes = {"qx", "qy", "qz"};
  } else {
    plan.f = {size};
    plan.fAxes = {"."};
  }
  switch (plan.layout.view) {
  case View::Image:
    plan.picture = {rows, columns};
    plan.axes = {".", "."};
    if (product)
      plan.axes = {axisName(plan.layout.rowAxis), axisName(plan.layout.columnAxis)};
    else {
      plan.f = plan.picture;
      plan.fAxes = plan.axes;
    }
    break;
  case View::Curve:
    plan.picture = {size};
    plan.axes = {axisName(plan.layout.along)};
    break;
  case View::Scatter:
    plan.picture = {size};
    plan.axes = {axisName(plan.layout.columnAxis), axisName(plan.layout.rowAxis)};
    break;
  case View::Volume:
    plan.picture = plan.f;
    plan.axes = plan.fAxes;
    break;
  }
  return plan;
}

void writeStyle(hid_t group, View view) {
  if (view == View::Curve)
    h5::attribute(group, "SILX_style",
                  R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})");
  else
    h5::attribute(group, "SILX_style", R"({"signal_scale_type": "log"})");
}

void writeProcess(hid_t entry, const Output &output) {
  h5::Handle process = h5::makeGroup(entry, "process", "NXprocess");
  h5::writeString(process, "program", "facet");
  for (const auto &[name, text] : output.provenance)
    h5::attribute(process, name, text);
  for (const auto &[name, value] : output.numbers)
    h5::attribute(process, name, value);
  if (!output.experiment.empty())
    h5::writeString(process, "experiment", output.experiment);
}

void fill(hid_t root, const Output &output) {
  const Grid &grid = *output.grid;
  Plan plan = planOf(grid);
  std::string view = viewName(plan.layout.view);
  h5::attribute(root, "NX_class", "NXroot");
  h5::attribute(root, "default", "entry");
  h5::attribute(root, "creator", "facet");
  h5::Handle entry = h5::makeGroup(root, "entry", "NXentry");
  h5::attribute(entry, "default", view);
  h5::writeString(entry, "title", output.title);

  h5::Handle amplitude = h5::makeGroup(entry, "amplitude", "NXdata");
  h5::attribute(amplitude, "grid", plan.layout.product ? "product" : "points");
  h5::Handle type = complexType();
  {
    h5::Handle f = h5::makeDataset(amplitude, "F", type, plan.f);
    h5::must(H5Dwrite(f, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, output.f->data()));
    h5::attribute(f, "long_name", "F");
    h5::attribute(f, "units", output.unit.empty() ? "arbitrary" : output.unit);
  }
  h5::writeString(amplitude, "title", output.title);
  nameAxes(amplitude, "F", plan.fAxes);
  for (int k = 0; k < 3; ++k)
    writeComponent(amplitude, grid, k,
                   plan.layout.product ? Shape{grid.axes[k].re.size()} : plan.f);

  h5::Handle picture = h5::makeGroup(entry, view, "NXdata");
  nameAxes(picture, "I", plan.axes);
  writeStyle(picture, plan.layout.view);
  h5::writeString(picture, "title", output.title.empty() ? "|F|^2" : output.title);
  writeIntensity(picture, output, plan.layout, plan.picture);
  for (int k = 0; k < 3; ++k) {
    link(amplitude, picture, axisName(k));
    link(amplitude, picture, std::string(axisName(k)) + "_im");
  }
  writeProcess(entry, output);
}
} // namespace

void writeHdf5(const Output &output, const std::string &path) {
  if (static_cast<std::int64_t>(output.f->size()) != output.grid->size())
    throw Error(path,
                "F has " + std::to_string(output.f->size()) + " values for " +
                    std::to_string(output.grid->size()) + " q",
                "", Exit::Failed);
  check(*output.grid);
  bool points = output.grid->kind == Grid::Kind::Points;
  std::int64_t bytes = (24 + (points ? 48 : 0)) * output.grid->size();
  h5::writeFile(path, bytes, [&](hid_t root) { fill(root, output); });
}

} // namespace facet::runtime
