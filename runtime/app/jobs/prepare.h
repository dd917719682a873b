// prepare.h - what a run and a plan need first: files, tuned knobs, the kernel's library.
#pragma once
#include "runtime/app/jobs/listener.h"
#include "runtime/engine/kernel/kernel_for.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/system/files.h"
#include <facet/runtime/experiment.h>

namespace facet::cli {

/// Where a kernel is from.
struct UsedKernel {
  std::string path;
  bool compiled = false; // by this run
  double seconds = 0;    // that compiling it took
};

/// Calls schedulesHere; warns of what cannot be read. Throws runtime::Error.
runtime::Schedules schedulesFor(const std::string &asked, bool devices, Listener &listener);

/// The kernel's library, as given or compiled for the grid. Throws runtime::Error.
runtime::Kernel kernelFor(const runtime::Experiment &experiment, const runtime::Grid &grid,
                          const std::string &schedules, UsedKernel &used, Listener &listener);
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
