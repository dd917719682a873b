// moments.h - the error of each rule on e^{iu} for real u, from its error on the powers of u.
//
// With u between -h and h at the corners, sum_{k>d} h^k/k! max|mean w^k - rule w^k|, w = u/h: the
// corners of w are -1, 1 and one between, so that each maximum is one of a polynomial in one
// variable. It knows the rule, where bound.h knows its degree only, and is a few times to some
// hundred times smaller.
#pragma once
#include <cstddef>

namespace facet::runtime {

/// The bound for rules()[rule]; half: half the range of u over the triangle, rad, >= 0.
double momentBound(std::size_t rule, double half);
/// The largest half range at which momentBound is at most `tolerance` (> 0).
double largestHalf(std::size_t rule, double tolerance);

} // namespace facet::runtime
