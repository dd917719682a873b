// files.h - files written whole or not at all, locked, found by number, and kept apart.
#pragma once
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace facet::runtime {

/// A file descriptor that closes itself.
class Descriptor {
public:
  Descriptor() = default;
  /// Opens by flags of open(2), for this process only; what is made is for everybody. Without a
  /// file, false and errno.
  Descriptor(const std::string &path, int flags);
  Descriptor(Descriptor &&other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Descriptor();
  int get() const { return file_; }
  explicit operator bool() const { return file_ >= 0; }

private:
  int file_ = -1;
};

/// Opens a file that facet alone writes, beside a result, by flags of open(2). False and errno as
/// of Descriptor; throws Error for links, symbolic or hard, and what is no regular file: what lies
/// behind them is somebody else's.
Descriptor openOwn(const std::string &path, int flags);

/// A file under a temporary name beside the final one, so that renaming is atomic; removed unless
/// it is renamed.
class PendingFile {
public:
  /// Creates the empty temporary file; throws Error for a folder that is missing or not writable.
  /// `left`: what is said of a full disk, beside "free some space or write elsewhere".
  explicit PendingFile(std::string path, std::string left = "no partial file was left");
  PendingFile(PendingFile &&) = delete;
  ~PendingFile();
  /// Removes the temporary files of PATH that processes of this machine left when they were killed.
  static void removeLeft(const std::string &path);
  const std::string &temporary() const { return temporaryPath; }
  /// Throws Error if there is no room for so many bytes.
  void checkRoom(std::int64_t bytes) const;
  /// Renames to the final name, or to another one beside it; throws Error.
  void commit(const std::string &to = "");
  /// An Error for this file: "PATH: cannot write: REASON", with help for a full disk.
  [[noreturn]] void fail(int error) const;
  /// fail(errno) unless `good`; fail(error) unless it is 0.
  void must(bool good) const;
  void check(int error) const;

private:
  std::string path, left, temporaryPath;
  bool committed = false;
};

/// Text or bytes into a PendingFile; each write and the close are checked.
class FileWriter {
public:
  explicit FileWriter(const std::string &path);
  FileWriter(FileWriter &&) = delete;
  ~FileWriter();
  void write(const void *bytes, std::size_t count);
  /// Flushes, closes and renames; throws Error.
  void commit();

private:
  PendingFile pending;
  std::FILE *file;
};
/// A whole file by a FileWriter. Throws Error.
void writeText(const std::string &path, const std::string &text);

/// Whole reads and writes at an offset; 0 or errno. Beyond the end of the file: EIO.
[[nodiscard]] int readAt(int file, void *data, std::int64_t bytes, std::int64_t offset);
[[nodiscard]] int writeAt(int file, const void *data, std::int64_t bytes, std::int64_t offset);
/// Takes room on the disk for so many bytes of an open file: 0, or the errno. File systems that
/// cannot are let pass: there a full disk is found when bytes are written.
[[nodiscard]] int reserve(int file, std::int64_t bytes);
/// Whether an errno says that the disk, or a quota or limit, is full.
[[nodiscard]] bool isFull(int error);

/// One process at a time: a lock that ends with the process that holds it.
class FileLock {
public:
  /// Waits for the lock of a file, which is made if it is not there. `help`: what to do if it
  /// cannot be made. Throws Error (Failed).
  FileLock(const std::string &path, const std::string &help);

private:
  Descriptor file_;
};

/// The files beside PATH whose names are PATH's, `between` and a number, by number. `failed`: the
/// folder could not be listed to its end.
std::map<int, std::string> numbered(const std::string &path, const std::string &between,
                                    std::error_code &failed);

/// A file that a command reads or writes, and what it is: {"the mesh", "torus.stl"}. An empty path
/// is no file.
struct FileUse {
  std::string what, path;
};
/// Throws Error if an output is one of the inputs or another output. Same means the same device and
/// inode, so that links count, or the same name if nothing is there yet.
void keepApart(const std::vector<FileUse> &inputs, const std::vector<FileUse> &outputs);

} // namespace facet::runtime
