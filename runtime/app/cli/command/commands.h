// commands.h - the subcommands of facet; each adds itself to the command line and runs when chosen.
// What it does then throws runtime::Error on failure.
#pragma once
#include "runtime/app/cli/command/command.h"

namespace facet::cli {

struct Host;

void addCheckCommand(Command app);
void addExplainCommand(Command app);
void addExploreCommand(Command app);
void addShowCommand(Command app);
void addBuildCommand(Command app);
void addRunCommand(Command app, const Host &host);
void addPlanCommand(Command app, const Host &host);
void addMeshCommand(Command app);
void addMergeCommand(Command app, const Host &host);
void addPlotCommand(Command app, const Host &host);
void addReportCommand(Command app, const Host &host);
void addCompareCommand(Command app, const Host &host);
void addReflectivityCommand(Command app);
void addMaterialCommand(Command app);
void addRooflineCommand(Command app);
void addMachinesCommand(Command app);
void addTuneCommand(Command app);
void addCacheCommand(Command app);

} // namespace facet::cli
