// hdf5.h - the few things facet asks of HDF5: handles that close themselves, doubles, strings,
// attributes.
#pragma once
#include "runtime/files/pending_file.h"
#include <functional>
#include <hdf5.h>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime::h5 {

/// An HDF5 identifier with the function that closes it.
class Handle {
public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id(id), close(close) {}
  Handle(Handle &&other) noexcept : id(std::exchange(other.id, -1)), close(other.close) {}
  Handle &operator=(Handle &&other) noexcept {
    std::swap(id, other.id);
    std::swap(close, other.close);
    return *this;
  }
  ~Handle() {
    if (id >= 0)
      close(id);
  }
  operator hid_t() const { return id; } // NOLINT: handles go where HDF5 wants an identifier
  hid_t release() { return std::exchange(id, -1); }

private:
  hid_t id = -1;
  herr_t (*close)(hid_t) = nullptr;
};

/// Silences HDF5's own error printing while it lives.
class Quiet {
public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function, &data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function, data); }

private:
  H5E_auto2_t function = nullptr;
  void *data = nullptr;
};

/// True for a result that is no error; HDF5 returns negative numbers for those.
template <class T> bool good(T result) { return result >= 0; }

/// The errno that HDF5's error stack speaks of; 0 where it speaks of none.
int systemError();
/// The innermost message of HDF5's error stack.
std::string reason();

/// Opens a file to read; throws Error.
Handle openFile(const std::string &path);
/// A string attribute; empty where there is none.
std::string stringAttribute(hid_t object, const char *name);

/// The shape of an open dataset, {} of a single number. Throws Error where it claims more numbers
/// than what is stored of it can hold, however compressed: reading those would not end.
std::vector<hsize_t> shapeOf(hid_t data, const std::string &name, const std::string &path);
struct Doubles {
  std::vector<hsize_t> shape;
  std::vector<double> values;
};
/// Names of the datasets in a group whose elements are integers or floats, sorted.
std::vector<std::string> numberDatasets(hid_t group);
/// Any dataset of integers or floats as doubles; throws Error with `path` in front.
Doubles readDoubles(hid_t group, const std::string &name, const std::string &path);
std::string readString(hid_t group, const std::string &name);
bool has(hid_t group, const std::string &name);

// Writing, inside the `fill` of the functions below: each throws WriteError, from which those make
// the message.
struct WriteError {
  int error; // errno
};
hid_t must(hid_t id);
/// Properties of a new dataset: without the times of HDF5's default, so that equal runs make equal
/// files.
Handle datasetProperties();
Handle makeGroup(hid_t parent, const std::string &name, const std::string &nexusClass);
Handle makeDataset(hid_t parent, const std::string &name, hid_t type,
                   const std::vector<hsize_t> &shape);
void writeDoubles(hid_t parent, const std::string &name, const std::vector<hsize_t> &shape,
                  const double *values);
void writeString(hid_t parent, const std::string &name, const std::string &text);
void attribute(hid_t object, const std::string &name, const std::string &text);
void attribute(hid_t object, const std::string &name, const std::vector<std::string> &texts);
void attribute(hid_t object, const std::string &name, double value);
void attribute(hid_t object, const std::string &name, int value);
void attribute(hid_t object, const std::string &name, const std::vector<int> &values);

/// Creates the HDF5 file of a PendingFile, not renamed yet, by `fill`; throws Error.
void fillFile(const PendingFile &pending, const std::function<void(hid_t file)> &fill);
/// Opens an HDF5 file and lets `fill` add to it. -1, or the errno of what failed (0 where the
/// system named nothing); the file may then be damaged.
int addToFile(const std::string &path, const std::function<void(hid_t file)> &fill);
/// Writes an HDF5 file of about so many bytes under a temporary name, by `fill`, and renames it;
/// throws Error, for a full disk before anything is written.
void writeFile(const std::string &path, std::int64_t bytes,
               const std::function<void(hid_t file)> &fill);

} // namespace facet::runtime::h5
