// errors.h - models of the error of a sum, before it is known: by algorithm, class and phase.
#pragma once
#include <facet/runtime/plan.h>

namespace facet::runtime {

/// Of sums of n terms, relative to sum |term|; of transforms, of n waves, to sum |b|. `phase`:
/// max|q.c|, radians, 0 if not known; functionBound: facet_variant.error_bound.
double sumError(const HowToSum &how, double phase, double functionBound, std::int64_t records);
/// What transforms are wrong by relative to themselves, so that nothing amplifies it.
double transformShare(double tolerance);

} // namespace facet::runtime
