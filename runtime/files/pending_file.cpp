// pending_file.cpp - a file under a temporary name, renamed when whole and removed otherwise.
#include "runtime/files/pending_file.h"
#include "runtime/files/numbered.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace facet::runtime {

namespace {

/// ".part-HOST-": what stands between the final name and the process in a temporary one. Folders
/// are shared by machines, and a process of another one cannot be asked whether it lives.
std::string betweenNameAndProcess() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0)
    host = {"unknown"};
  return std::string(".part-") + host.data() + "-";
}

} // namespace

void PendingFile::removeLeft(const std::string &path) {
  for (const auto &[process, file] : numbered(path, betweenNameAndProcess()))
    if (kill(process, 0) != 0 && errno == ESRCH)
      unlink(file.c_str());
}

PendingFile::PendingFile(std::string finalPath, std::string whatIsLeft)
    : path(std::move(finalPath)), left(std::move(whatIsLeft)) {
  struct stat status{};
  if (path.empty())
    throw Error("", "the name of an output file is empty");
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw Error(path, "cannot write: this is a folder", "give the name of a file");
  removeLeft(path);
  temporaryPath = path + betweenNameAndProcess() + std::to_string(getpid());
  int fd = open(temporaryPath.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0) {
    committed = true; // nothing to remove
    fail(errno);
  }
  close(fd);
}

PendingFile::~PendingFile() {
  if (!committed)
    unlink(temporaryPath.c_str());
}

void PendingFile::checkRoom(std::int64_t bytes) const {
  int fd = open(temporaryPath.c_str(), O_WRONLY | O_CLOEXEC);
  int error = fd < 0 ? errno : posix_fallocate(fd, 0, bytes);
  if (error == 0 && ftruncate(fd, 0) != 0)
    error = errno;
  close(fd);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    fail(error);
}

void PendingFile::commit(const std::string &to) {
  if (std::rename(temporaryPath.c_str(), (to.empty() ? path : to).c_str()) != 0)
    fail(errno);
  committed = true;
}

void PendingFile::fail(int error) const {
  std::string help;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    help = "free some space or write elsewhere; " + left;
  else if (error == ENOENT || error == ENOTDIR)
    help = "make the folder first";
  else if (error == EACCES || error == EROFS || error == EPERM)
    help = "write to a folder of your own";
  throw Error(path, std::string("cannot write: ") + std::strerror(error), help, Exit::Failed);
}

FileWriter::FileWriter(const std::string &path)
    : pending(path), file(std::fopen(pending.temporary().c_str(), "wb")) {
  if (!file)
    pending.fail(errno);
}

FileWriter::~FileWriter() {
  if (file)
    std::fclose(file);
}

void FileWriter::write(const void *bytes, std::size_t count) {
  if (count != 0 && std::fwrite(bytes, 1, count, file) != count)
    pending.fail(errno);
}

void FileWriter::print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = std::vfprintf(file, format, arguments);
  va_end(arguments);
  if (written < 0)
    pending.fail(errno);
}

void FileWriter::commit() {
  std::FILE *closing = std::exchange(file, nullptr);
  bool synced = std::fflush(closing) == 0;
  int error = errno;
  if (std::fclose(closing) != 0 && synced) {
    synced = false;
    error = errno;
  }
  if (!synced)
    pending.fail(error);
  pending.commit();
}

} // namespace facet::runtime
