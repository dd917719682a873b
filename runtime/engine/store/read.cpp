// read.cpp - results read back: F on a grid whole, groups NXdata by bands of rows.
#include "runtime/engine/store/data_file.h"
#include "runtime/engine/store/layout.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <facet/runtime/error.h>
#include <limits>

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

std::string unitOf(const h5::Object &data) {
  const std::string unit = data.attribute("units");
  return unit == "arbitrary" ? "" : unit;
}

constexpr std::int64_t band = 1 << 20; // values held besides those requested

/// The long_name without its unit.
std::string quantityOf(const h5::Object &data) {
  const std::string name = data.attribute("long_name"), unit = " (" + data.attribute("units") + ")";
  return name.size() > unit.size() && name.ends_with(unit)
             ? name.substr(0, name.size() - unit.size())
             : name;
}

/// The group, if it is one that DataGroup describes; else nothing.
std::optional<DataGroup> describe(const h5::Object &group, const std::string &name) {
  DataGroup found;
  found.name = name;
  found.signal = group.attribute("signal");
  const std::vector<std::string> axes = group.attributes("axes");
  if (group.attribute("NX_class") != "NXdata" || found.signal.empty() || axes.empty() ||
      !group.has(found.signal))
    return std::nullopt;
  const h5::Object data = group.open(found.signal);
  found.shape = data.shape();
  if (!data.isNumbers(true) || found.shape.empty() || found.shape.size() > 2 ||
      axes.size() != found.shape.size())
    return std::nullopt;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (found.shape[k] == 0 || !group.has(axes[k]))
      return std::nullopt;
    const h5::Object axis = group.open(axes[k]);
    found.axes.push_back({axes[k], unitOf(axis), axis.doubles()});
    if (static_cast<std::int64_t>(found.axes.back().values.size()) != found.shape[k])
      return std::nullopt;
  }
  found.title = group.text("title");
  found.unit = unitOf(data);
  found.quantity = quantityOf(data);
  if (group.has(found.signal + "_errors"))
    found.errors = found.signal + "_errors";
  return found;
}

/// The groups of F: those of named outputs in their order, else "amplitude"; empty: there is no F.
std::vector<std::string> groupsOfF(const h5::Object &file) {
  if (!file.has("entry"))
    return {};
  const h5::Object entry = file.open("entry");
  for (const std::string &name : entry.names())
    if (const auto outputs = entry.open(name).attributes("outputs"); !outputs.empty())
      return outputs;
  if (entry.has("amplitude") && !entry.open("amplitude").attribute("grid").empty())
    return {"amplitude"};
  return {};
}

/// Adds F of a group behind what is there.
void readF(const h5::Object &data, std::vector<std::complex<double>> &f, bool isComplex) {
  const h5::Shape shape = data.shape(), first(shape.size(), 0);
  const auto count = static_cast<std::size_t>(nexus::elements(shape)), at = f.size();
  f.resize(at + count);
  if (isComplex)
    return data.read(first, shape, f.data() + at, h5::complexType());
  const std::vector<double> real = data.doubles();
  std::copy(real.begin(), real.end(), f.begin() + static_cast<std::ptrdiff_t>(at));
}
/// Reads all of F, and what the outputs are. False if an output is missing, or of another shape.
bool readOutputs(const h5::Object &file, const std::vector<std::string> &groups,
                 const h5::Shape &shape, Result &result) {
  for (const std::string &name : groups) {
    const std::string where = "entry/" + name + "/F";
    if (!file.has(where) || file.open(where).shape() != shape)
      return false;
    const h5::Object data = file.open(where);
    const bool isComplex = !data.isNumbers(true);
    readF(data, result.f, isComplex);
    result.outputs.push_back({name, isComplex});
  }
  return true;
}
} // namespace

Output Result::output() const {
  return {&grid,   &f, sweep ? &*sweep : nullptr, title, unit, provenance, numbers, experiment,
          outputs, {}};
}

bool holdsF(const std::string &path) { return !groupsOfF(h5::Object(path)).empty(); }

