// tune.h - what facet tune is to do, and what it prints.
#pragma once
#include "runtime/tuning/tuner.h"
#include <string>
#include <vector>

namespace facet::cli {

struct TuneOptions {
  std::vector<std::string> kernels, algorithms, classes;
  std::string target, grid, q, output, picture = "tuning.png", json, schedules;
  double limit = 0; // seconds a variant; 0: the tuner's own
  bool exhaustive = false, list = false;
};

/// One variant to tune, with the words it is named by.
struct Job {
  runtime::TuneRequest request;
  std::string name; // "born, direct, f32"
};

/// What is to be tuned, in order: of the kernels named what they allow, else the default set. Gets
/// each kernel's manifest from facetc, so that what cannot be done is said before the work begins.
/// Throws Error: no such kernel, an algorithm it forbids (with the expression), no variant.
std::vector<Job> jobsOf(const TuneOptions &options);

/// The summary at the end.
void printTable(const std::vector<runtime::TuneResult> &results);
/// Everything that was found, every trial too, as JSON.
void writeTuneJson(const std::vector<runtime::TuneResult> &results, const std::string &path);

/// facet tune --list: entries, which hold here, which do not and why. `json`: those that hold, as
/// facetc --schedules reads them; "" for none.
void listSchedules(const std::string &asked, const std::string &json);

} // namespace facet::cli
