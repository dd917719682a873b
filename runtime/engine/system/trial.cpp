// trial.cpp - a forked child that reads, and a pipe through which it says what.
#include "runtime/engine/system/trial.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace facet::runtime {
namespace {

constexpr unsigned longest = 30;  // s
constexpr char good = '\x01';     // what a child that has come to its end says last
constexpr char unlisted = '\x02'; // said before the part that could not be listed

/// A file as it is now: device, inode, size, times.
using FileState = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long>;

std::optional<FileState> seen(const std::string &path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    return std::nullopt;
  return FileState{status.st_dev,         status.st_ino,          status.st_size,
                   status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                   status.st_ctim.tv_nsec};
}

/// Files that were read to their end.
class FilesRead {
public:
  bool has(const FileState &file) {
    const std::lock_guard lock(mutex_);
    return files_.contains(file);
  }
  void add(const FileState &file) {
    const std::lock_guard lock(mutex_);
    if (files_.size() > 1000)
      files_.clear();
    files_.insert(file);
  }

private:
  std::mutex mutex_;
  std::set<FileState> files_;
};

/// The child's part: it dies of signals, without a core or a word.
[[noreturn]] void
readAsChild(int to,
            const std::function<void(const std::function<void(const std::string &)> &)> &read) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM, SIGINT})
    std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC); nothing >= 0)
    dup2(nothing, STDERR_FILENO);
  alarm(longest);
  const auto say = [to](const std::string &text) {
    const std::string whole = text + '\0';
    if (write(to, whole.data(), whole.size()) < 0)
      _exit(0); // nobody listens
  };
  try {
    read(say);
  } catch (const ListingError &found) {
    say(unlisted + found.part);
    _exit(0);
  } catch (...) { // NOLINT(bugprone-empty-catch): who reads it in earnest says so
  }
  say(std::string(1, good));
  _exit(0);
}

/// What the child has said last: all between the last two zeros.
std::string lastWord(int from) {
  std::string word, text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t n = read(from, piece.data(), piece.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return word;
    for (const char c : std::string_view(piece.data(), static_cast<std::size_t>(n)))
      if (c != '\0')
        text += c;
      else
        word = std::exchange(text, {});
  }
}

} // namespace

void tryReading(const std::string &path, const char *library,
                const std::function<void(const std::function<void()> &)> &alone,
                const std::function<void(const std::function<void(const std::string &)> &)> &read,
                bool eachTime) {
  static FilesRead tried;
  std::array<int, 2> ends{};
  const std::optional<FileState> file = seen(path); // none: who opens it says so
  if (!file || (tried.has(*file) && !eachTime) || pipe2(ends.data(), O_CLOEXEC) != 0)
    return;
  pid_t child = -1;
  alone([&] {
    child = fork();
    if (child == 0)
      readAsChild(ends[1], read);
  });
  close(ends[1]);
  const std::string word = child < 0 ? std::string(1, good) : lastWord(ends[0]);
  close(ends[0]);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (word.starts_with(unlisted))
    throw ListingError(path, library, word.substr(1));
  if (word == std::string(1, good) || (status >= 0 && WIFEXITED(status)))
    return tried.add(*file);
  const bool slow = status >= 0 && WTERMSIG(status) == SIGALRM;
  throw Error(
      path,
      fmt::format("{} {} when it reads {} of it", library, slow ? "comes to no end" : "crashes",
                  word),
      "the file is damaged, or made to do so: write it again, or copy it without this part");
}

} // namespace facet::runtime
