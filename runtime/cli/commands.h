// commands.h - the subcommands of facet; each adds itself to the command line and runs when chosen.
#pragma once
#include <CLI/CLI.hpp>

namespace facet::cli {

// The callback of each throws runtime::Error on failure.

/// facet check KERNEL
void addCheckCommand(CLI::App &app);
/// facet explain KERNEL
void addExplainCommand(CLI::App &app);
/// facet show KERNEL --stage ir|stmt|asm|...
void addShowCommand(CLI::App &app);
/// facet build KERNEL
void addBuildCommand(CLI::App &app);
/// facet run EXPERIMENT.toml | KERNEL --mesh ...
void addRunCommand(CLI::App &app);
/// facet plan EXPERIMENT.toml | KERNEL --mesh ...
void addPlanCommand(CLI::App &app);
/// facet mesh inspect|make|convert|view
void addMeshCommand(CLI::App &app);
/// facet plot RESULT.h5 -o PICTURE
void addPlotCommand(CLI::App &app);
/// facet reflectivity EXPERIMENT.toml
void addReflectivityCommand(CLI::App &app);
/// facet roofline KERNEL ... -o PICTURE
void addRooflineCommand(CLI::App &app);
/// facet machines
void addMachinesCommand(CLI::App &app);
/// facet tune
void addTuneCommand(CLI::App &app);
/// facet cache [clear]
void addCacheCommand(CLI::App &app);

} // namespace facet::cli
