// disk.cpp - a driver of HDF5 (H5FD in its reference manual) that does what its own `sec2` does,
// and notes refusals.
#include "runtime/engine/store/disk.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h> // where HDF5 1.14 declares what drivers are made of
#endif

namespace facet::runtime::h5 {
namespace {

struct File : H5FD_t {
  explicit File(int *refused) : H5FD_t(), refused(refused) {}
  Descriptor disk;
  haddr_t allocated = 0, size = 0; // "end of allocation" and "end of file"
  int *refused;
  std::map<haddr_t, std::vector<char>> kept; // what was not written, by place

  void note(int error) {
    if (error != 0 && *refused < 0)
      *refused = error;
  }
};

File &of(H5FD_t *file) { return *static_cast<File *>(file); }
const File &of(const H5FD_t *file) { return *static_cast<const File *>(file); }

/// For the files that a file takes its numbers from: what HDF5 opens them with, and frees.
void *accessOf(H5FD_t *file) {
  void *copy = std::malloc(sizeof(int *));
  if (copy != nullptr)
    std::memcpy(copy, &of(file).refused, sizeof(int *));
  return copy;
}

H5FD_t *open(const char *path, unsigned flags, hid_t access, haddr_t /*most*/) {
  const auto *place = static_cast<int *const *>(H5Pget_driver_info(access));
  if (place == nullptr)
    return nullptr; // there was no memory for it
  int *refused = *place;
  auto file = std::make_unique<File>(refused);
  struct stat status{};
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return nullptr; // a pipe would be waited for
  file->disk = Descriptor(path, ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) |
                                    ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) |
                                    ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0));
  if (!file->disk || fstat(file->disk.get(), &status) != 0) {
    // What is read may name files that are not there: no refusal.
    if ((flags & H5F_ACC_RDWR) != 0 || (errno != ENOENT && errno != ENOTDIR))
      file->note(errno);
    return nullptr;
  }
  file->size = static_cast<haddr_t>(status.st_size);
  return file.release();
}

herr_t close(H5FD_t *file) {
  delete &of(file);
  return 0;
}

herr_t query(const H5FD_t * /*file*/, unsigned long *flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t allocated(const H5FD_t *file, H5FD_mem_t /*type*/) { return of(file).allocated; }
herr_t allocate(H5FD_t *file, H5FD_mem_t /*type*/, haddr_t end) {
  of(file).allocated = end;
  return 0;
}
haddr_t size(const H5FD_t *file, H5FD_mem_t /*type*/) { return of(file).size; }

/// Zeros beyond the end.
herr_t read(H5FD_t *from, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t count,
            void *to) {
  File &file = of(from);
  auto *bytes = static_cast<char *>(to);
  std::memset(bytes, 0, count);
  const haddr_t there = at < file.size ? std::min<haddr_t>(count, file.size - at) : 0;
  file.note(readAt(file.disk.get(), bytes, static_cast<std::int64_t>(there),
                   static_cast<std::int64_t>(at)));
  for (const auto &[place, piece] : file.kept) {
    const haddr_t begin = std::max(place, at), end = std::min(place + piece.size(), at + count);
    if (begin < end)
      std::memcpy(bytes + (begin - at), piece.data() + (begin - place), end - begin);
  }
  return 0;
}

herr_t write(H5FD_t *to, H5FD_mem_t type, hid_t /*transfer*/, haddr_t at, std::size_t count,
             const void *from) {
  File &file = of(to);
  const auto *bytes = static_cast<const char *>(from);
  if (*file.refused < 0)
    file.note(writeAt(file.disk.get(), bytes, static_cast<std::int64_t>(count),
                      static_cast<std::int64_t>(at)));
  if (*file.refused >= 0 && type != H5FD_MEM_DRAW)
    file.kept[at].assign(bytes, bytes + count);
  file.size = std::max(file.size, at + count);
  return 0;
}

herr_t truncate(H5FD_t *it, hid_t /*transfer*/, hbool_t /*closing*/) {
  File &file = of(it);
  if (file.allocated == file.size)
    return 0;
  if (*file.refused < 0 && ftruncate(file.disk.get(), static_cast<off_t>(file.allocated)) != 0)
    file.note(errno);
  file.size = file.allocated;
  return 0;
}

/// A shared lock of what is read: no other program may be writing it. Not all file systems have
/// them.
herr_t lock(H5FD_t *it, hbool_t writes) {
  File &file = of(it);
  if (writes || flock(file.disk.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return 0;
  file.note(errno);
  return -1;
}
herr_t unlock(H5FD_t *it) {
  flock(of(it).disk.get(), LOCK_UN);
  return 0;
}

hid_t makeDriver() {
  static H5FD_class_t driver{}; // HDF5 may keep its address
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600); // 512 to 65535: not registered with HDF5
#endif
  driver.name = "facet";
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(int *);
  driver.fapl_get = accessOf;
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = allocated;
  driver.set_eoa = allocate;
  driver.get_eof = size;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  driver.lock = lock;
  driver.unlock = unlock;
  constexpr H5FD_mem_t all[] = H5FD_FLMAP_DICHOTOMY;
  std::ranges::copy(all, driver.fl_map);
  return must(H5FDregister(&driver));
}

} // namespace

Handle accessBy(int *refused) {
  static const hid_t driver = makeDriver();
  Handle access(must(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  must(H5Pset_driver(access, driver, static_cast<const void *>(&refused)));
  return access;
}

Handle writingAccess(int *refused) {
  Handle access = accessBy(refused);
  must(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  return access;
}

} // namespace facet::runtime::h5
