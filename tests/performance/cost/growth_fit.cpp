// growth_fit.cpp - overhead, unit and slope of a growing time.
#include "growth.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace facet::bench {

Fit fit(const std::vector<double> &size, const std::vector<double> &seconds) {
  Fit best;
  double least = std::numeric_limits<double>::max();
  // For a slope s, overhead a and unit b are linear: a / t + b n^s / t = 1 at each point.
  for (double s = 0.5; s <= 1.5; s += 0.001) {
    double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
    for (std::size_t k = 0; k < size.size(); ++k) {
      const double a = 1 / seconds[k], b = std::pow(size[k], s) / seconds[k];
      aa += a * a, ab += a * b, bb += b * b, a1 += a, b1 += b;
    }
    double a = (a1 * bb - b1 * ab) / (aa * bb - ab * ab);
    double b = (b1 * aa - a1 * ab) / (aa * bb - ab * ab);
    if (a < 0)
      a = 0, b = b1 / bb;
    double sum = 0;
    for (std::size_t k = 0; k < size.size(); ++k)
      sum += std::pow((a + b * std::pow(size[k], s)) / seconds[k] - 1, 2);
    if (sum < least)
      least = sum, best = {a, b, s};
  }
  return best;
}

} // namespace facet::bench
