// main.cpp - facet: reads the command line, runs the subcommand, prints errors, chooses the exit
// code.
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/cli/command/commands.h"
#include "runtime/cli/run/progress.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>
#include <system_error>

namespace facet::cli {
namespace {

using namespace facet::runtime;

// Only facet run shares its work.
void wantOneProcess() {
  if (const int ranks = world().size(); ranks > 1)
    throw Error("", fmt::format("{} processes would all do the same", ranks),
                "only facet run shares work among processes; start other commands without mpirun");
}

/// Examples below the help of each command: examples.def.
void addExamples(Command app) {
  std::map<std::string, std::string> examples;
#define FACET_EXAMPLE(command, words) examples[#command] += "\n  facet " #command " " words;
#include "examples.def"
  for (Command command : app.commands())
    if (const std::string lines = examples[command.name()]; !lines.empty()) {
      const std::string before = command.footer();
      command.footer((before.empty() ? "" : before + "\n") + "Examples:" + lines);
    }
}

std::vector<std::string> namesOf(const std::vector<Command> &commands) {
  std::vector<std::string> names;
  for (const Command &command : commands)
    names.push_back(command.name());
  return names;
}

/// After a command line was refused: throws an Error for the first word that is the name of no
/// command or option, with the name that was meant. Returns if there is none: the parser's own
/// message is enough.
void nameUnknown(const Command &app) {
  Command command = app;
  while (!command.chosenCommands().empty())
    command = command.chosenCommands().front();
  const bool chosen = !app.chosenCommands().empty();
  const std::vector<std::string> left = app.left();
  const auto word = std::find_if(left.begin(), left.end(),
                                 [&](const auto &w) { return !chosen || w.starts_with("-"); });
  if (word == left.end())
    return;
  const bool option = word->starts_with("-");
  const std::string name = word->substr(0, word->find('='));
  const std::string near = nearest(name, option ? command.longOptions() : namesOf(app.commands()));
  const std::string called = command.called();
  throw Error("", fmt::format("{} has no {} '{}'", called, option ? "option" : "command", name),
              fmt::format("{}{} --help lists them",
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near), called));
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
  using namespace facet::cli;
  stage("program loaded");
  return together([&] {
    CommandLine line("facet: form factors of meshes from kernels compiled for this machine",
                     "facet", "facet " FACET_VERSION);
    Command app = line.root();
    app.needsCommand(1, 1);
    for (const auto add :
         {addRunCommand, addPlanCommand, addCheckCommand, addExplainCommand, addShowCommand,
          addBuildCommand, addMeshCommand, addPlotCommand, addReflectivityCommand,
          addRooflineCommand, addMachinesCommand, addTuneCommand, addCacheCommand})
      add(app);
    addExamples(app);
    for (Command command : app.commands())
      if (command.name() != "run")
        command.before(wantOneProcess);
    int code = 0;
    try {
      // All ranks read the same command line; one says what is wrong with it.
      code = line.read(argc, argv, [&] { nameUnknown(app); }, world().rank() != 0);
    } catch (const std::system_error &) {
      flushOutput(); // throws Error, which says more, if this is what failed
      throw;
    }
    flushOutput();
    return static_cast<int>(code == 0 ? Exit::Good : Exit::BadInput);
  });
}
