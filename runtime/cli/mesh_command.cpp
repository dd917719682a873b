// mesh_command.cpp - facet mesh.
#include "runtime/cli/commands.h"

namespace facet::cli {

void addMeshCommand(CLI::App &) {}

} // namespace facet::cli
