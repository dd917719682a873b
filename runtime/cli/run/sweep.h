// sweep.h - one parameter that takes one value after the other: an axis of the result.
#pragma once
#include "runtime/cli/input/mesh_input.h"
#include "runtime/cli/run/run.h"
#include <facet/runtime/output.h>
#include <optional>

namespace facet::cli {

/// The parameter of the experiment that is swept; none where each has one value. Throws
/// runtime::Error where two are, for values that are none, and for options that a sweep has not.
std::optional<runtime::Sweep> sweepOf(const runtime::Experiment &experiment, const HowToRun &how);
/// The experiment with one value of the sweep.
runtime::Experiment at(const runtime::Experiment &experiment, const runtime::Sweep &sweep,
                       std::size_t step);

/// F for each value, the slowest axis, by one plan: what differs is its parameters.
struct Swept {
  std::vector<std::complex<double>> f;
  runtime::Measured worst; // of the values, next to what was asked for
  double seconds = 0;      // of all
  double tqp = 0;          // of all: none where the sums of the value before were kept
  std::int64_t repaired = 0;
};
/// Throws runtime::Error: more memory than allowed, and what executions throw.
Swept carryOutSweep(runtime::Plan &plan, const runtime::Experiment &experiment,
                    const runtime::Sweep &sweep, const runtime::Grid &grid);

} // namespace facet::cli
