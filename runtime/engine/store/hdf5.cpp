// hdf5.cpp - reading and writing with HDF5; its error stack as messages. Strings are UTF-8.
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/store/disk.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/trial.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <unistd.h>

namespace facet::runtime::h5 {
namespace fs = std::filesystem;

namespace {
/// What a dataset has of a box.
Handle boxOf(hid_t dataset, const Shape &begin, const Shape &count) {
  const std::vector<hsize_t> start(begin.begin(), begin.end()), size(count.begin(), count.end());
  Handle space(must(H5Dget_space(dataset)), H5Sclose);
  if (!size.empty())
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
  return space;
}

constexpr std::size_t longestText = std::size_t{1} << 28; // bytes of all strings of an object

/// The strings in an attribute or dataset, of fixed or variable length; none where they claim more
/// room than any text here has.
std::vector<std::string> strings(hid_t type, hid_t space,
                                 const std::function<herr_t(hid_t, void *)> &read) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) != H5T_STRING || count < 1 ||
      static_cast<std::size_t>(count) > longestText / std::max(sizeof(char *), H5Tget_size(type)))
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

herr_t lacksMemory(unsigned, const H5E_error2_t *entry, void *yes) {
  *static_cast<bool *>(yes) |= entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC;
  return 0;
}

/// Whether the flags of the superblock, of version 2 or 3, say that the file is open for writing.
bool isBeingWritten(const std::string &path) {
  FileReader file(path);
  std::array<char, 12> start{};
  return file && file.read(start.data(), start.size()) && start[8] >= 2 && (start[11] & 5) != 0;
}

herr_t callNow(unsigned, const H5E_error2_t *, void *what) {
  (*static_cast<const std::function<void()> *>(what))();
  return 0;
}

/// For H5Literate and H5Aiterate2: adds a name to a list.
template <class Info> herr_t addName(hid_t, const char *name, const Info *, void *to) {
  static_cast<std::vector<std::string> *>(to)->emplace_back(name);
  return 0;
}
} // namespace

/// Calls `what` from a callback of HDF5, which holds the one lock that all its calls take.
void alone(const std::function<void()> &what) {
  const ErrorSilence quiet;
  const Handle stack(H5Ecreate_stack(), H5Eclose_stack);
  H5Epush2(stack, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_NONE_MAJOR, H5E_NONE_MINOR, "");
  H5Ewalk2(stack, H5E_WALK_DOWNWARD, callNow, const_cast<std::function<void()> *>(&what));
}

std::string reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, &text);
  return text;
}

Object::Object(const std::string &path, bool tried) : path_(path) {
  if (access(path.c_str(), R_OK) != 0)
    throw Error(path, "cannot read this file", "check the name and the permissions");
  refuseDevice(path);
  const Handle access = accessBy(refused_.get()); // made before a child is: its driver has a lock
  if (tried)
    tryReading(path, "HDF5", alone, [&path](const auto &tell) {
      tell("the beginning");
      int left = 4096; // objects: one may be below itself
      Object(path, false).readSome(tell, left, 0);
    });
  const ErrorSilence quiet;
  id_ = {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose};
  if (said<hid_t>(id_) >= 0)
    return;
  const std::string why = reason();
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error(path, "this is no HDF5 file");
  if (isBeingWritten(path))
    throw Error(path, "another program is writing this file, or was stopped while it did",
                "wait for its end; of one that was stopped: h5clear -s FILE");
  throw Error(path, "this HDF5 file is damaged or truncated (" + why + ")",
              "write it again; facet renames files only when they are whole");
}

void Object::readSome(const std::function<void(const std::string &)> &tell, int &left,
                      int depth) const {
  constexpr std::int64_t little = 100000; // numbers
  tell("/" + name_);
  for (const std::string &name : attributeNames())
    if (attributes(name).empty())
      numberAttribute(name);
  const ErrorSilence quiet;
  if (H5Iget_type(id_) == H5I_DATASET) {
    Shape all = shape();
    const Shape first(all.size(), 0);
    const auto count = std::accumulate(all.begin(), all.end(), std::int64_t{1},
                                       [](std::int64_t a, std::int64_t b) { return a * b; });
    if (count > little)
      all.assign(all.size(), 1);
    std::vector<std::complex<double>> values(static_cast<std::size_t>(std::min(count, little)));
    if (isComplex())
      read(first, all, values.data(), complexType());
    else if (isNumbers())
      read(first, all, values.data());
    return;
  }
  for (const std::string &name : depth < 32 && left > 0 ? names() : std::vector<std::string>{})
    try {
      if (left-- > 0) {
        open(name).readSome(tell, left, depth + 1);
        text(name);
      }
    } catch (const ListingError &) {
      throw;
    } catch (const Error &) { // NOLINT(bugprone-empty-catch): the next may crash
    }
}

