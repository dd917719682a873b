// heat_map.h - a picture of what tuning has explored.
#pragma once
#include "runtime/tuning/tuner.h"

namespace facet::runtime {

/// One panel a variant: the best throughput over the two knobs that tell most, the path the steps
/// took, and what was left out. PNG, SVG or PDF by the extension. Throws Error.
void writeHeatMap(const std::vector<TuneResult> &results, const std::string &path);

} // namespace facet::runtime
