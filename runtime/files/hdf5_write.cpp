// hdf5_write.cpp - writing with HDF5: groups, datasets, attributes. Strings are UTF-8.
#include "runtime/files/hdf5.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace facet::runtime::h5 {

namespace {
thread_local hid_t writing = -1; // the file of writeFile

/// The errno that HDF5's error stack speaks of; 0 if it speaks of none.
int systemError() {
  const std::string text = reason();
  const auto at = text.find("errno = ");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 8);
}

/// HDF5 1.10 cannot abandon a file: it keeps what a full disk refused, tries again when the program
/// ends, and crashes. So what is left goes into memory, from the first failure on.
void abandon(hid_t file) {
  void *handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle) {
    const int disk = *static_cast<int *>(handle), memory = memfd_create("abandoned", MFD_CLOEXEC);
    // A limit on the size of files, which may be what has failed, holds for memory too.
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    // Closing may read again what was written: metadata, in the first bytes.
    std::vector<char> bytes(std::size_t{1} << 22);
    if (const ssize_t count = pread(disk, bytes.data(), bytes.size(), 0); count > 0)
      (void)!pwrite(memory, bytes.data(), static_cast<std::size_t>(count), 0);
    dup2(memory, disk);
    close(memory);
  }
}

/// Takes the room of all that is still to be written; errno, or 0. HDF5 1.10 cannot close a file
/// whose flush has failed, so none may: a full disk is to be found before.
int reserveAll(hid_t file) {
  void *handle = nullptr;
  hsize_t size = 0;
  must(H5Fget_filesize(file, &size));
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || handle == nullptr)
    return 0;
  return reserve(*static_cast<int *>(handle), static_cast<std::int64_t>(size));
}

/// Puts the limit back that abandon() has lifted, when the file is closed.
class FileSizeLimit {
public:
  FileSizeLimit() { getrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit &) = delete;
  FileSizeLimit &operator=(const FileSizeLimit &) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
  rlimit before_{};
};
} // namespace

hid_t must(hid_t id) {
  if (id < 0) {
    WriteError failure{systemError()};
    if (writing >= 0)
      abandon(writing);
    throw failure;
  }
  return id;
}

namespace {
/// Lets `fill` write into an open file and closes it; errno of what failed, -1 if nothing did.
int fillAndClose(Handle file, const std::function<void(hid_t file)> &fill) {
  if (file < 0)
    return systemError();
  struct Writing {
    explicit Writing(hid_t file) { writing = file; }
    ~Writing() { writing = -1; }
  };
  try {
    const Writing here(file);
    fill(file);
    if (const int error = reserveAll(file); error != 0) {
      abandon(file);
      return error;
    }
    must(H5Fflush(file, H5F_SCOPE_LOCAL));
  } catch (const WriteError &failure) {
    return failure.error;
  }
  return H5Fclose(file.release()) < 0 ? systemError() : -1;
}
} // namespace

void fillFile(const PendingFile &pending, const std::function<void(hid_t file)> &fill) {
  Quiet quiet;
  const FileSizeLimit limit;
  const Handle access(must(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  must(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG)); // with objects that a failure leaves open
  int error = fillAndClose(
      {H5Fcreate(pending.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose}, fill);
  if (error >= 0)
    pending.fail(error);
}

int addToFile(const std::string &path, const std::function<void(hid_t file)> &fill) {
  Quiet quiet;
  const FileSizeLimit limit;
  return fillAndClose({H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose}, fill);
}

void writeFile(const std::string &path, std::int64_t bytes,
               const std::function<void(hid_t file)> &fill) {
  PendingFile pending(path);
  pending.checkRoom(bytes + 65536);
  fillFile(pending, fill);
  pending.commit();
}

namespace {
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
  const std::vector<hsize_t> start(begin.begin(), begin.end()), size(count.begin(), count.end());
  const Handle file(must(H5Dget_space(dataset)), H5Sclose);
  must(H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
  must(H5Dwrite(dataset, type, spaceOf(count), file, H5P_DEFAULT, values));
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
