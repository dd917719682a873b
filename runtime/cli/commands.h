// commands.h - the subcommands of facet; each adds itself to the command line and runs when chosen.
#pragma once
#include <CLI/CLI.hpp>

namespace facet::cli {

/// facet mesh inspect|make|convert|view
void addMeshCommand(CLI::App &app);
/// facet plot RESULT.h5 -o PICTURE
void addPlotCommand(CLI::App &app);

} // namespace facet::cli
