// pair.h - a complex value while split works on it: number * scale * (re + i im), of real ids.
#pragma once
#include "rewrite.h"
#include <bit>
#include <utility>

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
  using Id = ir::Id;
  explicit PairBuilder(ir::Builder &builder) : b(builder) {}

  /// The same with scale and number multiplied in.
  Pair whole(Pair x) {
    if (x.scale < 0)
      return {times(x.number, x.re), times(x.number, x.im)};
    const Id factor = times(x.number, x.scale);
    const auto part = [&](Id id) { return id < 0 ? id : op(Op::Mul, factor, id); };
    const Id re = part(x.re);
    return {re, part(x.im)};
  }

  Pair add(Pair x, Pair y) {
    // If y's number is negative, x - y takes one op less than adding the negative.
    const bool subtract = y.number < 0;
    if (subtract)
      y.number = -y.number;
    x = whole(x);
    y = whole(y);
    const Id re = sum(x.re, y.re, subtract);
    return {re, sum(x.im, y.im, subtract)};
  }

  Pair mul(Pair x, Pair y) {
    if (x.isReal() && y.isReal()) {
      if (x.isZero() || y.isZero())
        return {};
      Pair out = timesReal(y, x);
      // A real product stays one value.
      return {product(out.scale, out.re), -1, -1, out.number};
    }
    for (const auto &[a, c] : {std::pair{x, y}, std::pair{y, x}}) {
      if (a.isReal())
        return timesReal(c, a);
      if (a.re < 0) { // i times a real
        const Pair turned{c.im, c.re, c.scale, c.number};
        Pair out = timesReal(turned, {a.im, -1, a.scale, a.number});
        if (out.re >= 0)
          out.re = op(Op::Neg, out.re);
        return out;
      }
    }
    // (a + ib)(c + id): any scale goes to one factor, so that the sums end in two contracted
    // multiply-adds: re = a c - b d, im = a d + b c. To the one of fewer axes, if that is cheaper,
    // else to the first: hoist puts weights before what oscillates.
    const Id scale = product(x.scale, y.scale);
    const auto axes = [&](const Pair &p) {
      return std::popcount(unsigned(b[p.re].domain | b[p.im].domain));
    };
    if (axes(y) < axes(x))
      std::swap(x, y);
    const Id a = scale < 0 ? x.re : product(scale, x.re),
             c = scale < 0 ? x.im : product(scale, x.im);
    const Id ac = op(Op::Mul, a, y.re), bd = op(Op::Mul, c, y.im);
    const Id re = op(Op::Sub, ac, bd);
    const Id ad = op(Op::Mul, a, y.im), bc = op(Op::Mul, c, y.re);
    return {re, op(Op::Add, ad, bc), -1, x.number * y.number};
  }

  Pair conj(Pair x) {
    if (x.im >= 0)
      x.im = op(Op::Neg, x.im);
    return x;
  }

  /// x / y = x conj(y) / |y|^2.
  Pair div(Pair x, Pair y) {
    y = whole(y);
    if (y.isReal()) {
      x = whole(x);
      const Id divisor = orZero(y.re);
      if (x.isReal())
        return {op(Op::Div, orZero(x.re), divisor)};
      const Id reciprocal = op(Op::Div, b.number(1), divisor);
      return timesReal(x, {reciprocal});
    }
    const Id reciprocal = op(Op::Div, b.number(1), squaredModulus(y));
    return timesReal(mul(x, conj(y)), {reciprocal});
  }

  Id abs(Pair x) {
    x = whole(x);
    return x.isReal() ? op(Op::Abs, orZero(x.re)) : op(Op::Sqrt, squaredModulus(x));
  }

  /// Principal branch. The part that would cancel is found from the other one: their product is
  /// im / 2. One part of the root of a real is zero: which one, its sign says.
  Pair sqrt(Pair x) {
    x = whole(x);
    const Id re = orZero(x.re), zero = b.number(0);
    if (x.isReal()) {
      const Id root = op(Op::Sqrt, op(Op::Abs, re)), negative = op(Op::Less, re, zero);
      const Id real = op(Op::Select, negative, zero, root);
      return {real, op(Op::Select, negative, root, zero)};
    }
    const Id modulus = op(Op::Sqrt, squaredModulus(x));
    const Id half = op(Op::Mul, b.number(0.5), op(Op::Add, op(Op::Abs, re), modulus));
    const Id large = op(Op::Sqrt, half), none = op(Op::Equal, large, zero);
    const Id divisor = op(Op::Select, none, b.number(1), op(Op::Mul, b.number(2), large));
    const Id small = op(Op::Div, op(Op::Abs, x.im), divisor);
    const Id left = op(Op::Less, re, zero);
    const Id imaginary = op(Op::Select, left, large, small);
    const Id below = op(Op::Less, x.im, zero);
    const Id real = op(Op::Select, left, small, large);
    return {real, op(Op::Select, below, op(Op::Neg, imaginary), imaginary)};
  }

  Pair exp(Pair x) {
    x = whole(x);
    if (x.isReal())
      return {op(Op::Exp, orZero(x.re))};
    const Id modulus = x.re < 0 ? -1 : op(Op::Exp, x.re);
    const Id cosine = op(Op::Cos, x.im);
    return {cosine, op(Op::Sin, x.im), modulus};
  }

  /// e^{i(a + ib)} = e^{-b} (cos a + i sin a).
  Pair cis(Pair x) {
    x = whole(x);
    const Id modulus = x.im < 0 ? -1 : op(Op::Exp, op(Op::Neg, x.im));
    if (x.re < 0)
      return {modulus < 0 ? b.number(1) : modulus};
    const Id cosine = op(Op::Cos, x.re);
    return {cosine, op(Op::Sin, x.re), modulus};
  }

  /// With s = sin(a/2), c = cos(a/2): real a: cos a - 1 + i sin a = 2 s (-s + i c). Complex: with
  /// m = e^{-b} - 1 and u = 2 (m + 1) s: (m - u s) + i u c.
  Pair cism1(Pair x) {
    x = whole(x);
    const Id m = x.im < 0 ? -1 : op(Op::Expm1, op(Op::Neg, x.im));
    if (x.re < 0)
      return {m};
    const Id half = op(Op::Mul, b.number(0.5), x.re);
    const Id s = op(Op::Sin, half), c = op(Op::Cos, half);
    if (m < 0)
      return {op(Op::Neg, s), c, s, 2};
    const Id two = b.number(2);
    const Id u = op(Op::Mul, op(Op::Add, op(Op::Mul, two, m), two), s);
    const Id re = op(Op::Sub, m, op(Op::Mul, u, s));
    return {re, op(Op::Mul, u, c)};
  }

  Pair select(Id condition, Pair x, Pair y) {
    x = whole(x);
    y = whole(y);
    const auto part = [&](Id u, Id v) {
      return u < 0 && v < 0 ? -1 : op(Op::Select, condition, orZero(u), orZero(v));
    };
    const Id re = part(x.re, y.re);
    return {re, part(x.im, y.im)};
  }

  Pair sub(Pair x, Pair y) { return add(x, negated(y)); }
  static Pair negated(Pair x) {
    x.number = -x.number;
    return x;
  }
  Pair sin(Pair x) { return sineOrCosine(x, true); }
  Pair cos(Pair x) { return sineOrCosine(x, false); }
  /// The real or imaginary part as one id, 0 if absent.
  Id re(Pair x) { return orZero(whole(x).re); }
  Id im(Pair x) { return orZero(whole(x).im); }
  Id orZero(Id id) { return id < 0 ? b.number(0) : id; }

