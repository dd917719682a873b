// errors.h - models of the error of a sum, before it is known: by algorithm, class and phase.
#pragma once
#include <cstdint>
#include <facet/abi.h>

namespace facet::runtime {

/// Error of one term relative to its size. `phase`: max|q.c|, radians, 0 if not known;
/// functionBound: facet_variant.error_bound.
double termError(facet_algorithm algorithm, facet_class klass, double phase, double functionBound);
/// Error of sums of n waves by transforms done to `tolerance`, relative to sum |b|.
double transformError(double tolerance, double phase, std::int64_t records);
/// Relative to sum |b|, whatever the tolerance.
double transformRounding();
/// What errors of n terms leave of sum |term|: they partly cancel.
double spread(std::int64_t records);
/// What the tolerance of transforms leaves of theirs.
double transformSpread(std::int64_t records);
/// What transforms are wrong by relative to themselves, so that nothing amplifies it.
double transformShare(double tolerance);

} // namespace facet::runtime
