// schedules.h - tuned knobs as facet hands them over.
#pragma once
#include "codegen/lower/library.h"

namespace facet::driver {

/// Reads {"schedules": [{"shape", "algorithm", "class", "target", "grid", "q", "from",
/// "knobs": {name: value, ...}}, ...]}; "from" says where they are from, as "tuned on 2026-11-21".
/// Throws ir::Error naming the file, the entry and what is wrong with it.
std::vector<lower::TunedKnobs> readSchedules(const std::string &path);

} // namespace facet::driver
