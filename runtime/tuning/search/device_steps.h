// device_steps.h - the search on a device: groups of knobs in turn, then streams, then a review.
#pragma once
#include "runtime/tuning/search/steps.h"

namespace facet::runtime {

/// As search(), for a request with limits of a device. Rates are of the whole device.
SearchResult searchDevice(Lab &lab, const SpaceRequest &request, const SearchRules &rules);

} // namespace facet::runtime
