// tool.h - programs of the system that finish what facetc makes: linkers, editors of symbols, nvcc.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace facet::lower {

/// Starts a program, without a shell, and waits. Throws ir::Error, which calls it `what`, where it
/// cannot be found or fails; what it says goes to stderr.
void runTool(std::vector<std::string> command, std::string_view what);

} // namespace facet::lower
