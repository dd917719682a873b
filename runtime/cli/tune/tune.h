// tune.h - what facet tune is asked for, and the parts that do it.
#pragma once
#include "runtime/files/clock.h"
#include "runtime/files/stop_request.h"
#include "runtime/tuning/tuner.h"
#include <string>
#include <vector>

namespace facet::cli {

struct TuneOptions {
  std::vector<std::string> kernels, algorithms, classes;
  std::string target, grid, q, output, picture, json, schedules;
  double limit = 0; // seconds a variant; 0: the tuner's own
  bool exhaustive = false, list = false;
};

/// One variant to tune, with the words it is told by.
struct Job {
  runtime::TuneRequest request;
  std::string name; // "born, direct, f32"
};

/// What is to be tuned, in order: of the kernels named what they allow, else the default set. Asks
/// facetc for each kernel's manifest, so that what cannot be done is said before the work begins.
/// Throws Error: no such kernel, an algorithm it forbids (with the expression), no variant.
std::vector<Job> jobsOf(const TuneOptions &options);

/// One line with rate and time left, on a terminal only. Throws Stopped after Ctrl-C.
class TuneBar {
public:
  struct Stopped {};
  explicit TuneBar(std::size_t jobs);
  void show(std::size_t job, const std::string &name, const runtime::TuneProgress &progress);
  /// Wipes the line.
  void end();
  /// Whether Ctrl-C was pressed, or the job's end asked for, since the bar was made.
  static bool stopped();

private:
  runtime::StopRequest request_;
  runtime::Stopwatch watch_;
  std::size_t jobs_;
  bool terminal_, shown_ = false;
  int trials_ = 0, before_ = 0; // of the jobs done and the current one; of the jobs done
  std::size_t job_ = 0;
};

/// The summary at the end.
void printTable(const std::vector<runtime::TuneResult> &results);
/// Everything that was found, every trial too, as JSON.
void writeTuneJson(const std::vector<runtime::TuneResult> &results, const std::string &path);

/// facet tune --list: entries, which hold here, which do not and why. `json`: those that hold, as
/// facetc --schedules reads them; "" for none.
void listSchedules(const std::string &asked, const std::string &json);

} // namespace facet::cli
