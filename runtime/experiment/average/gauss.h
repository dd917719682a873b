// gauss.h - Gauss-Legendre quadrature of any order.
#pragma once
#include <vector>

namespace facet::runtime {

/// Nodes in ]-1, 1[, ascending and symmetric about 0, and weights, which sum to 2. Polynomials of
/// degree 2m - 1 are integrated exactly.
struct GaussRule {
  std::vector<double> at, weight;
};
/// m nodes; m < 1 is an Error. The cost is that of m^2 multiply-adds.
GaussRule gaussRule(int m);

} // namespace facet::runtime
