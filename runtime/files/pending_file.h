// pending_file.h - a file under a temporary name, renamed when whole and removed otherwise.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace facet::runtime {

/// The temporary file lies beside the final one, so that renaming is atomic.
class PendingFile {
public:
  /// Creates the empty temporary file; throws Error where the folder is missing or not writable.
  /// `left`: what is said of a full disk, beside "free some space or write elsewhere".
  explicit PendingFile(std::string path, std::string left = "no partial file was left");
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;
  ~PendingFile();
  /// Removes the temporary files of PATH that processes of this machine left when they were killed.
  static void removeLeft(const std::string &path);
  const std::string &temporary() const { return temporaryPath; }
  /// Throws Error where there is no room for so many bytes.
  void checkRoom(std::int64_t bytes) const;
  /// Renames to the final name, or to another one beside it; throws Error.
  void commit(const std::string &to = "");
  /// An Error for this file: "PATH: cannot write: REASON", with help for a full disk.
  [[noreturn]] void fail(int error) const;

private:
  std::string path, left, temporaryPath;
  bool committed = false;
};

/// Text or bytes into a PendingFile; each write and the close are checked.
class FileWriter {
public:
  explicit FileWriter(const std::string &path);
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;
  ~FileWriter();
  void write(const void *bytes, std::size_t count);
  void print(const char *format, ...) __attribute__((format(printf, 2, 3)));
  /// Flushes, closes and renames; throws Error.
  void commit();

private:
  PendingFile pending;
  std::FILE *file;
};

} // namespace facet::runtime