void Object::checkRefusals(bool failed) const {
  bool memory = false;
  if (failed)
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, lacksMemory, &memory);
  if (*refused_ == EWOULDBLOCK)
    throw Error(path_, "another program is writing this file", "wait for its end", Exit::Failed);
  if (*refused_ >= 0 || memory)
    cannotRead(memory ? ENOMEM : *refused_);
}

void Object::cannotRead(int error) const {
  throw Error(path_, fmt::format("cannot be read: {}", std::strerror(error)),
              error == ENOMEM ? "give it more memory, or take a smaller problem"
                              : "mend the disk, or copy the file to another",
              Exit::Failed);
}

void Object::checkFilters() const {
  const Handle list(H5Dget_create_plist(id_), H5Pclose);
  for (int k = 0, n = H5Pget_nfilters(list); k < n; ++k) {
    std::string name(256, '\0');
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(list, static_cast<unsigned>(k), nullptr, &values,
                                               nullptr, name.size(), name.data(), nullptr);
    name.resize(name.find_first_of(std::string_view(";\0", 2)));
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
      throw Error(path_,
                  fmt::format("dataset /{} is compressed by the filter {} ({}), which is not here",
                              name_, filter, name.empty() ? "without a name" : name),
                  "write it anew with gzip: in Python h5py reads lzf, and with hdf5plugin "
                  "bitshuffle, blosc, lz4, zstd");
  }
}

void Object::fail(const std::string &what) const {
  checkRefusals(true);
  const std::string why = reason(); // before HDF5 is asked again
  checkFilters();
  throw Error(path_, fmt::format("{} dataset /{} failed ({})", what, name_, why));
}

Object Object::open(const std::string &name) const {
  const ErrorSilence quiet;
  Object below(refused_, path_, name_.empty() ? name : name_ + "/" + name);
  if (!has(name))
    throw Error(path_, "there is no dataset /" + below.name_);
  below.id_ = {H5Oopen(id_, name.c_str(), H5P_DEFAULT), H5Oclose};
  if (below.id_ < 0)
    below.fail("opening");
  return below;
}

bool Object::has(const std::string &name) const {
  const ErrorSilence quiet;
  for (std::size_t at = name.find('/', 1);; at = name.find('/', at + 1)) {
    if (said(H5Lexists(id_, name.substr(0, at).c_str(), H5P_DEFAULT)) <= 0)
      return false;
    if (at == std::string::npos)
      return said(H5Oexists_by_name(id_, name.c_str(), H5P_DEFAULT)) > 0;
  }
}

std::vector<std::string> Object::names() const {
  const ErrorSilence quiet;
  std::vector<std::string> all;
  if (const H5I_type_t is = H5Iget_type(id_); is != H5I_FILE && is != H5I_GROUP)
    return all;
  if (said(H5Literate(id_, H5_INDEX_NAME, H5_ITER_INC, nullptr, addName<H5L_info_t>, &all)) < 0)
    throw ListingError(path_, "HDF5", "/" + name_);
  std::erase_if(all, [&](const std::string &name) { // what is damaged, or points nowhere
    return said<hid_t>(Handle(H5Oopen(id_, name.c_str(), H5P_DEFAULT), H5Oclose)) < 0;
  });
  return all;
}

std::vector<std::string> Object::numbers(bool complexToo) const {
  std::vector<std::string> some = names();
  std::erase_if(some, [&](const std::string &name) {
    const Object one = open(name);
    return !one.isNumbers() && !(complexToo && one.isComplex());
  });
  return some;
}

