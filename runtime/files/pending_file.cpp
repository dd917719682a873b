// pending_file.cpp - a file under a temporary name, renamed when whole and removed otherwise.
#include "runtime/files/pending_file.h"
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace facet::runtime {

namespace {

/// Temporary files of the same path, left by processes that were killed.
void removeLeft(const std::string &path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  const std::string start = fs::path(path).filename().string() + ".part-";
  std::error_code none;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, start.size(), start) != 0)
      continue;
    pid_t process = 0;
    const char *end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + start.size(), end, process);
    if (error == std::errc() && at == end && kill(process, 0) != 0 && errno == ESRCH)
      unlink(entry.path().c_str());
  }
}

} // namespace

PendingFile::PendingFile(std::string finalPath, std::string whatIsLeft)
    : path(std::move(finalPath)), left(std::move(whatIsLeft)) {
  struct stat status{};
  if (path.empty())
    throw Error("", "the name of an output file is empty");
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw Error(path, "cannot write: this is a folder", "give the name of a file");
  removeLeft(path);
  temporaryPath = path + ".part-" + std::to_string(getpid());
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
