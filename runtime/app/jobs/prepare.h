// prepare.h - what a run and a plan need first: files, tuned knobs.
#pragma once
#include "runtime/app/jobs/listener.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/system/files.h"
#include <facet/runtime/experiment.h>

namespace facet::cli {

/// Calls schedulesHere; warns of what cannot be read. Throws runtime::Error.
runtime::Schedules schedulesFor(const std::string &asked, bool devices, Listener &listener);

/// Throws runtime::Error, before anything is computed, if an output cannot be written, or is also
/// an input or another output.
void checkOutputs(const std::vector<runtime::FileUse> &inputs,
                  const std::vector<runtime::FileUse> &outputs);
/// The same for a run. `timeline`: a picture, "" for none; `observed`: the file it is compared
/// with, "" for none.
void checkOutputs(const runtime::Experiment &experiment, const std::string &schedules,
                  const std::string &timeline, const std::string &observed);
/// The files that a run of the experiment reads.
std::vector<runtime::FileUse> inputsOf(const runtime::Experiment &experiment,
                                       const std::string &schedules);

} // namespace facet::cli
