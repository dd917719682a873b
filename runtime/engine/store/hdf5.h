// hdf5.h - all that facet asks of HDF5: objects that close themselves, and errors that name file
// and dataset.
#pragma once
#include "runtime/engine/system/files.h"
#include <functional>
#include <hdf5.h>
#include <memory>
#include <optional>
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

using Shape = std::vector<std::int64_t>;

/// A file, a group or a dataset, open to be read. What fails throws Error; so does what the disk or
/// memory refuses where it would be taken for something that is not there.
class Object {
public:
  /// Opens a file.
  /// Throws Error for one that crashes HDF5, which a child process tries first.
  explicit Object(const std::string &path) : Object(path, true) {}
  /// A group or dataset below it, "process" or "amplitude/F".
  Object open(const std::string &name) const;
  bool has(const std::string &name) const;
  Object(Object &&) = default;
  Object &operator=(Object &&other) noexcept { // no file outlives the place of its refusals
    std::swap(refused_, other.refused_);
    std::swap(id_, other.id_);
    path_.swap(other.path_);
    name_.swap(other.name_);
    return *this;
  }

  /// The names of all below it, or of its datasets of (real) numbers, sorted.
  std::vector<std::string> names() const;
  std::vector<std::string> numbers(bool complexToo = false) const;

  /// The text of an attribute, or its texts; none if it is not there.
  std::string attribute(const std::string &name) const;
  std::vector<std::string> attributes(const std::string &name) const;
  std::optional<double> numberAttribute(const std::string &name) const;
  std::vector<std::string> attributeNames() const;
  /// The string that a dataset below it holds; "" if there is none.
  std::string text(const std::string &name) const;

  /// Is it a dataset of integers, booleans or floats, or of floats only?
  bool isNumbers(bool floats = false) const;
  /// Complex numbers are a compound of r and i, which complexType() reads.
  bool isComplex() const;

  // For datasets.
  /// {} of a single number. Refuses one that claims more numbers than what is stored of it can
  /// hold, however compressed: reading those would not end.
  Shape shape() const;
  /// All of it, integers too.
  std::vector<double> doubles() const;
  /// Elements begin[k] <= i < begin[k] + count[k], as `type`.
  void read(const Shape &begin, const Shape &count, void *to, hid_t type = H5T_NATIVE_DOUBLE) const;

private:
  Object(const std::string &path, bool tried);
  Object(std::shared_ptr<int> refused, std::string path, std::string name)
      : refused_(std::move(refused)), path_(std::move(path)), name_(std::move(name)) {}
  /// Reads some of all that is below it, as others might: it may crash.
  void readSome(const std::function<void(const std::string &)> &tell, int &left, int depth) const;
  [[noreturn]] void fail(const std::string &what) const;
  /// What HDF5 has just said, negative for no, if nothing was refused; else throws Error (Failed).
  template <class Answer> Answer said(Answer answer) const {
    checkRefusals(answer < 0);
    return answer;
  }
  void checkRefusals(bool failed) const;
  /// Throws Error if the dataset is compressed by a filter that HDF5 does not find.
  void checkFilters() const;
  [[noreturn]] void cannotRead(int error) const;
  std::shared_ptr<int> refused_ =
      std::make_shared<int>(-1); // as in disk.h; of a file and all in it
  Handle id_;
  std::string path_, name_; // name_: within the file, "" of the file itself
};

/// What a file, group or dataset states its unit is, in an attribute `units`, `unit` and such with
/// any capitals; several alike are one, others are joined by commas. None: it states nothing.
std::optional<std::string> statedUnit(const Object &object);

/// F in memory and in files: a compound of r and i, as h5py has it.
Handle complexType();

// Writing, inside the `fill` of the functions below: each throws WriteError, from which those make
// the message.
struct WriteError {
  int error; // errno
};
hid_t must(hid_t id);
/// Properties of a new dataset: without the times of HDF5's default, so that equal runs make equal
/// files.
Handle datasetProperties();
/// {}: of a single value.
Handle spaceOf(const Shape &shape);
Handle makeGroup(hid_t parent, const std::string &name, const std::string &nexusClass);
Handle makeDataset(hid_t parent, const std::string &name, hid_t type, const Shape &shape,
                   const Handle &properties = datasetProperties());
/// Elements begin[k] <= i < begin[k] + count[k] of a dataset.
void writeBox(hid_t dataset, hid_t type, const Shape &begin, const Shape &count,
              const void *values);
/// A new dataset with all its numbers.
Handle writeAll(hid_t parent, const std::string &name, hid_t type, const Shape &shape,
                const void *values);
void writeString(hid_t parent, const std::string &name, const std::string &text);
void attribute(hid_t object, const std::string &name, const std::string &text);
void attribute(hid_t object, const std::string &name, const std::vector<std::string> &texts);
void attribute(hid_t object, const std::string &name, double value);
void attribute(hid_t object, const std::string &name, int value);
void attribute(hid_t object, const std::string &name, const std::vector<int> &values);

/// Creates the HDF5 file of a PendingFile, not renamed yet, by `fill`; throws Error.
void fillFile(const PendingFile &pending, const std::function<void(hid_t file)> &fill);
/// Opens an HDF5 file and lets `fill` add to it. -1, or the errno of what failed; the file may
/// then be damaged.
[[nodiscard]] int addToFile(const std::string &path, const std::function<void(hid_t file)> &fill);
/// Writes an HDF5 file of about so many bytes under a temporary name, by `fill`, and renames it;
/// throws Error, for a full disk before anything is written.
void writeFile(const std::string &path, std::int64_t bytes,
               const std::function<void(hid_t file)> &fill);

/// Silences HDF5's own error printing while it lives.
class ErrorSilence {
public:
  ErrorSilence() {
    H5Eget_auto2(H5E_DEFAULT, &function, &data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ErrorSilence(ErrorSilence &&) = delete;
  ~ErrorSilence() { H5Eset_auto2(H5E_DEFAULT, function, data); }

private:
  H5E_auto2_t function = nullptr;
  void *data = nullptr;
};
/// Calls while no other thread is within HDF5: for tryReading.
void alone(const std::function<void()> &what);
/// The innermost message of HDF5's error stack.
std::string reason();

} // namespace facet::runtime::h5
