// schedules.h - tuned knobs as facet hands them over.
#pragma once
#include "codegen/lower/library.h"

namespace facet::driver {

/// Reads {"schedules": [{"shape", "algorithm", "class", "target", "grid", "q", "knobs": {name:
/// value,
/// ...}}, ...]}. Throws ir::Error naming the file, the entry and what is wrong with it.
std::vector<lower::TunedKnobs> readSchedules(const std::string &path);

} // namespace facet::driver
