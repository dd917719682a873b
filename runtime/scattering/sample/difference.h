// difference.h - the derivative of a smooth function from four values around a place, if facet has
// no formula for it.
#pragma once
#include <array>

namespace facet::runtime {

/// f'(x) = sum of weight f(x + step h) / h, off by h^4 f^(5) / 30.
struct FourPoints {
  static constexpr std::array<double, 4> steps{-2, -1, 1, 2};
  static constexpr std::array<double, 4> weights{1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};
};

} // namespace facet::runtime
