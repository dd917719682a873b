// files.cpp - temporary names and renames, flock(2), comparison by device and inode.
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/kept.h"
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

/// ".part-HOST-": what stands between the final name and the process in a temporary one. Folders
/// are shared by machines, and whether a process of another one lives cannot be found out.
std::string betweenNameAndProcess() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0)
    host = {"unknown"};
  return std::string(".part-") + host.data() + "-";
}

// Finishes what it begins.
template <class Call, class Byte>
int whole(Call call, int file, Byte *bytes, std::int64_t count, std::int64_t offset) {
  while (count > 0) {
    const ssize_t n = call(file, bytes, static_cast<std::size_t>(count), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    bytes += n;
    count -= n;
    offset += n;
  }
  return 0;
}

bool same(const FileUse &a, const FileUse &b) {
  if (a.path.empty() || b.path.empty())
    return false;
  std::error_code one, two;
  if (fs::exists(a.path, one) && fs::exists(b.path, two))
    return fs::equivalent(a.path, b.path, one);
  const fs::path first = fs::weakly_canonical(fs::absolute(a.path, one), one),
                 second = fs::weakly_canonical(fs::absolute(b.path, two), two);
  return !one && !two && first == second;
}

} // namespace

Descriptor::Descriptor(const std::string &path, int flags)
    : file_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}

Descriptor::~Descriptor() {
  if (file_ >= 0)
    close(file_);
}

