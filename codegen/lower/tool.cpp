// tool.cpp - a program started without a shell, and waited for.
#include "codegen/lower/tool.h"
#include "codegen/ir/ir.h"
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace facet::lower {

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
        fmt::format("there is no {}: '{}' is not in the PATH; install binutils", what, tool), {}};
  if (failed != 0)
    throw ir::Error{fmt::format("cannot start the {} '{}': {}", what, tool, std::strerror(failed)),
                    {}};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw ir::Error{fmt::format("the {} '{}' failed ({} {}); what it said is above", what, tool,
                                WIFEXITED(status) ? "exit code" : "signal",
                                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)),
                    {}};
}

} // namespace facet::lower
