// link.cpp - objects to a shared library or to one object, by the system linker.
#include "parts.h"
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

namespace facet::lower {

void link(LibraryForm form, const std::vector<std::string> &objects, const std::string &path) {
  std::vector<std::string> command = {"ld"};
  if (form == LibraryForm::Shared)
    // The C and mathematics libraries by file name: their development packages are not needed.
    command.insert(command.end(), {"-shared", "-z", "noexecstack", "-z", "now", "-Bsymbolic",
                                   "--build-id=none", "-s"});
  else
    command.insert(command.end(), {"-r", "-z", "noexecstack"});
  command.insert(command.end(), {"-o", path});
  command.insert(command.end(), objects.begin(), objects.end());
  if (form == LibraryForm::Shared)
    command.insert(command.end(), {"--as-needed", "-l:libm.so.6", "-l:libc.so.6"});

  std::vector<char *> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "ld", nullptr, nullptr, arguments.data(), environ);
  if (failed == ENOENT)
    throw ir::Error{"there is no linker: 'ld' is not in the PATH; install binutils", {}};
  if (failed != 0)
    throw ir::Error{fmt::format("cannot start the linker 'ld': {}", std::strerror(failed)), {}};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw ir::Error{fmt::format("the linker 'ld' failed ({} {}); what it said is above",
                                WIFEXITED(status) ? "exit code" : "signal",
                                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)),
                    {}};
}

} // namespace facet::lower
