// file_lock.cpp - flock(2): the system frees it where the process dies.
#include "runtime/files/file_lock.h"
#include <cerrno>
#include <cstring>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace facet::runtime {

FileLock::FileLock(const std::string &path, const std::string &help)
    : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
  if (file_ < 0)
    throw Error(path, std::string("cannot be written: ") + std::strerror(errno), help,
                Exit::Failed);
  while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FileLock::~FileLock() { close(file_); }

} // namespace facet::runtime
