// main.cpp - facet: reads the command line, runs the subcommand, prints errors, chooses the exit
// code.
#include "runtime/cli/commands.h"
#include "runtime/cli/timings.h"
#include <cstdio>
#include <facet/runtime/error.h>

int main(int argc, char **argv) {
  using facet::runtime::Error;
  using facet::runtime::Exit;
  facet::cli::stage("program loaded");
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
  facet::cli::addRooflineCommand(app);
  facet::cli::addMachinesCommand(app);
  facet::cli::addTuneCommand(app);
  try {
    app.parse(argc, argv);
    return static_cast<int>(Exit::Good);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(Exit::BadInput);
  } catch (const Error &e) {
    if (*e.what() != 0) // empty: facetc has said it
      std::fprintf(stderr, "facet: error: %s\n", e.what());
    return static_cast<int>(e.exit);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "facet: error: %s\n", e.what());
    return static_cast<int>(Exit::Failed);
  }
}
