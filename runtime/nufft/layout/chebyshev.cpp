// chebyshev.cpp - Chebyshev nodes, their Lagrange polynomials and how many are needed.
#include "runtime/nufft/layout/chebyshev.h"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace facet::runtime {

Chebyshev::Chebyshev(double low, double high, int count) {
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  for (int j = 0; j < count; ++j) {
    const double angle = std::numbers::pi * (2 * j + 1) / (2.0 * count);
    nodes.push_back(middle + half * (count == 1 ? 0 : std::cos(angle)));
    weights.push_back((j % 2 ? -1 : 1) * std::sin(angle));
  }
}

// The second (true) form of the barycentric formula, Berrut and Trefethen, SIAM Review 46 (2004).
void Chebyshev::lagrange(double q, double *values) const {
  double sum = 0;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    if (q == nodes[r]) {
      std::fill_n(values, nodes.size(), 0.0);
      values[r] = 1;
      return;
    }
    values[r] = weights[r] / (q - nodes[r]);
    sum += values[r];
  }
  for (std::size_t r = 0; r < nodes.size(); ++r)
    values[r] /= sum;
}

int chebyshevCount(double a, double factor, double tolerance, int most) {
  double bound = 2 * factor;
  for (int count = 1; count <= most; ++count) {
    bound *= 0.5 * a / count;
    if (bound <= tolerance)
      return count;
  }
  return 0;
}

double lebesgueBound(int count) { return 1 + 2 / std::numbers::pi * std::log(count); }

double dampedLebesgue(int count, double a) {
  const Chebyshev points(-1, 1, count);
  std::vector<double> values(points.nodes.size());
  double most = 1;
  constexpr int steps = 128;
  for (int i = 0; i <= steps; ++i) {
    const double x = -1 + 2.0 * i / steps;
    points.lagrange(x, values.data());
    double sum = 0;
    for (std::size_t r = 0; r < values.size(); ++r)
      sum += std::abs(values[r]) * std::exp(a * (points.nodes[r] - x));
    most = std::max(most, sum);
  }
  return most;
}

} // namespace facet::runtime