std::vector<std::string> Object::attributes(const std::string &name) const {
  const ErrorSilence quiet;
  if (said(H5Aexists(id_, name.c_str())) <= 0)
    return {};
  const Handle attribute(said(H5Aopen(id_, name.c_str(), H5P_DEFAULT)), H5Aclose);
  const Handle type(said(H5Aget_type(attribute)), H5Tclose),
      space(said(H5Aget_space(attribute)), H5Sclose);
  return strings(type, space, [&](hid_t as, void *to) { return said(H5Aread(attribute, as, to)); });
}

std::string Object::attribute(const std::string &name) const {
  const std::vector<std::string> texts = attributes(name);
  return texts.size() == 1 ? texts[0] : "";
}

std::optional<double> Object::numberAttribute(const std::string &name) const {
  const ErrorSilence quiet;
  if (said(H5Aexists(id_, name.c_str())) <= 0)
    return std::nullopt;
  const Handle attribute(said(H5Aopen(id_, name.c_str(), H5P_DEFAULT)), H5Aclose);
  const Handle space(said(H5Aget_space(attribute)), H5Sclose);
  double value = 0;
  if (H5Sget_simple_extent_npoints(space) != 1 ||
      said(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value)) < 0)
    return std::nullopt;
  return value;
}

std::vector<std::string> Object::attributeNames() const {
  const ErrorSilence quiet;
  std::vector<std::string> all;
  if (said(H5Aiterate2(id_, H5_INDEX_NAME, H5_ITER_INC, nullptr, addName<H5A_info_t>, &all)) < 0)
    throw ListingError(path_, "HDF5", "/" + name_);
  return all;
}

std::string Object::text(const std::string &name) const {
  if (!has(name))
    return "";
  const Object data = open(name);
  const ErrorSilence quiet;
  const Handle type(said(H5Dget_type(data.id_)), H5Tclose),
      space(said(H5Dget_space(data.id_)), H5Sclose);
  const auto texts = strings(type, space, [&](hid_t as, void *to) {
    return said(H5Dread(data.id_, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, to));
  });
  return texts.size() == 1 ? texts[0] : "";
}

std::optional<std::string> statedUnit(const Object &object) {
  for (const std::string &name : object.attributeNames()) {
    const std::string word = lower(name);
    if (word != "units" && word != "unit" && word != "length_units" && word != "length_unit")
      continue;
    std::vector<std::string> texts = object.attributes(name);
    if (texts.empty()) {
      const std::optional<double> number = object.numberAttribute(name);
      return number ? fmt::format("{}", *number) : "(no text)";
    }
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    const std::string stated = fmt::format("{}", fmt::join(texts, ", "));
    if (!stated.empty())
      return stated;
  }
  return std::nullopt;
}

bool Object::isNumbers(bool floats) const {
  const ErrorSilence quiet;
  const Handle type(said(H5Dget_type(id_)), H5Tclose);
  const H5T_class_t is = H5Tget_class(type);
  const bool boolean = is == H5T_ENUM && H5Tget_nmembers(type) == 2 && // as h5py writes it
                       H5Tget_member_index(type, "TRUE") >= 0;
  return is == H5T_FLOAT || (!floats && (is == H5T_INTEGER || boolean));
}

bool Object::isComplex() const {
  const ErrorSilence quiet;
  const Handle type(said(H5Dget_type(id_)), H5Tclose);
  return H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2 &&
         H5Tget_member_index(type, "r") >= 0 && H5Tget_member_index(type, "i") >= 0;
}

