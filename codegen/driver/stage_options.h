// stage_options.h - options that several stages read: the passes' and the schedule's.
#pragma once
#include "codegen/passes/passes.h"
#include "options.h"
#include "schedules/schedule.h"

namespace facet::driver {

/// Where to stop and whether to check. Throws ir::Error for a pass that there is not.
passes::PipelineOptions pipelineOptions(const Options &options);
/// Replaces the knobs that the command line gives.
void setKnobs(const Options &options, schedules::Knobs &knobs);

} // namespace facet::driver
