// plot_command.cpp - facet plot.
#include "runtime/cli/commands.h"

namespace facet::cli {

void addPlotCommand(CLI::App &) {}

} // namespace facet::cli
