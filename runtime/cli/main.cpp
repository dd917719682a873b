// main.cpp - facet: reads the command line, runs the subcommand, prints errors, chooses the exit
// code.
#include "runtime/cli/commands.h"
#include <cstdio>
#include <facet/runtime/error.h>

int main(int argc, char **argv) {
  using facet::runtime::Error;
  using facet::runtime::Exit;
  CLI::App app("facet: form factors of meshes from kernels compiled for this machine", "facet");
  app.require_subcommand(1);
  facet::cli::addMeshCommand(app);
  facet::cli::addPlotCommand(app);
  try {
    app.parse(argc, argv);
    return static_cast<int>(Exit::Good);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(Exit::BadInput);
  } catch (const Error &e) {
    std::fprintf(stderr, "facet: error: %s\n", e.what());
    return static_cast<int>(e.exit);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "facet: error: %s\n", e.what());
    return static_cast<int>(Exit::Failed);
  }
}
