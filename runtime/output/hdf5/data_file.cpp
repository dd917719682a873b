// data_file.cpp - NXdata groups found, described and read by bands of rows.
#include "runtime/output/hdf5/data_file.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {
namespace {

constexpr std::int64_t band = 1 << 20; // values held beside what is asked for

std::vector<std::string> textsAttribute(hid_t object, const char *name) {
  std::vector<std::string> texts;
  if (H5Aexists(object, name) <= 0)
    return texts;
  const h5::Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const h5::Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (H5Tis_variable_str(type) <= 0 || count < 1)
    return texts;
  std::vector<char *> pointers(static_cast<std::size_t>(count));
  if (H5Aread(attribute, type, static_cast<void *>(pointers.data())) < 0)
    return texts;
  for (char *text : pointers) {
    texts.emplace_back(text != nullptr ? text : "");
    H5free_memory(text);
  }
  return texts;
}

std::string unitOf(hid_t group, const std::string &name) {
  const h5::Handle data(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  const std::string unit = h5::stringAttribute(data, "units");
  return unit == "arbitrary" ? "" : unit;
}

/// The group, if it is one of those; else nothing.
std::optional<DataGroup> describe(hid_t entry, const std::string &name, const std::string &path) {
  const h5::Handle group(H5Gopen2(entry, name.c_str(), H5P_DEFAULT), H5Gclose);
  DataGroup found;
  found.name = name;
  found.signal = h5::stringAttribute(group, "signal");
  std::vector<std::string> axes = textsAttribute(group, "axes");
  if (h5::stringAttribute(group, "NX_class") != "NXdata" || found.signal.empty() || axes.empty() ||
      !h5::has(group, found.signal))
    return std::nullopt;
  const h5::Handle data(H5Dopen2(group, found.signal.c_str(), H5P_DEFAULT), H5Dclose);
  const h5::Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
  hsize_t shape[2] = {0, 0};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (H5Tget_class(type) != H5T_FLOAT || rank < 1 || rank > 2 ||
      axes.size() != static_cast<std::size_t>(rank))
    return std::nullopt;
  H5Sget_simple_extent_dims(space, shape, nullptr);
  for (int k = 0; k < rank; ++k) {
    const std::string &axis = axes[static_cast<std::size_t>(k)];
    found.shape.push_back(static_cast<std::int64_t>(shape[k]));
    if (shape[k] == 0 || !h5::has(group, axis))
      return std::nullopt;
    found.axes.push_back({axis, unitOf(group, axis), h5::readDoubles(group, axis, path).values});
    if (found.axes.back().values.size() != shape[k])
      return std::nullopt;
  }
  found.title = h5::readString(group, "title");
  found.unit = unitOf(group, found.signal);
  found.quantity = h5::stringAttribute(data, "long_name");
  if (const std::string unit = " (" + h5::stringAttribute(data, "units") + ")";
      found.quantity.size() > unit.size() &&
      found.quantity.compare(found.quantity.size() - unit.size(), unit.size(), unit) == 0)
    found.quantity.resize(found.quantity.size() - unit.size());
  if (h5::has(group, found.signal + "_errors"))
    found.errors = found.signal + "_errors";
  return found;
}

/// Numbers within names by their value.
bool before(const std::string &a, const std::string &b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t i1 = i, j1 = j;
      while (i1 < a.size() && digit(a[i1]))
        ++i1;
      while (j1 < b.size() && digit(b[j1]))
        ++j1;
      const std::string m = a.substr(i, i1 - i), n = b.substr(j, j1 - j);
      if (m != n)
        return m.size() != n.size() ? m.size() < n.size() : m < n;
      i = i1, j = j1;
      continue;
    }
    if (a[i] != b[j])
      return a[i] < b[j];
    ++i, ++j;
  }
  return a.size() - i < b.size() - j;
}

std::vector<std::string> groupsIn(hid_t entry) {
  std::vector<std::string> names;
  const auto visit = [](hid_t where, const char *name, const H5L_info_t *, void *to) -> herr_t {
    const h5::Handle object(H5Oopen(where, name, H5P_DEFAULT), H5Oclose);
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP)
      static_cast<std::vector<std::string> *>(to)->emplace_back(name);
    return 0;
  };
  H5Literate(entry, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names);
  std::sort(names.begin(), names.end(), before);
  return names;
}

} // namespace

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

DataFile::DataFile(const std::string &path) : path_(path), file_(h5::openFile(path)) {
  const h5::Quiet quiet;
  if (h5::has(file_, "/entry")) {
    const h5::Handle entry(H5Gopen2(file_, "/entry", H5P_DEFAULT), H5Gclose);
    for (const std::string &name : groupsIn(entry))
      if (auto group = describe(entry, name, path))
        groups_.push_back(std::move(*group));
  }
  if (groups_.empty())
    throw Error(path, "this HDF5 file is no result of facet",
                "facet looks for groups NXdata in /entry; silx view opens any file");
}

Thinned DataFile::read(const DataGroup &group, const std::string &dataset,
                       std::int64_t most) const {
  const h5::Quiet quiet;
  const std::int64_t rows = group.rows(), columns = group.columns();
  Thinned image;
  image.rowStep = (rows + most - 1) / most;
  image.columnStep = (columns + most - 1) / most;
  image.rows = (rows + image.rowStep - 1) / image.rowStep;
  image.columns = (columns + image.columnStep - 1) / image.columnStep;
  std::vector<double> row(static_cast<std::size_t>(image.columns)), values;
  std::vector<std::int64_t> counts(row.size());
  const h5::Handle data(
      H5Dopen2(file_, ("/entry/" + group.name + "/" + dataset).c_str(), H5P_DEFAULT), H5Dclose);
  const h5::Handle space(H5Dget_space(data), H5Sclose);
  const std::int64_t step = std::max<std::int64_t>(1, band / columns);
  for (std::int64_t first = 0; first < rows; first += step) {
    const std::int64_t count = std::min(step, rows - first);
    values.resize(static_cast<std::size_t>(count * columns));
    const bool flat = group.shape.size() == 1;
    const hsize_t begin[] = {static_cast<hsize_t>(first), 0},
                  size[] = {static_cast<hsize_t>(flat ? columns : count),
                            static_cast<hsize_t>(columns)};
    const h5::Handle memory(H5Screate_simple(flat ? 1 : 2, size, nullptr), H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, size, nullptr);
    if (H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0)
      throw Error(path_, "reading /entry/" + group.name + "/" + dataset + " failed (" +
                             h5::reason() + ")");
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
  const h5::Quiet quiet;
  const std::string where = "/entry/" + group.name + "/" + name;
  if (!h5::has(file_, where))
    return std::nullopt;
  const auto values = h5::readDoubles(file_, where, path_).values;
  return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
}

std::string DataFile::experiment() const {
  return h5::readString(file_, "/entry/process/experiment");
}

std::string DataFile::provenance(const std::string &name) const {
  if (!h5::has(file_, "/entry/process"))
    return "";
  const h5::Handle group(H5Gopen2(file_, "/entry/process", H5P_DEFAULT), H5Gclose);
  return h5::stringAttribute(group, name.c_str());
}

} // namespace facet::runtime
