// system.cpp - a file of the size of a large library, taken back; a program started without a
// shell.
#include "codegen/lower/system.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace facet::lower {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string temporaryPlace() {
  std::error_code code;
  const std::filesystem::path place = std::filesystem::temp_directory_path(code);
  if (code)
    throw Unwritable{{fmt::format("TMPDIR is no folder: {}", code.message())}};
  return place;
}

void requireRoom(const std::string &file, const std::string &name) {
  constexpr off_t bytes = 16 << 20;
  const int made = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  int error = made < 0 ? errno : posix_fallocate(made, 0, bytes);
  if (error == 0 && ftruncate(made, 0) != 0)
    error = errno;
  if (made >= 0)
    close(made);
  if (error == EINVAL || error == EOPNOTSUPP) // a file system that reserves nothing
    return;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  if (error != 0)
    throw Unwritable{
        {fmt::format("cannot write {}: {}{}", name, std::strerror(error),
                     full ? fmt::format("; {} MB are wanted there", bytes >> 20) : "")}};
}

TemporaryFolder::TemporaryFolder() : path(temporaryPlace() + "/facetc-XXXXXX") {
  if (!mkdtemp(path.data()))
    throw Unwritable{{fmt::format("cannot make a folder for objects in '{}': {}; set TMPDIR to "
                                  "a folder that you can write",
                                  temporaryPlace(), std::strerror(errno))}};
  try {
    requireRoom(path + "/room", "into TMPDIR, " + path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    throw;
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::vector<std::string> linker() {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::vector<std::string> words = {here / "facetc", "ld.lld"};
  for (const char *library : {"libc.so.6", "libm.so.6"}) {
    void *loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    const link_map *map = nullptr;
    if (loaded && dlinfo(loaded, RTLD_DI_LINKMAP, &map) == 0)
      words.push_back("-L" + std::filesystem::path(map->l_name).parent_path().string());
  }
  return words;
}

void runTool(std::vector<std::string> command, std::string_view what) {
  const std::string tool = command.front();
  std::vector<char *> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, tool.c_str(), nullptr, nullptr, arguments.data(), environ);
  if (failed == ENOENT)
    throw ir::Error{
        fmt::format("there is no {}: '{}' {}", what, tool,
                    tool.front() == '/' ? "is not there" : "is not in the PATH; install binutils")};
  if (failed != 0)
    throw ir::Error{fmt::format("cannot start the {} '{}': {}", what, tool, std::strerror(failed))};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw ir::Error{fmt::format("the {} '{}' failed ({} {}); what it said is above", what, tool,
                                WIFEXITED(status) ? "exit code" : "signal",
                                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status))};
}

} // namespace facet::lower