private:
  using Op = ir::Op;
  ir::Builder &b;

  Id op(Op o, Id x, Id y = -1, Id z = -1) { return b.op(o, x, y, z); }

  Id times(double k, Id x) {
    if (x < 0 || k == 1)
      return x;
    if (b[x].op == Op::Number)
      return b.number(k * b[x].number);
    return k == -1 ? op(Op::Neg, x) : op(Op::Mul, b.number(k), x);
  }

  Id product(Id x, Id y) { return x < 0 ? y : y < 0 ? x : op(Op::Mul, x, y); }

  Id sum(Id x, Id y, bool subtract) {
    if (y < 0)
      return x;
    if (x < 0)
      return subtract ? op(Op::Neg, y) : y;
    return op(subtract ? Op::Sub : Op::Add, x, y);
  }

  /// `real` has no im: its re joins the scale, so that two products are paid, not four.
  Pair timesReal(Pair complex, const Pair &real) {
    if (real.isZero() || complex.isZero())
      return {};
    complex.number *= real.number;
    const bool one = isNumber(b[real.re]) && b[real.re].number == 1; // of i = (0, 1)
    complex.scale = product(product(one ? -1 : real.re, real.scale), complex.scale);
    return complex;
  }

  Id squaredModulus(const Pair &x) {
    const Id re = x.re < 0 ? -1 : op(Op::Mul, x.re, x.re);
    return orZero(sum(re, x.im < 0 ? -1 : op(Op::Mul, x.im, x.im), false));
  }

  /// sin(a + ib) = sin a cosh b + i cos a sinh b, cos(a + ib) = cos a cosh b - i sin a sinh b, with
  /// m = e^b - 1, cosh b = 1 + m^2 / (2 (m + 1)), sinh b = (m + m / (m + 1)) / 2: exact near 0.
  Pair sineOrCosine(Pair x, bool sine) {
    x = whole(x);
    if (x.isReal())
      return {op(sine ? Op::Sin : Op::Cos, orZero(x.re))};
    const Id m = op(Op::Expm1, x.im), one = b.number(1), half = b.number(0.5);
    const Id ratio = op(Op::Div, m, op(Op::Add, m, one));
    const Id cosh = op(Op::Add, op(Op::Mul, half, op(Op::Mul, m, ratio)), one);
    const Id sinh = op(Op::Mul, half, op(Op::Add, m, ratio));
    const Id re = orZero(x.re), s = op(Op::Sin, re), c = op(Op::Cos, re);
    if (sine)
      return {op(Op::Mul, s, cosh), op(Op::Mul, c, sinh)};
    const Id real = op(Op::Mul, c, cosh);
    return {real, op(Op::Neg, op(Op::Mul, s, sinh))};
  }
};

} // namespace facet::passes
