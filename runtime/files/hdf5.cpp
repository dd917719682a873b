// hdf5.cpp - reading with HDF5: files, attributes, datasets as doubles; its error stack as
// messages.
#include "runtime/files/hdf5.h"
#include <algorithm>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <unistd.h>

namespace facet::runtime::h5 {

namespace {
herr_t innermost(unsigned, const H5E_error2_t *entry, void *text) {
  if (entry->desc)
    *static_cast<std::string *>(text) = entry->desc;
  return 0;
}
} // namespace

std::string reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, &text);
  return text;
}

int systemError() {
  std::string text = reason();
  auto at = text.find("errno = ");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 8);
}

Handle openFile(const std::string &path) {
  if (access(path.c_str(), R_OK) != 0)
    throw Error(path, "cannot read this file", "check the name and the permissions");
  Quiet quiet;
  htri_t isHdf5 = H5Fis_hdf5(path.c_str());
  if (isHdf5 <= 0)
    throw Error(path, "this is no HDF5 file");
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0)
    throw Error(path, "this HDF5 file is damaged or truncated (" + reason() + ")",
                "write it again; facet renames files only when they are whole");
  return file;
}

bool has(hid_t group, const std::string &name) {
  Quiet quiet;
  for (std::size_t at = name.find('/', 1);; at = name.find('/', at + 1)) {
    if (H5Lexists(group, name.substr(0, at).c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (at == std::string::npos)
      return H5Oexists_by_name(group, name.c_str(), H5P_DEFAULT) > 0;
  }
}

namespace {
/// The one string in an attribute or dataset, of fixed or variable length.
std::string oneString(hid_t type, const std::function<herr_t(hid_t, void *)> &read) {
  if (H5Tget_class(type) != H5T_STRING)
    return "";
  if (H5Tis_variable_str(type) > 0) {
    char *text = nullptr;
    if (!good(read(type, static_cast<void *>(&text))) || !text)
      return "";
    std::string result = text;
    H5free_memory(text);
    return result;
  }
  std::string text(H5Tget_size(type), '\0');
  if (!good(read(type, text.data())))
    return "";
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}
} // namespace

std::string stringAttribute(hid_t object, const char *name) {
  Quiet quiet;
  if (H5Aexists(object, name) <= 0)
    return "";
  Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  Handle type(H5Aget_type(attribute), H5Tclose);
  Handle space(H5Aget_space(attribute), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1)
    return "";
  return oneString(type, [&](hid_t as, void *to) { return H5Aread(attribute, as, to); });
}

std::string readString(hid_t group, const std::string &name) {
  Quiet quiet;
  if (!has(group, name))
    return "";
  Handle data(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (data < 0)
    return "";
  Handle type(H5Dget_type(data), H5Tclose);
  return oneString(type, [&](hid_t as, void *to) {
    return H5Dread(data, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

std::vector<std::string> numberDatasets(hid_t group) {
  Quiet quiet;
  std::vector<std::string> names;
  auto visit = [](hid_t where, const char *name, const H5L_info_t *, void *to) -> herr_t {
    Handle data(H5Oopen(where, name, H5P_DEFAULT), H5Oclose);
    if (data < 0 || H5Iget_type(data) != H5I_DATASET)
      return 0;
    Handle type(H5Dget_type(data), H5Tclose);
    H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_INTEGER || kind == H5T_FLOAT)
      static_cast<std::vector<std::string> *>(to)->emplace_back(name);
    return 0;
  };
  H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names);
  return names;
}

std::vector<hsize_t> shapeOf(hid_t data, const std::string &name, const std::string &path) {
  constexpr double most = 1e10, aByte = 1e3, little = 1e5; // numbers, of zeros well compressed
  const Handle space(H5Dget_space(data), H5Sclose), list(H5Dget_create_plist(data), H5Pclose);
  std::vector<hsize_t> shape(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  double numbers = 1;
  for (const hsize_t n : shape)
    numbers *= static_cast<double>(n);
  const bool here = H5Pget_layout(list) != H5D_VIRTUAL; // else its numbers are in other files
  const auto stored = static_cast<double>(H5Dget_storage_size(data));
  if (numbers > most || (here && numbers > little + aByte * stored))
    throw Error(
        path,
        fmt::format("dataset /{} claims {:.3g} numbers, and the file holds fewer", name, numbers),
        "write the file again");
  return shape;
}

Doubles readDoubles(hid_t group, const std::string &name, const std::string &path) {
  Quiet quiet;
  Handle data(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (data < 0)
    throw Error(path, "there is no dataset /" + name);
  Handle type(H5Dget_type(data), H5Tclose);
  H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT)
    throw Error(path, "dataset /" + name + " is not of numbers");
  Doubles result;
  result.shape = shapeOf(data, name, path);
  result.values.resize(std::accumulate(result.shape.begin(), result.shape.end(), std::size_t{1},
                                       std::multiplies<>()));
  if (!result.values.empty() &&
      H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.values.data()) < 0)
    throw Error(path, "reading dataset /" + name + " failed (" + reason() + ")");
  return result;
}

} // namespace facet::runtime::h5
