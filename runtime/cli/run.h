// run.h - one run: from an experiment to files and a report.
#pragma once
#include <facet/runtime/experiment.h>
#include <facet/runtime/plan.h>

namespace facet::cli {

/// What a run has found, for the report and the result file.
struct RunResult {
  std::string kernelName, kernelPath, library;
  bool compiled = false; // by this run
  double compileSeconds = 0;
  std::string target, klass, algorithm = "direct", kind;
  int threads = 0;
  double seconds = 0, tqp = 0;
  runtime::Measured measured;
  std::string data, picture; // files written; picture "" where there is none
};

/// Runs it and writes the files. Throws runtime::Error. Warnings and repeats go to standard error.
RunResult run(const runtime::Experiment &experiment);
/// What people read at the end.
void report(const RunResult &result);

} // namespace facet::cli
