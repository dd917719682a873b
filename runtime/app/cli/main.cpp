// main.cpp - facet: reads the command line, runs the subcommand, prints errors, sets the exit code.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/jobs/job.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/run/mpi/communicator.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>
#include <fmt/format.h>
#include <system_error>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace facet::cli {
namespace {

using namespace facet::runtime;

// Memory that one unit frees serves the next: pages new to the process were 15% of an experiment.
// Arrays of a unit do not fit into arenas of threads.
void keepMemory() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 26);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

// Only facet run shares its work among processes.
void wantOneProcess() {
  if (const int ranks = world().size(); ranks > 1)
    throw Error("", fmt::format("{} processes would all do the same", ranks),
                "only facet run shares work among processes; start other commands without mpirun");
}

/// The lines of examples.def that are below the help of a command.
std::string examplesOf(const std::string &name) {
  std::string lines;
#define FACET_EXAMPLE(command, words)                                                              \
  if (name == #command)                                                                            \
    lines += "\n  facet " #command " " words;
#include "examples.def"
  return lines;
}

/// Throws Error if what was printed was not taken: a full disk, a closed pipe.
void flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error("standard output", std::string("cannot write: ") + std::strerror(errno),
                "free some space or write elsewhere; files that were named before are whole",
                Exit::Failed);
}

} // namespace
} // namespace facet::cli

int main(int argc, char **argv) {
  using namespace facet::cli;
  keepMemory();
  std::signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error of the write then
  return together([&] {
    Terminal terminal;
    terminal.stage("program loaded");
    facetcSpeaks();
    CommandLine line("facet: form factors of meshes from kernels compiled for this machine",
                     "facet", "facet " FACET_VERSION);
    Command app = line.root();
    app.needsCommand(1, 1);
    const Host host{world(), terminal, launcher().kills};
    const auto withHost = [&](void (*add)(Command, const Host &)) {
      return [add, &host](Command to) { add(to, host); };
    };
    for (const std::function<void(Command)> &add :
         std::initializer_list<std::function<void(Command)>>{
             withHost(addRunCommand), withHost(addMergeCommand), withHost(addPlanCommand),
             addCheckCommand, addExplainCommand, addExploreCommand, addShowCommand, addBuildCommand,
             addMeshCommand, withHost(addPlotCommand), withHost(addReportCommand),
             withHost(addCompareCommand), addReflectivityCommand, addMaterialCommand,
             addRooflineCommand, addMachinesCommand, addTuneCommand, addCacheCommand})
      add(app);
    for (Command command : app.commands()) {
      if (const std::string examples = examplesOf(command.name()); !examples.empty())
        command.footer("Examples:" + examples);
      if (command.name() != "run")
        command.before(wantOneProcess);
    }
    int code = 0;
    try {
      // All ranks read the same command line; one says what is wrong with it.
      code = readWords(line, argc, argv, world().rank() != 0);
    } catch (const std::system_error &) {
      flushOutput(); // throws Error, which says more, if this is what failed
      throw;
    }
    flushOutput();
    return static_cast<int>(code == 0 ? Exit::Good : Exit::BadInput);
  });
}
