// rank.h - how many products a sum of products needs, decided by evaluation at random points.
#pragma once
#include "products.h"
#include <functional>

namespace facet::passes {

/// Values of a kernel's term at random points: plausible records, q within 2 nm^-1.
class Samples {
public:
  explicit Samples(const ir::Kernel &kernel) : kernel(kernel) {}
  /// Of number * factors * e^{exponent}, one a point.
  std::vector<ir::Complex> of(const Product &product);
  std::vector<ir::Complex> of(const Sum &sum);

private:
  const ir::Kernel &kernel;
  std::vector<std::vector<ir::Complex>> values; // [id][point]
  const std::vector<ir::Complex> &value(ir::Id id);
};

/// left(..) * right(..)
struct Pairing {
  Sum left, right;
};

/// The sum as few pairings: factors for which `isLeft` holds go left, the others right. Functions
/// that are linear combinations of others, with coefficients that are small fractions, are written
/// as such. `numbersLeft`: a number common to a pairing's right side moves to its left.
std::vector<Pairing> leastRank(Samples &samples, const Sum &sum,
                               const std::function<bool(ir::Id)> &isLeft, bool numbersLeft);

/// Whether two functions are equal at all points, to rounding.
bool sameValues(const std::vector<ir::Complex> &a, const std::vector<ir::Complex> &b);

} // namespace facet::passes
