// hdf5.cpp - reading with HDF5; its error stack as messages.
#include "runtime/files/hdf5.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <unistd.h>

namespace facet::runtime::h5 {

namespace {
std::vector<hsize_t> extents(const Shape &shape) { return {shape.begin(), shape.end()}; }

/// The strings in an attribute or dataset, of fixed or variable length.
std::vector<std::string> strings(hid_t type, hid_t space,
                                 const std::function<herr_t(hid_t, void *)> &read) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) != H5T_STRING || count < 1)
    return {};
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char *> pointers(static_cast<std::size_t>(count));
    if (read(type, static_cast<void *>(pointers.data())) < 0)
      return {};
    for (char *text : pointers) {
      texts.emplace_back(text != nullptr ? text : "");
      H5free_memory(text);
    }
    return texts;
  }
  const std::size_t size = H5Tget_size(type);
  std::string all(size * static_cast<std::size_t>(count), '\0');
  if (read(type, all.data()) < 0)
    return {};
  for (std::size_t at = 0; at < all.size(); at += size) {
    texts.push_back(all.substr(at, size));
    texts.back().resize(texts.back().find_last_not_of('\0') + 1);
  }
  return texts;
}

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

Object::Object(const std::string &path) : path_(path) {
  if (access(path.c_str(), R_OK) != 0)
    throw Error(path, "cannot read this file", "check the name and the permissions");
  const Quiet quiet;
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error(path, "this is no HDF5 file");
  id_ = {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  if (id_ < 0)
    throw Error(path, "this HDF5 file is damaged or truncated (" + reason() + ")",
                "write it again; facet renames files only when they are whole");
}

void Object::fail(const std::string &what) const {
  throw Error(path_, fmt::format("{} dataset /{} failed ({})", what, name_, reason()));
}

Object Object::open(const std::string &name) const {
  const Quiet quiet;
  Object below({}, path_, name_.empty() ? name : name_ + "/" + name);
  if (!has(name))
    throw Error(path_, "there is no dataset /" + below.name_);
  below.id_ = {H5Oopen(id_, name.c_str(), H5P_DEFAULT), H5Oclose};
  if (below.id_ < 0)
    below.fail("opening");
  return below;
}

bool Object::has(const std::string &name) const {
  const Quiet quiet;
  for (std::size_t at = name.find('/', 1);; at = name.find('/', at + 1)) {
    if (H5Lexists(id_, name.substr(0, at).c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (at == std::string::npos)
      return H5Oexists_by_name(id_, name.c_str(), H5P_DEFAULT) > 0;
  }
}

std::vector<std::string> Object::names(const std::function<bool(const Object &)> &wanted) const {
  const Quiet quiet;
  std::vector<std::string> all, some;
  const auto visit = [](hid_t, const char *name, const H5L_info_t *, void *to) -> herr_t {
    static_cast<std::vector<std::string> *>(to)->emplace_back(name);
    return 0;
  };
  H5Literate(id_, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &all);
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const std::string &name) {
    const Object below({H5Oopen(id_, name.c_str(), H5P_DEFAULT), H5Oclose}, path_, name);
    return below.id_ >= 0 && wanted(below);
  });
  return some;
}

std::vector<std::string> Object::groups() const {
  return names([](const Object &o) { return H5Iget_type(o.id_) == H5I_GROUP; });
}

std::vector<std::string> Object::numbers() const {
  return names([](const Object &o) {
    if (H5Iget_type(o.id_) != H5I_DATASET)
      return false;
    const Handle type(H5Dget_type(o.id_), H5Tclose);
    return H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
  });
}

std::vector<std::string> Object::attributes(const std::string &name) const {
  const Quiet quiet;
  if (H5Aexists(id_, name.c_str()) <= 0)
    return {};
  const Handle attribute(H5Aopen(id_, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  return strings(type, space, [&](hid_t as, void *to) { return H5Aread(attribute, as, to); });
}

std::string Object::attribute(const std::string &name) const {
  const std::vector<std::string> texts = attributes(name);
  return texts.size() == 1 ? texts[0] : "";
}

std::optional<double> Object::numberAttribute(const std::string &name) const {
  const Quiet quiet;
  const Handle attribute(H5Aopen(id_, name.c_str(), H5P_DEFAULT), H5Aclose);
  double value = 0;
  if (attribute < 0 || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
    return std::nullopt;
  return value;
}

std::vector<std::string> Object::attributeNames() const {
  const Quiet quiet;
  std::vector<std::string> all;
  const auto visit = [](hid_t, const char *name, const H5A_info_t *, void *to) -> herr_t {
    static_cast<std::vector<std::string> *>(to)->emplace_back(name);
    return 0;
  };
  H5Aiterate2(id_, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &all);
  return all;
}

std::string Object::text(const std::string &name) const {
  if (!has(name))
    return "";
  const Object data = open(name);
  const Quiet quiet;
  const Handle type(H5Dget_type(data.id_), H5Tclose), space(H5Dget_space(data.id_), H5Sclose);
  const auto texts = strings(type, space, [&](hid_t as, void *to) {
    return H5Dread(data.id_, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
  return texts.size() == 1 ? texts[0] : "";
}

bool Object::isFloat() const {
  const Handle type(H5Dget_type(id_), H5Tclose);
  return H5Tget_class(type) == H5T_FLOAT;
}

Shape Object::shape() const {
  constexpr double most = 1e10, aByte = 1e3, little = 1e5; // numbers, of zeros well compressed
  const Quiet quiet;
  const Handle space(H5Dget_space(id_), H5Sclose), list(H5Dget_create_plist(id_), H5Pclose);
  std::vector<hsize_t> shape(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  double numbers = 1;
  for (const hsize_t n : shape)
    numbers *= static_cast<double>(n);
  const bool here = H5Pget_layout(list) != H5D_VIRTUAL; // else its numbers are in other files
  const auto stored = static_cast<double>(H5Dget_storage_size(id_));
  if (numbers > most || (here && numbers > little + aByte * stored))
    throw Error(
        path_,
        fmt::format("dataset /{} claims {:.3g} numbers, and the file holds fewer", name_, numbers),
        "write the file again");
  return {shape.begin(), shape.end()};
}

std::vector<double> Object::doubles() const {
  const Quiet quiet;
  const Handle type(H5Dget_type(id_), H5Tclose);
  if (H5Tget_class(type) != H5T_INTEGER && H5Tget_class(type) != H5T_FLOAT)
    throw Error(path_, "dataset /" + name_ + " is not of numbers");
  const Shape all = shape();
  std::vector<double> values(static_cast<std::size_t>(
      std::accumulate(all.begin(), all.end(), std::int64_t{1}, std::multiplies<>())));
  if (!values.empty())
    read(Shape(all.size(), 0), all, values.data());
  return values;
}

void Object::read(const Shape &begin, const Shape &count, void *to, hid_t type) const {
  const Quiet quiet;
  const std::vector<hsize_t> start = extents(begin), size = extents(count);
  const Handle from(H5Dget_space(id_), H5Sclose),
      memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
  if (!size.empty())
    H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
  if (H5Dread(id_, type, memory, from, H5P_DEFAULT, to) < 0)
    fail("reading");
}

Handle complexType() {
  Handle type(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
  H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
  return type;
}

} // namespace facet::runtime::h5
