// gauss.cpp - Gauss-Legendre nodes: Newton's steps to the zeros of a Legendre polynomial.
#include "runtime/experiment/average/gauss.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <numbers>
#include <string>

namespace facet::runtime {

GaussRule gaussRule(int m) {
  constexpr int most = 5000; // seconds
  if (m < 1 || m > most)
    throw Error("Gauss-Legendre",
                "has 1 to " + std::to_string(most) + " nodes, not " + std::to_string(m));
  const auto n = static_cast<std::size_t>(m);
  GaussRule rule{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 0; k < (n + 1) / 2; ++k) {
    // In long double, so that nodes and weights are right to the last bit of a double. The first
    // guess: F. G. Tricomi, Ann. Mat. Pura Appl. 31 (1950), leading term.
    long double x =
        std::cos(std::numbers::pi_v<long double> * (static_cast<long double>(k) + 0.75L) /
                 (static_cast<long double>(m) + 0.5L));
    long double slope = 0;
    for (int step = 0; step < 30; ++step) {
      long double before = 1, value = x; // P_0, P_1 and up by Bonnet's recursion
      for (int degree = 2; degree <= m; ++degree) {
        const long double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
        before = value;
        value = next;
      }
      slope = m * (before - x * value) / (1 - x * x);
      const long double change = value / slope;
      x -= change;
      if (std::abs(change) < 1e-18L)
        break;
    }
    if (2 * k + 1 == n)
      x = 0;
    const long double weight = 2 / ((1 - x * x) * slope * slope);
    rule.at[k] = static_cast<double>(-x);
    rule.at[n - 1 - k] = static_cast<double>(x);
    rule.weight[k] = rule.weight[n - 1 - k] = static_cast<double>(weight);
  }
  return rule;
}

} // namespace facet::runtime
