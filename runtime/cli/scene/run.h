// run.h - a run of a whole experiment: images of a scene, or a curve.
#pragma once
#include "runtime/cli/run/run.h"

namespace facet::cli {

/// Runs it, writes its files and reports; Throws runtime::Error, also where the accuracy was missed
/// (the files are kept then), and for options and ranks that only one particle on one grid has.
void runScene(const runtime::Experiment &experiment, const HowToRun &how);

} // namespace facet::cli
