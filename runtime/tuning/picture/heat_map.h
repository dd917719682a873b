// heat_map.h - a picture of what tuning has explored.
#pragma once
#include "runtime/tuning/tuner.h"

namespace facet::runtime {

/// One panel a variant: the best throughput over the two knobs that tell most, the path the steps
/// took, and what the models skipped. PNG or SVG by the extension. Throws Error.
void writeHeatMap(const std::vector<TuneResult> &results, const std::string &path);
/// Throws the Error of a picture that cannot be written.
void checkHeatMap(const std::string &path);

} // namespace facet::runtime
