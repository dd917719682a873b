// pair.h - a complex value while split works on it: number * scale * (re + i im), of real ids.
#pragma once
#include "rewrite.h"

namespace facet::passes {

/// An absent re or im is zero, an absent scale one. The scale and the number are kept apart as long
/// as products go on, so that a real weight, an e^{-b} and a constant meet before they multiply re
/// and im: w e^{-b} (cos a + i sin a) is three multiplications.
struct Pair {
  ir::Id re = -1, im = -1, scale = -1;
  double number = 1;
  bool isReal() const { return im < 0; }
  bool isZero() const { return re < 0 && im < 0; }
};

/// Arithmetic of pairs, appending to a region.
class PairBuilder {
public:
  explicit PairBuilder(ir::Builder &builder) : b(builder) {}

  Pair add(Pair x, Pair y);
  Pair sub(Pair x, Pair y) { return add(x, negated(y)); }
  Pair mul(Pair x, Pair y);
  Pair div(Pair x, Pair y);
  static Pair negated(Pair x) {
    x.number = -x.number;
    return x;
  }
  Pair conj(Pair x);
  /// Principal branch.
  Pair sqrt(Pair x);
  Pair exp(Pair x);
  Pair sin(Pair x) { return sineOrCosine(x, true); }
  Pair cos(Pair x) { return sineOrCosine(x, false); }
  Pair cis(Pair x);
  Pair cism1(Pair x);
  ir::Id abs(Pair x);
  Pair select(ir::Id condition, Pair x, Pair y);

  /// The same with scale and number multiplied in.
  Pair whole(Pair x);
  /// The real or imaginary part as one id, 0 where absent.
  ir::Id re(Pair x) { return orZero(whole(x).re); }
  ir::Id im(Pair x) { return orZero(whole(x).im); }
  ir::Id orZero(ir::Id id) { return id < 0 ? b.number(0) : id; }

private:
  ir::Builder &b;
  using Op = ir::Op;
  ir::Id op(Op o, ir::Id x, ir::Id y = -1, ir::Id z = -1) { return b.op(o, x, y, z); }
  ir::Id times(double k, ir::Id x);
  ir::Id product(ir::Id x, ir::Id y);            // an absent one is 1
  ir::Id sum(ir::Id x, ir::Id y, bool subtract); // an absent one is 0
  ir::Id squaredModulus(const Pair &x);
  Pair timesReal(Pair complex, const Pair &real);
  Pair sineOrCosine(Pair x, bool sine);
};

} // namespace facet::passes