Result readHdf5(const std::string &path) {
  const h5::Object file(path);
  const std::vector<std::string> groups = groupsOfF(file);
  if (groups.empty() || !file.has("entry/" + groups[0] + "/F"))
    foreign(path);
  const h5::Object group = file.open("entry/" + groups[0]);
  Result result;
  h5::Shape shape = group.open("F").shape();
  result.unit = unitOf(group.open("F"));
  if (!readOutputs(file, groups, shape, result))
    foreign(path);
  if (group.attributes("outputs").empty())
    result.outputs.clear();
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
  const std::size_t steps = result.sweep ? result.sweep->values.size() : groups.size();
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

std::vector<double> thinned(const std::vector<double> &centres, std::int64_t step) {
  std::vector<double> fewer;
  for (std::size_t i = 0; i < centres.size(); i += static_cast<std::size_t>(step)) {
    const std::size_t end = std::min(centres.size(), i + static_cast<std::size_t>(step));
    double sum = 0;
    for (std::size_t k = i; k < end; ++k)
      sum += centres[k];
    fewer.push_back(sum / static_cast<double>(end - i));
  }
  return fewer;
}

DataFile::DataFile(const std::string &path) : file_(path) {
  if (file_.has("entry")) {
    const h5::Object entry = file_.open("entry");
    std::vector<std::string> names = entry.names();
    std::sort(names.begin(), names.end(), [](const std::string &a, const std::string &b) {
      return strverscmp(a.c_str(), b.c_str()) < 0; // image_2 before image_10
    });
    for (const std::string &name : names)
      if (auto group = describe(entry.open(name), name))
        groups_.push_back(std::move(*group));
  }
  if (groups_.empty())
    throw Error(path, "this HDF5 file is no result of facet",
                "facet looks for groups NXdata in /entry; silx view opens any file");
}

CoarseImage DataFile::read(const DataGroup &group, const std::string &dataset,
                           std::int64_t most) const {
  const std::int64_t rows = group.rows(), columns = group.columns();
  CoarseImage image;
  image.rowStep = (rows + most - 1) / most;
  image.columnStep = (columns + most - 1) / most;
  image.rows = (rows + image.rowStep - 1) / image.rowStep;
  image.columns = (columns + image.columnStep - 1) / image.columnStep;
  std::vector<double> row(static_cast<std::size_t>(image.columns)), values;
  std::vector<std::int64_t> counts(row.size());
  const h5::Object data = file_.open("entry/" + group.name + "/" + dataset);
  const std::int64_t step = std::max<std::int64_t>(1, band / columns);
  for (std::int64_t first = 0; first < rows; first += step) {
    const std::int64_t count = std::min(step, rows - first);
    values.resize(static_cast<std::size_t>(count * columns));
    const bool flat = group.shape.size() == 1;
    data.read(flat ? h5::Shape{0} : h5::Shape{first, 0},
              flat ? h5::Shape{columns} : h5::Shape{count, columns}, values.data());
    for (std::int64_t r = first; r < first + count; ++r) {
      for (std::int64_t c = 0; c < columns; ++c)
        if (const double v = values[static_cast<std::size_t>((r - first) * columns + c)];
            std::isfinite(v)) {
          row[static_cast<std::size_t>(c / image.columnStep)] += v;
          ++counts[static_cast<std::size_t>(c / image.columnStep)];
        }
      if ((r + 1) % image.rowStep != 0 && r + 1 < rows)
        continue;
      for (std::size_t i = 0; i < row.size(); ++i)
        image.values.push_back(counts[i] > 0 ? row[i] / static_cast<double>(counts[i])
                                             : std::numeric_limits<double>::quiet_NaN());
      std::fill(row.begin(), row.end(), 0);
      std::fill(counts.begin(), counts.end(), 0);
    }
  }
  return image;
}

std::optional<double> DataFile::number(const DataGroup &group, const std::string &name) const {
  const std::string where = "entry/" + group.name + "/" + name;
  if (!file_.has(where))
    return std::nullopt;
  const std::vector<double> values = file_.open(where).doubles();
  return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
}

std::string DataFile::experiment() const { return file_.text("entry/process/experiment"); }

} // namespace facet::runtime
