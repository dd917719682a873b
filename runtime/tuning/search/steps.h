// steps.h - the method in steps: one work-item, blocks and caches, all cores, review; units.
#pragma once
#include "runtime/tuning/search/lab.h"
#include "runtime/tuning/search/space.h"
#include "runtime/tuning/tuner.h"
#include <functional>

namespace facet::runtime {

struct SearchRules {
  bool exhaustive = false;
  double limit = 60; // seconds; past it no new candidates are taken, only the review
  int cores = 1;
  std::function<void(const TuneProgress &)> progress;
};

struct SearchResult {
  schedules::Knobs knobs;
  double rate = 0, before = 0; // TQP/s of one thread in the review: these, the default
  std::vector<Trial> trials;
  std::vector<schedules::Knobs> path;
  std::vector<Trial> units; // rates of whole units, which compare with one another alone
  double unitGain = 1;      // of the units taken over those of the rules
};

/// Searches the space for the fastest. Throws what the lab throws, and Error where not even the
/// default runs.
SearchResult search(Lab &lab, const Space &space, const SpaceRequest &request,
                    const SearchRules &rules);

} // namespace facet::runtime
