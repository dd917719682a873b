// run.h - one run: from an experiment to files and a report.
#pragma once
#include "runtime/files/files.h"
#include "runtime/plan/errors/rule.h"
#include <facet/runtime/experiment.h>
#include <facet/runtime/plan.h>

namespace facet::cli {

/// How a run is carried out, beside what it computes.
struct HowToRun {
  std::string schedules;  // as for schedulesHere
  std::string timeline;   // a picture of the device's streams; "" for none
  std::string cut;        // "hx,hy,hz,ht"; "": the default
  bool resume = false;    // go on with a stopped run
  bool overwrite = false; // discard what a stopped run has finished
  bool compress = false;
};

/// What a run has found, for the report and the result file.
struct RunResult {
  std::string kernelName, kernelPath, library;
  bool compiled = false; // by this run
  double compileSeconds = 0;
  std::string target, klass, kind, reason, totals;
  bool finishedBefore = false; // nothing was left to do, nothing else is said here
  std::string units;           // "8 of 1 x 240 x 256 q, 6600 records"
  std::string schedule;        // knobs and where they are from; "" of transforms
  std::string device;          // name, streams, tiles; "" of CPUs
  runtime::Choice choice;
  std::string sizes; // of the particle, beside the steps of q; "" of records that have no place
  std::int64_t repaired = 0;
  int threads = 0, ranks = 1;
  double share = 1;            // of the grid, that this run computed: a resumed one has less
  double seconds = 0, tqp = 0; // of that share
  runtime::Measured measured;
  runtime::RuleError rule;   // of kernels that take a triangle for a point
  std::string data, picture; // files written; picture "" where there is none
  std::string timeline;      // the file, and what is to be seen in it; "" where there is none
};

/// Runs it and writes the files. Throws runtime::Error. Warnings and repeats go to standard error.
RunResult run(const runtime::Experiment &experiment, const HowToRun &how);
/// The kernel's library: as given, or compiled for the grid. Throws runtime::Error.
runtime::Kernel kernelFor(const runtime::Experiment &experiment, const runtime::Grid &grid,
                          const std::string &schedules, RunResult &result);
/// What the kernel's columns are, for the mesh. Throws runtime::Error where the particle is
/// turned and its records do not turn.
runtime::ColumnRoles rolesFor(const runtime::Particle &particle, const runtime::Kernel &kernel);
/// Before a kernel is compiled: throws runtime::Error where there is no mesh.
void checkMeshFile(const runtime::Particle &particle);
/// Before anything is computed: throws runtime::Error where a file cannot be written, is read, or
/// is another output.
void checkOutputs(const std::vector<runtime::FileUse> &inputs,
                  const std::vector<runtime::FileUse> &outputs);
void checkOutputs(const runtime::Experiment &experiment, const HowToRun &how);
/// The files that a run of the experiment reads.
std::vector<runtime::FileUse> inputsOf(const runtime::Experiment &experiment,
                                       const std::string &schedules);
/// What is told of the schedule of a plan's choice; "" of transforms.
std::string scheduleText(const runtime::Plan &plan);
/// The cut a plan would have: "16 of 1 x 144 x 128 q, 91200 records, 0.1 s each (by the rules)".
std::string unitsText(const runtime::Plan &plan, const runtime::Grid &grid);
runtime::PlanOptions planOptions(const runtime::Experiment &experiment,
                                 const runtime::Kernel &kernel);
/// "12 ms", "3.4 s".
std::string showSeconds(double seconds);
/// A line a choice; `taken` is one of them.
void reportChoices(const std::vector<runtime::Choice> &choices, const runtime::Choice &taken,
                   double accuracy);
/// "rule       ..", and a warning on standard error where it is large; nothing for kernels that
/// take no triangle for a point.
void reportRule(const runtime::RuleError &rule);
/// For the result file: rule_error, relative to max|F|, rule_median, to |F|, rule_samples; where
/// they are known.
void addRule(const runtime::RuleError &rule, std::map<std::string, double> &numbers);
/// What people read at the end.
void report(const RunResult &result);

} // namespace facet::cli
