// cost.h - the cost of one call, for the choice of its fine grid.
#pragma once
#include "runtime/nufft/transforms.h"

namespace facet::runtime {

/// What a call's cost depends on beside the call.
struct CallUse {
  std::int64_t records = 0;
  double phases = 1;     // cis or exp a record for the factors of the strengths
  bool combined = false; // results are weighted and added, not written where they belong
  double values = 0;     // q a transform is added to
  double row = 1;        // of them next to one another
};
CallUse useOf(const NufftLayout &layout, const NufftCall &call);
NufftCost callCost(const NufftCall &call, const CallUse &use, const NufftConstants &constants);

} // namespace facet::runtime
