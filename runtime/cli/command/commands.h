// commands.h - the subcommands of facet; each adds itself to the command line and runs when chosen.
#pragma once
#include "runtime/cli/command/command.h"

namespace facet::cli {

// The callback of each throws runtime::Error on failure.

/// facet check KERNEL
void addCheckCommand(Command app);
/// facet explain KERNEL
void addExplainCommand(Command app);
/// facet show KERNEL --stage ir|stmt|asm|...
void addShowCommand(Command app);
/// facet build KERNEL
void addBuildCommand(Command app);
/// facet run EXPERIMENT.toml | KERNEL --mesh ...
void addRunCommand(Command app);
/// facet plan EXPERIMENT.toml | KERNEL --mesh ...
void addPlanCommand(Command app);
/// facet mesh inspect|make|convert|view
void addMeshCommand(Command app);
/// facet plot RESULT.h5 -o PICTURE
void addPlotCommand(Command app);
/// facet reflectivity EXPERIMENT.toml
void addReflectivityCommand(Command app);
/// facet roofline KERNEL ... -o PICTURE
void addRooflineCommand(Command app);
/// facet machines
void addMachinesCommand(Command app);
/// facet tune
void addTuneCommand(Command app);
/// facet cache [clear]
void addCacheCommand(Command app);

} // namespace facet::cli
