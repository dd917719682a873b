// search.h - coordinate steps over the groups of a space, then how a run has the best, then a
// review.
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

/// Searches the space for the fastest: knobs, rates and neighbours of `tuned`, trials and path.
/// Throws what the lab throws, and Error where not even the default runs.
TuneResult search(Lab &lab, const SpaceRequest &request, const SearchRules &rules);

} // namespace facet::runtime
