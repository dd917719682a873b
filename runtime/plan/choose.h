// choose.h - which class is expected to meet an accuracy.
#pragma once
#include <facet/runtime/kernel.h>
#include <string>

namespace facet::runtime {

/// A rough model of the error relative to max|F|. `phase`: max|q.c|, radians, 0 where not known.
double expectedError(facet_class klass, double phase, double functionBound);

struct Choice {
  facet_class klass = FACET_F64;
  std::string reason;
};
/// The fastest class of (target, grid, q) in the kernel that is expected to meet `accuracy`, else
/// the best there is.
Choice chooseClass(const Kernel &kernel, const std::string &target, int grid, int q, double phase,
                   double accuracy);

} // namespace facet::runtime