namespace {
/// Bytes of a file; 0 if it is not there.
double bytesOf(const fs::path &path) {
  std::error_code none;
  const std::uintmax_t size = fs::file_size(path, none);
  return none ? 0 : static_cast<double>(size);
}

/// Bytes of a file that another names: by the other's folder, or as it is.
double bytesBeside(const std::string &path, const std::string &name) {
  const double bytes = bytesOf(fs::path(path).parent_path() / name);
  return bytes > 0 ? bytes : bytesOf(name);
}

/// Bytes of what a virtual dataset takes its numbers from: "." is its own file, %b a number.
double bytesOfSource(const std::string &path, const std::string &name) {
  const std::size_t number = name.find("%b");
  if (number == std::string::npos)
    return name == "." ? bytesOf(path) : bytesBeside(path, name);
  double all = 0, one = 0;
  for (int k = 0; k == 0 || one > 0; ++k) {
    one = bytesBeside(path, std::string(name).replace(number, 2, std::to_string(k)));
    all += one;
  }
  return all;
}

/// A name of at most so many bytes that HDF5 writes by `get`.
template <class Get> std::string nameBy(const Get &get) {
  std::string name(4096, '\0');
  get(name.data(), name.size() - 1);
  return name.substr(0, name.find('\0'));
}

/// Bytes that hold the numbers of a dataset, here or in the files it names. They are never more
/// than those files have, since what a file says of itself may be wrong.
double bytesBehind(hid_t data, const std::string &path) {
  const Handle list(H5Dget_create_plist(data), H5Pclose);
  double bytes = std::min(static_cast<double>(H5Dget_storage_size(data)), bytesOf(path));
  for (int k = 0, n = H5Pget_external_count(list); k < n; ++k)
    bytes += bytesBeside(path, nameBy([&](char *to, std::size_t size) {
                           off_t offset = 0;
                           hsize_t of = 0;
                           H5Pget_external(list, static_cast<unsigned>(k), size, to, &offset, &of);
                         }));
  std::size_t sources = 0;
  if (H5Pget_layout(list) == H5D_VIRTUAL && H5Pget_virtual_count(list, &sources) >= 0)
    for (std::size_t k = 0; k < sources; ++k)
      bytes += bytesOfSource(path, nameBy([&](char *to, std::size_t size) {
                               H5Pget_virtual_filename(list, k, to, size);
                             }));
  return bytes;
}
} // namespace