Descriptor openOwn(const std::string &path, int flags) {
  // Without O_TRUNC: nothing is changed before it is known to be facet's.
  Descriptor file(path, (flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK);
  struct stat status{};
  const bool link = !file && errno == ELOOP;
  if (!link && !file)
    return file;
  if (link || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
    throw Error(path, "is there, and is a link or no file of facet's own, which is not written to",
                "remove it, or write the result elsewhere");
  if ((flags & O_TRUNC) != 0 && ftruncate(file.get(), 0) != 0)
    return {};
  return file;
}

void PendingFile::removeLeft(const std::string &path) {
  std::error_code ignored; // what stays harms nothing
  for (const auto &[process, file] : numbered(path, betweenNameAndProcess(), ignored))
    if (kill(process, 0) != 0 && errno == ESRCH)
      unlink(file.c_str());
}

PendingFile::PendingFile(std::string finalPath, std::string whatIsLeft)
    : path(std::move(finalPath)), left(std::move(whatIsLeft)) {
  struct stat status{};
  if (path.empty())
    throw Error("", "the name of an output file is empty");
  const bool there = stat(path.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode))
    throw Error(path, "cannot write: this is a folder", "give the name of a file");
  if (there && !S_ISREG(status.st_mode)) // a rename would replace even /dev/null
    throw Error(path, "cannot write: this is there, and is no file that an output could replace",
                "give the name of a file");
  removeLeft(path);
  temporaryPath = path + betweenNameAndProcess() + std::to_string(getpid());
  unlink(temporaryPath.c_str()); // left by a killed process of this number; a link is not followed
  if (!Descriptor(temporaryPath, O_CREAT | O_EXCL | O_WRONLY)) {
    committed = true; // nothing to remove
    fail(errno);
  }
}

PendingFile::~PendingFile() {
  if (!committed)
    unlink(temporaryPath.c_str());
}

void PendingFile::checkRoom(std::int64_t bytes) const {
  const Descriptor file(temporaryPath, O_WRONLY);
  int error = file ? posix_fallocate(file.get(), 0, bytes) : errno;
  if (error == 0 && ftruncate(file.get(), 0) != 0)
    error = errno;
  if (isFull(error))
    fail(error);
}

void PendingFile::commit(const std::string &to) {
  must(std::rename(temporaryPath.c_str(), (to.empty() ? path : to).c_str()) == 0);
  committed = true;
}

void PendingFile::fail(int error) const {
  std::string help;
  if (isFull(error))
    help = "free some space or write elsewhere; " + left;
  else if (error == ENOENT || error == ENOTDIR)
    help = "make the folder first";
  else if (error == EACCES || error == EROFS || error == EPERM)
    help = "write to a folder of your own";
  throw Error(path, std::string("cannot write: ") + std::strerror(error), help, Exit::Failed);
}

void PendingFile::must(bool good) const {
  if (!good)
    fail(errno);
}

void PendingFile::check(int error) const {
  if (error != 0)
    fail(error);
}

FileWriter::FileWriter(const std::string &path)
    : pending(path), file(std::fopen(pending.temporary().c_str(), "wb")) {
  pending.must(file != nullptr);
}

FileWriter::~FileWriter() {
  if (file)
    std::fclose(file);
}

void FileWriter::write(const void *bytes, std::size_t count) {
  pending.must(count == 0 || std::fwrite(bytes, 1, count, file) == count);
}

void FileWriter::commit() {
  std::FILE *closing = std::exchange(file, nullptr);
  const int error = std::fflush(closing) == 0 ? 0 : errno;
  const bool closed = std::fclose(closing) == 0;
  pending.check(error);
  pending.must(closed);
  pending.commit();
}

void writeText(const std::string &path, const std::string &text) {
  FileWriter out(path);
  out.write(text.data(), text.size());
  out.commit();
}

int readAt(int file, void *data, std::int64_t bytes, std::int64_t offset) {
  return whole(pread, file, static_cast<char *>(data), bytes, offset);
}

int writeAt(int file, const void *data, std::int64_t bytes, std::int64_t offset) {
  return whole(pwrite, file, static_cast<const char *>(data), bytes, offset);
}

int reserve(int file, std::int64_t bytes) {
  int error = 0;
  do
    error = posix_fallocate(file, 0, bytes);
  while (error == EINTR);
  return error == EOPNOTSUPP || error == EINVAL ? 0 : error;
}

std::optional<FileStamp> stampOf(const std::string &path) {
  constexpr std::int64_t second = 1'000'000'000, coarsest = 2 * second; // of file systems
  struct stat status{};
  timespec now{};
  if (stat(path.c_str(), &status) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
    return std::nullopt;
  const auto nanoseconds = [](const timespec &t) { return t.tv_sec * second + t.tv_nsec; };
  const std::int64_t changed = nanoseconds(status.st_ctim);
  if (nanoseconds(now) - changed < coarsest)
    return std::nullopt;
  return FileStamp{static_cast<std::int64_t>(status.st_dev),
                   static_cast<std::int64_t>(status.st_ino), status.st_size, changed};
}

bool isFull(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

FileLock::FileLock(const std::string &path, const std::string &help)
    : file_(path, O_CREAT | O_RDWR) {
  if (!file_)
    throw Error(path, std::string("cannot be written: ") + std::strerror(errno), help,
                Exit::Failed);
  while (flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

std::map<int, std::string> numbered(const std::string &path, const std::string &between,
                                    std::error_code &failed) {
  std::map<int, std::string> result;
  const std::string start = fs::path(path).filename().string() + between;
  fs::directory_iterator file(fs::absolute(path).parent_path(), failed);
  for (; file != fs::directory_iterator(); file.increment(failed)) {
    const std::string name = file->path().filename().string();
    int number = 0;
    if (name.compare(0, start.size(), start) != 0)
      continue;
    const auto [end, error] =
        std::from_chars(name.data() + start.size(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size())
      result[number] = file->path().string();
  }
  return result;
}

void keepApart(const std::vector<FileUse> &inputs, const std::vector<FileUse> &outputs) {
  const char *const help = "write somewhere else; nothing was changed";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const FileUse &input : inputs)
      if (same(outputs[i], input))
        throw Error(outputs[i].path,
                    "is " + input.what + ": writing " + outputs[i].what + " there would destroy it",
                    help);
    for (std::size_t k = 0; k < i; ++k)
      if (same(outputs[i], outputs[k]))
        throw Error(outputs[i].path,
                    "cannot hold both " + outputs[k].what + " and " + outputs[i].what, help);
  }
}

} // namespace facet::runtime
