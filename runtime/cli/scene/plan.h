// plan.h - facet plan of a whole experiment: what a run of its images would do, and how long.
#pragma once
#include "runtime/cli/run/scaling_report.h"
#include <facet/runtime/experiment.h>

namespace facet::cli {

/// Decides as a run does, which tries some poses on some rows; computes nothing else, writes no
/// result. Throws runtime::Error, also for a curve.
void planScene(const runtime::Experiment &experiment, const std::string &schedules,
               const ScalingAsked &asked);

} // namespace facet::cli
