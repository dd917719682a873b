// file_lock.h - one process at a time: a lock that ends with the process that holds it.
#pragma once
#include <string>

namespace facet::runtime {

/// Waits for the lock of a file (made where it is not there) and holds it until destroyed.
class FileLock {
public:
  /// `help`: what to do where the file cannot be made. Throws Error (Failed).
  FileLock(const std::string &path, const std::string &help);
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  ~FileLock();

private:
  int file_;
};

} // namespace facet::runtime