Shape Object::shape() const {
  constexpr double most = 1e10, aByte = 1e3, little = 1e5; // numbers, of zeros well compressed
  const ErrorSilence quiet;
  const Handle space(said(H5Dget_space(id_)), H5Sclose);
  std::vector<hsize_t> shape(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  double numbers = 1;
  for (const hsize_t n : shape) // without zeros: what is as long may be made of an axis alone
    numbers *= static_cast<double>(std::max<hsize_t>(n, 1));
  if (numbers > most || numbers > little + aByte * bytesBehind(id_, path_))
    throw Error(
        path_,
        fmt::format("dataset /{} claims {:.3g} numbers, and the file holds fewer", name_, numbers),
        "write the file again");
  return {shape.begin(), shape.end()};
}

std::vector<double> Object::doubles() const {
  if (!isNumbers())
    throw Error(path_, "dataset /" + name_ + " is not of numbers");
  const Shape all = shape();
  std::vector<double> values(static_cast<std::size_t>(
      std::accumulate(all.begin(), all.end(), std::int64_t{1}, std::multiplies<>())));
  if (!values.empty())
    read(Shape(all.size(), 0), all, values.data());
  return values;
}

void Object::read(const Shape &begin, const Shape &count, void *to, hid_t type) const {
  const ErrorSilence quiet;
  // HDF5 takes as many numbers of begin and count as the dataset has axes.
  const Handle space(said(H5Dget_space(id_)), H5Sclose);
  if (const int axes = H5Sget_simple_extent_ndims(space); axes != std::ssize(begin))
    throw Error(path_, fmt::format("dataset /{} has {} axes, not {}", name_, axes, begin.size()),
                "write the file again");
  try {
    const Handle there = boxOf(id_, begin, count), here = spaceOf(count);
    if (said(H5Dread(id_, type, here, there, H5P_DEFAULT, to)) < 0)
      fail("reading");
  } catch (const WriteError &failure) { // of the two spaces
    cannotRead(failure.error);
  }
}

Handle complexType() {
  Handle type(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
  H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
  return type;
}

namespace {
thread_local const int *refused = nullptr; // of the file that is being written (disk.h)

/// The errno of what has just failed: that of the disk, else the one of which HDF5's error stack
/// speaks.
int systemError() {
  if (refused != nullptr && *refused >= 0)
    return *refused;
  const std::string text = reason();
  const auto at = text.find("errno = ");
  const int error = at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 8);
  if (error > 0)
    return error;
  bool memory = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, lacksMemory, &memory);
  return memory ? ENOMEM : EIO;
}

/// While there is one, `refused` is that of the file that is being written.
class Refusals {
public:
  explicit Refusals(const int &first) { refused = &first; }
  Refusals(Refusals &&) = delete;
  ~Refusals() { refused = nullptr; }
};

/// Opens a file, lets `fill` write into it and closes it; errno of what failed, -1 if nothing did.
int fillAndClose(const std::function<hid_t(hid_t access)> &open,
                 const std::function<void(hid_t file)> &fill) {
  int first = -1;
  const Refusals here(first);
  try {
    Handle file(must(open(writingAccess(&first))), H5Fclose);
    fill(file);
    must(H5Fclose(file.release()));
  } catch (const WriteError &failure) {
    first = failure.error;
  }
  return first;
}

Handle textType() {
  Handle type(must(H5Tcopy(H5T_C_S1)), H5Tclose);
  must(H5Tset_size(type, H5T_VARIABLE));
  must(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void writeAttribute(hid_t object, const std::string &name, hid_t type, const Shape &shape,
                    const void *value) {
  const Handle written(
      must(H5Acreate2(object, name.c_str(), type, spaceOf(shape), H5P_DEFAULT, H5P_DEFAULT)),
      H5Aclose);
  must(H5Awrite(written, type, value));
}
} // namespace

hid_t must(hid_t id) {
  if (id < 0 || (refused != nullptr && *refused >= 0))
    throw WriteError{systemError()};
  return id;
}

void fillFile(const PendingFile &pending, const std::function<void(hid_t file)> &fill) {
  const ErrorSilence quiet;
  const int error = fillAndClose(
      [&](hid_t access) {
        return H5Fcreate(pending.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
      },
      fill);
  if (error >= 0)
    pending.fail(error);
}

int addToFile(const std::string &path, const std::function<void(hid_t file)> &fill) {
  const ErrorSilence quiet;
  return fillAndClose([&](hid_t access) { return H5Fopen(path.c_str(), H5F_ACC_RDWR, access); },
                      fill);
}

void writeFile(const std::string &path, std::int64_t bytes,
               const std::function<void(hid_t file)> &fill) {
  PendingFile pending(path);
  pending.checkRoom(bytes + 65536);
  fillFile(pending, fill);
  pending.commit();
}

Handle spaceOf(const Shape &shape) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  return {must(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr)),
          H5Sclose};
}

Handle makeGroup(hid_t parent, const std::string &name, const std::string &nexusClass) {
  Handle group(must(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
               H5Gclose);
  attribute(group, "NX_class", nexusClass);
  return group;
}

Handle datasetProperties() {
  Handle list(must(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  must(H5Pset_obj_track_times(list, false));
  return list;
}

Handle makeDataset(hid_t parent, const std::string &name, hid_t type, const Shape &shape,
                   const Handle &properties) {
  return {must(H5Dcreate2(parent, name.c_str(), type, spaceOf(shape), H5P_DEFAULT, properties,
                          H5P_DEFAULT)),
          H5Dclose};
}

void writeBox(hid_t dataset, hid_t type, const Shape &begin, const Shape &count,
              const void *values) {
  must(H5Dwrite(dataset, type, spaceOf(count), boxOf(dataset, begin, count), H5P_DEFAULT, values));
}

Handle writeAll(hid_t parent, const std::string &name, hid_t type, const Shape &shape,
                const void *values) {
  Handle data = makeDataset(parent, name, type, shape);
  must(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  return data;
}

void writeString(hid_t parent, const std::string &name, const std::string &text) {
  const char *pointer = text.c_str();
  writeAll(parent, name, textType(), {}, static_cast<const void *>(&pointer));
}

void attribute(hid_t object, const std::string &name, const std::string &text) {
  const char *pointer = text.c_str();
  writeAttribute(object, name, textType(), {}, static_cast<const void *>(&pointer));
}

void attribute(hid_t object, const std::string &name, const std::vector<std::string> &texts) {
  std::vector<const char *> pointers(texts.size());
  std::ranges::transform(texts, pointers.begin(), [](const auto &text) { return text.c_str(); });
  writeAttribute(object, name, textType(), {std::ssize(texts)},
                 static_cast<const void *>(pointers.data()));
}

void attribute(hid_t object, const std::string &name, double value) {
  writeAttribute(object, name, H5T_NATIVE_DOUBLE, {}, &value);
}

void attribute(hid_t object, const std::string &name, int value) {
  writeAttribute(object, name, H5T_NATIVE_INT, {}, &value);
}

void attribute(hid_t object, const std::string &name, const std::vector<int> &values) {
  writeAttribute(object, name, H5T_NATIVE_INT, {std::ssize(values)}, values.data());
}

} // namespace facet::runtime::h5
