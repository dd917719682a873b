// main.cpp - facet: reads the command line, runs the subcommand, prints errors, chooses the exit
// code.
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/blocks/mpi/together.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/timings.h"
#include "runtime/cli/unknown_word.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <system_error>

namespace facet::cli {
namespace {

using namespace facet::runtime;

// Of all commands only run shares its work.
void wantOneProcess() {
  if (const int ranks = world().size(); ranks > 1)
    throw Error("", fmt::format("{} processes would all do the same", ranks),
                "only facet run shares work among processes; start other commands without mpirun");
}

/// Examples below the help of each command: examples.def.
void addExamples(CLI::App &app) {
  std::map<std::string, std::string> examples;
#define FACET_EXAMPLE(command, words) examples[#command] += "\n  facet " #command " " words;
#include "examples.def"
  for (const auto &[name, lines] : examples) {
    CLI::App *command = app.get_subcommand(name);
    const std::string before = command->get_footer();
    command->footer((before.empty() ? "" : before + "\n") + "Examples:" + lines);
  }
}

int parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
    return static_cast<int>(Exit::Good);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() != 0)
      nameUnknown(app);
    // All ranks read the same command line; one says what is wrong with it.
    std::ostringstream none;
    return (world().rank() == 0 ? app.exit(e) : app.exit(e, none, none)) == 0
               ? static_cast<int>(Exit::Good)
               : static_cast<int>(Exit::BadInput);
  }
}

/// What was printed may not have been taken: a full disk, a closed pipe.
void flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error("standard output", std::string("cannot write: ") + std::strerror(errno),
                "free some space or write elsewhere; files that were named before are whole",
                Exit::Failed);
}

} // namespace
} // namespace facet::cli

int main(int argc, char **argv) {
  facet::cli::stage("program loaded");
  return facet::runtime::together([&] {
    CLI::App app("facet: form factors of meshes from kernels compiled for this machine", "facet");
    app.require_subcommand(1);
    app.set_version_flag("--version", "facet " FACET_VERSION);
    facet::cli::addRunCommand(app);
    facet::cli::addPlanCommand(app);
    facet::cli::addCheckCommand(app);
    facet::cli::addExplainCommand(app);
    facet::cli::addShowCommand(app);
    facet::cli::addBuildCommand(app);
    facet::cli::addMeshCommand(app);
    facet::cli::addPlotCommand(app);
    facet::cli::addReflectivityCommand(app);
    facet::cli::addRooflineCommand(app);
    facet::cli::addMachinesCommand(app);
    facet::cli::addTuneCommand(app);
    facet::cli::addCacheCommand(app);
    facet::cli::addExamples(app);
    for (CLI::App *command : app.get_subcommands({}))
      if (command->get_name() != "run")
        command->preparse_callback([](std::size_t) { facet::cli::wantOneProcess(); });
    int code = 0;
    try {
      code = facet::cli::parse(app, argc, argv);
    } catch (const std::system_error &) {
      facet::cli::flushOutput(); // where that is what failed
      throw;
    }
    facet::cli::flushOutput();
    return code;
  });
}
