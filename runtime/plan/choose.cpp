// choose.cpp - which class is expected to meet an accuracy.
#include "runtime/plan/choose.h"
#include <algorithm>
#include <cfloat>
#include <fmt/format.h>

namespace facet::runtime {

// A phase of size p is off by up to eps*p/2 in f32. The errors of many records partly cancel: a 100
// nm cube of random triangles with q to 2.8 nm^-1 (p = 245) was seen at 3e-6 to 5e-6 of max|F|, 0.2
// to 0.3 eps*p. What the model gets wrong the measured error finds.
double expectedError(facet_class klass, double phase, double functionBound) {
  if (klass == FACET_F64)
    return 0.3 * DBL_EPSILON * phase + std::max(functionBound, 4 * DBL_EPSILON);
  const double rounding = std::max<double>(functionBound, 4 * FLT_EPSILON);
  return klass == FACET_F32 ? 0.15 * FLT_EPSILON * phase + rounding : rounding;
}

Choice chooseClass(const Kernel &kernel, const std::string &target, int grid, int q, double phase,
                   double accuracy) {
  Choice choice;
  for (const facet_class klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64}) {
    const facet_variant *variant = kernel.find(target, klass, grid, q);
    if (variant == nullptr)
      continue;
    const double expected = expectedError(klass, phase, variant->error_bound);
    choice.klass = klass;
    choice.reason = fmt::format("max|q.c| {:.3g}, expected error {:.1e}", phase, expected);
    if (expected <= accuracy)
      break;
  }
  return choice;
}

} // namespace facet::runtime
