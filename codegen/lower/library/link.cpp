// link.cpp - objects to a shared library or to one object, by the system's binutils.
#include "codegen/lower/temporary_folder.h"
#include "codegen/lower/tool.h"
#include "parts.h"
#include <fmt/format.h>
#include <fstream>

namespace facet::lower {

void rename(const std::string &object,
            const std::vector<std::pair<std::string, std::string>> &names) {
  std::vector<std::string> command = {"objcopy", object};
  for (const auto &[from, to] : names)
    command.push_back(fmt::format("--redefine-sym={}={}", from, to));
  runTool(std::move(command), "symbol editor");
}

void link(LibraryForm form, const std::vector<std::string> &objects, const std::string &path,
          const std::vector<std::string> &exported) {
  std::vector<std::string> command = {"ld", "-z", "noexecstack", "-o", path};
  command.insert(command.end(), objects.begin(), objects.end());
  if (form == LibraryForm::Shared) {
    // Halide's runtime for devices is weak and visible; each library must keep its own, whose state
    // is of its own kernels and goes with it when it is unloaded.
    const TemporaryFolder folder;
    const std::string script = folder.path + "/names";
    std::ofstream(script) << fmt::format("{{ global: {}; local: *; }};\n",
                                         fmt::join(exported, "; "));
    command.push_back("--version-script=" + script);
    // The C and mathematics libraries by file name: their development packages are not needed.
    command.insert(command.end(), {"-shared", "-z", "now", "-Bsymbolic", "--build-id=none", "-s",
                                   "--as-needed", "-l:libm.so.6", "-l:libc.so.6"});
    return runTool(std::move(command), "linker");
  }
  // One name is left to the program: it may hold many kernels, and the same file compiled by its
  // own compiler, whose templates have the same names.
  command.insert(command.end(), {"-r", "--force-group-allocation"});
  runTool(std::move(command), "linker");
  std::vector<std::string> hide = {"objcopy", path};
  for (const std::string &name : exported)
    hide.push_back("--keep-global-symbol=" + name);
  runTool(std::move(hide), "symbol editor");
}

} // namespace facet::lower
