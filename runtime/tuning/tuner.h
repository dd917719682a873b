// tuner.h - finds the knobs of one variant of a kernel on this machine, in steps.
#pragma once
#include "runtime/tuning/tuned.h"
#include <facet/runtime/kernel.h>

namespace facet::runtime {

struct TuneProgress {
  std::string step; // "functions", "registers", "blocks", "grid", "threads" ("streams"), "review"
  int done = 0, expected = 0; // trials of the whole tuning
  double best = 0;            // TQP/s so far
};

struct TuneRequest {
  std::string file, kernel; // kernel file, and its name if the file holds several
  facet_algorithm algorithm = FACET_DIRECT;
  facet_class klass = FACET_F32;
  std::string target;
  facet_grid_kind grid = FACET_PRODUCT;
  facet_q_kind q = FACET_REAL_Q;
  bool exhaustive = false; // every candidate of the space, for comparison
  double limit = 0;        // seconds after which no new candidate is tried; 0: 60, exhaustive 900
  std::function<void(const TuneProgress &)> progress = {};
};

/// One candidate: measured, or left out with the reason.
struct Trial {
  schedules::Knobs knobs;
  std::string step;
  // TQP/s of one thread, or of a device, in the best of its runs; 0: not measured
  double throughput = 0;
  std::string skipped; // why it was not measured; "": it was
};

struct TuneResult {
  Tuned tuned;                        // as a schedule file keeps it
  schedules::Knobs initial;           // the defaults
  std::vector<Trial> trials;          // in the order they were taken
  std::vector<schedules::Knobs> path; // what each step chose, the defaults first, the result last
  double compileSeconds = 0, measureSeconds = 0, seconds = 0;
};

/// Tunes one variant. The result is never slower than the defaults in the final, interleaved
/// review: if nothing beats them, they are kept. Throws Error: what facetc refuses, a target
/// this CPU cannot run, an algorithm that the kernel forbids.
TuneResult tune(const TuneRequest &request);

} // namespace facet::runtime
