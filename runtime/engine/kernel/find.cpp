// find.cpp - where facetc, the kernels and the schedules that come with facet are; runs another
// program.
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/packages.h"
#include "runtime/engine/system/places.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <facet/runtime/kernel.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

// Where facet's programs are: bin beside the folder of this library, which Python and programs that
// embed facet have loaded, too; else beside the running program.
const fs::path &programFolder() {
  static const fs::path found = [] {
    if (const std::string facetc = besideLibrary("../bin/facetc"); !facetc.empty())
      return fs::path(facetc).parent_path();
    std::error_code none;
    return fs::read_symlink("/proc/self/exe", none).parent_path();
  }();
  return found;
}

// Installed: bin/../share/facet/kernels. In a build tree: build/bin/../../examples/kernels.
std::vector<fs::path> kernelFolders() {
  std::vector<fs::path> result;
  if (const std::string own = environment("FACET_KERNELS"); !own.empty())
    result.emplace_back(own);
  result.push_back(programFolder() / "../share/facet/kernels");
  result.push_back(programFolder() / "../../examples/kernels");
  return result;
}

} // namespace

std::vector<std::string> shippedSchedules() {
  std::vector<std::string> files;
  for (const char *folder : {"../share/facet/machines", "../../schedules/machines"}) {
    std::error_code none;
    for (const fs::directory_entry &entry : fs::directory_iterator(programFolder() / folder, none))
      if (entry.path().extension() == ".toml")
        files.push_back(entry.path().lexically_normal());
    if (!files.empty())
      break;
  }
  std::ranges::sort(files);
  return files;
}

std::string findFacetc() {
  if (const char *given = std::getenv("FACETC")) {
    if (access(given, X_OK) != 0)
      throw Error(std::string("FACETC=") + given, "no such program",
                  "name facetc, or unset FACETC");
    return given;
  }
  const fs::path beside = programFolder() / "facetc";
  if (access(beside.c_str(), X_OK) == 0)
    return beside;
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder) / "facetc"; access(file.c_str(), X_OK) == 0)
      return file;
  throw Error("facetc", "the compiler was not found beside facet nor in the PATH",
              "set FACETC to it, or run a kernel library (.so) made elsewhere");
}

std::pair<std::string, std::string> splitKernel(const std::string &text) {
  const std::size_t colon = text.rfind(':');
  if (std::error_code none; colon == std::string::npos || fs::exists(text, none))
    return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<std::string> shippedKernels() {
  std::vector<std::string> names;
  for (const fs::path &folder : kernelFolders()) {
    std::error_code none;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, none))
      if (entry.path().extension() == ".cpp")
        names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

std::string findKernel(const std::string &nameOrFile) {
  std::error_code why;
  if (fs::is_regular_file(nameOrFile, why))
    return nameOrFile;
  const bool missing = !why || why == std::errc::no_such_file_or_directory;
  if (!missing || nameOrFile.find_first_of("/.") != std::string::npos)
    throw Error(nameOrFile, missing ? "no such kernel file" : "cannot be read: " + why.message(),
                "give a .cpp, .fir or .so file, or a kernel's name");
  for (const fs::path &folder : kernelFolders()) {
    std::error_code none;
    if (const fs::path file = folder / (nameOrFile + ".cpp"); fs::exists(file, none))
      return fs::canonical(file);
  }
  std::vector<std::string> names = shippedKernels();
  if (std::string found = packagedKernel(nameOrFile, names); !found.empty())
    return found;
  throw Error("kernel '" + nameOrFile + "'", "no such kernel",
              (names.empty() ? "give a kernel file (.cpp)" : suggestion(nameOrFile, names)));
}

int spawn(const std::vector<std::string> &command, bool quiet, std::string *said) {
  std::vector<char *> argv;
  argv.reserve(command.size() + 1);
  for (const std::string &word : command)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (quiet)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  // A file has room for all that is said, however late it is read.
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> heard(said ? std::tmpfile() : nullptr,
                                                               &std::fclose);
  if (heard)
    posix_spawn_file_actions_adddup2(&actions, fileno(heard.get()), STDERR_FILENO);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0)
    throw Error(command.front(), std::string("cannot be started: ") + std::strerror(refused), "",
                Exit::Failed);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw Error(command.front(), std::string("waiting failed: ") + std::strerror(errno), "",
                  Exit::Failed);
  if (heard) {
    std::rewind(heard.get());
    for (int c = 0; (c = std::getc(heard.get())) != EOF;)
      said->push_back(static_cast<char>(c));
    said->erase(said->find_last_not_of('\n') + 1);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace facet::runtime
