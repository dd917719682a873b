// errors.cpp - models of the error of a sum. What a model gets wrong the measured error finds.
#include "runtime/planner/errors.h"
#include <algorithm>
#include <cfloat>
#include <cmath>

namespace facet::runtime {
namespace {
// Random errors leave 1/sqrt(n) of the sum of sizes, and `times` that at the worst q.
double random(std::int64_t records, double times, double least) {
  const auto n = static_cast<double>(std::max<std::int64_t>(records, 1));
  return std::clamp(times / std::sqrt(n), least, 1.0);
}

// Of one term, relative to its size. direct: a phase of size p is off by up to eps*p/2 in f32. A
// 100 nm cube of random triangles with q to 2.8 nm^-1 (p = 245) was seen at 3e-6 to 5e-6 of max|F|,
// 0.2 to 0.3 eps*p. Separable tables are formed in double and rounded once, three factors of them a
// term.
double termError(facet_algorithm algorithm, facet_class klass, double phase, double functionBound) {
  if (klass == FACET_F64)
    return 0.3 * DBL_EPSILON * phase + std::max(functionBound, 4 * DBL_EPSILON);
  const double rounding = std::max<double>(functionBound, 4 * FLT_EPSILON);
  if (algorithm == FACET_SEPARABLE || klass == FACET_F32_CAREFUL)
    return rounding;
  return 0.15 * FLT_EPSILON * phase + rounding;
}

// What a transform adds to T(q) are parts of T at outer q, beyond the fine grid, each times up to
// the tolerance: sums of the same waves, which are in phase at some of them. Nodes of an axis err
// alike. So nothing cancels at random: over 100 closed meshes and grids 0.02 to 0.57 of tolerance *
// sum |b| was seen, as much of 100,000 triangles as of 1,000; single records err by all of it.
// Phases are reduced in double, and rounded at random. At any tolerance 6e-15 of sum |b| was seen
// (type 3, 14,000 nodes).
double transformError(double tolerance, double phase, std::int64_t records) {
  return tolerance * random(records, 1, 0.5) +
         DBL_EPSILON * (4 + phase) * random(records, 1, 0.002) + 48 * DBL_EPSILON;
}

} // namespace

// Rounding errors of a mesh of equal triangles are no random ones: never below a tenth.
double sumError(const HowToSum &how, double phase, double functionBound, std::int64_t records) {
  if (how.algorithm == FACET_NUFFT)
    return transformError(how.tolerance, phase, records);
  return termError(how.algorithm, how.klass, phase, functionBound) * random(records, 3, 0.1);
}

// For a surface near q = 0, whose waves are in phase, 0.2 was seen on uniform axes, 0.4 on
// irregular ones.
double transformShare(double tolerance) { return 0.5 * tolerance; }

} // namespace facet::runtime
