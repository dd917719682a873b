// run_options.h - the options facet run and facet plan share, and the experiment they make.
#pragma once
#include "runtime/cli/command/command.h"
#include <facet/runtime/experiment.h>
#include <memory>

namespace facet::cli {

struct RunOptions {
  std::string file, kernel, mesh, unit, shape, qx, qy, qz, points, algorithm, memory, klass, target,
      output, picture, schedules;
  std::vector<std::string> params, columns;
  std::vector<double> euler;
  double accuracy = 0;
  int threads = -1;
  std::int64_t seed = -1;
};

/// What to compute: kernel, particle, grid, accuracy, how. `command`: for error messages.
std::shared_ptr<RunOptions> addProblemOptions(Command command);
/// The experiment of the file, with what the options replace. Throws Error.
runtime::Experiment experimentOf(const RunOptions &options, const std::string &command);

} // namespace facet::cli
