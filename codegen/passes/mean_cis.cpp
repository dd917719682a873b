// mean_cis.cpp - the mean of e^{iu} over a triangle as IR, so that its sines are those of its
// corners.
//
// With p, q, r the phases of the corners, a = r - q, b = p - r, c = q - p (a + b + c = 0) the mean
// is -2 E[p, q, r], a divided difference of e^{iu} (Hermite-Genocchi):
//   1. If all edges are long, |a| > 1/2 and so on: 2 / (a b c) (a e^{ip} + b e^{iq} + c e^{ir}).
//   2. If a alone is short: 2 / (b c) (e^{ip} + (-1/2 + i (c - b) / 4 T) (e^{iq} + e^{ir})),
//      with T = tan(a/2) / (a/2), by its series, from
//      (e^{ir} - e^{iq}) / a = i T (e^{iq} + e^{ir}) / 2.
//      The same for b and c: one sum of the three waves, coefficients by select, one division.
//      If S = |a|^2 + |b|^2 + |c|^2 > 4, at most one edge is short.
//   3. S <= 4: e^{im} G, m the mean phase; G = 1 + 2 sum_k i^k h_k / (k + 2)! in the complete
//      homogeneous symmetric polynomials of p - m, q - m, r - m, with the generating function
//      1 / (1 + e2 t^2 - e3 t^3), e2 = -(a^2 + b^2 + c^2) / 6, e3 = -x y z / 27 with
//      x = c - b, y = a - c, z = b - a.
//   4. One of them by select; the other's divisor is never small.
//   In the careful class a, b, c are formed in double: they cancel if phases are large.
// Sources: W. Kahan and R. Fateman, symbolic computation of divided differences (1985). The
// reference, <facet/mean_cis.h>, goes another way, which takes two sines more.
#include "rewrite.h"
#include <vector>

namespace facet::passes {

using namespace ir;

namespace {

using Three = std::array<Id, 3>;

class MeanCis {
public:
  MeanCis(Builder &builder, Class klass) : b(builder), klass(klass) {}

  Id run(const Three &phases, bool minusOne) {
    const auto &[p, q, r] = phases;
    d = {careful(sub(r, q)), careful(sub(p, r)), careful(sub(q, p))};
    w = {sub(d[2], d[1]), sub(d[0], d[2]), sub(d[1], d[0])};
    for (std::size_t k = 0; k < 3; ++k) {
      square[k] = mul(d[k], d[k]);
      size[k] = norm2(k);
      isReal &= !isComplex(b[d[k]]);
    }
    total = add(add(size[0], size[1]), size[2]);
    const Id near = b.op(Op::LessEqual, total, b.number(4));

    const Id far = corners({wave(p), wave(q), wave(r)});
    const Id series = seriesMinus1(), one = b.number(1);
    const Id g = add(series, one);
    const Id m = mul(b.number(1.0 / 3), add(add(p, q), r));
    if (!minusOne)
      return select(near, mul(b.op(Op::Cis, m), g), far);
    // e^{im} G - 1 = (e^{im} - 1) G + (G - 1)
    return select(near, mulAdd(b, b.op(Op::Cism1, m), g, series), sub(far, one));
  }

private:
  Builder &b;
  Class klass;
  Three d{}, w{}, square{}, size{}; // a, b, c; x, y, z; squares and squared moduli of a, b, c
  Id total = -1;
  bool isReal = true;

  Id add(Id x, Id y) { return b.op(Op::Add, x, y); }
  Id sub(Id x, Id y) { return b.op(Op::Sub, x, y); }
  Id mul(Id x, Id y) { return b.op(Op::Mul, x, y); }
  Id select(Id c, Id x, Id y) { return b.op(Op::Select, c, x, y); }
  Id wave(Id phase) { return b.op(Op::Cis, phase); }

  /// A difference of phases; in the careful class formed in double (see widen), then rounded.
  Id careful(Id x) {
    if (klass != Class::F32Careful)
      return x;
    const auto part = [&](Op op) {
      return b.op(Op::Narrow, b.op(Op::Widen, isComplex(b[x]) ? b.op(op, x) : x));
    };
    const Id re = part(Op::Re);
    return isComplex(b[x]) ? b.op(Op::Complex, re, part(Op::Im)) : re;
  }

  Id norm2(std::size_t k) {
    if (!isComplex(b[d[k]]))
      return square[k];
    const Id re = b.op(Op::Re, d[k]), im = b.op(Op::Im, d[k]);
    return add(mul(re, re), mul(im, im));
  }

  Id polynomial(const std::vector<double> &c, Id x) { return horner(b, c, x); }

  /// tan(v/2) / (2 v) for v^2 = `x`, |v| <= 1/2: the rest is below 1e-8, 1e-17.
  Id tangent(Id x) {
    std::vector<double> c;
    // tan = sin / cos, coefficient by coefficient of (v/2)^2k.
    const std::size_t terms = klass == Class::F64 ? 11 : 5;
    std::vector<double> cosine;
    double factorial = 1, scale = 0.25;
    for (std::size_t k = 0; k < terms; ++k) {
      const double sign = k % 2 == 0 ? 1 : -1, n = static_cast<double>(2 * k);
      factorial *= k == 0 ? 1 : (n - 1) * n;
      cosine.push_back(sign / factorial);
      double next = sign / (factorial * (n + 1));
      for (std::size_t j = 0; j < k; ++j)
        next -= c[j] * cosine[k - j];
      c.push_back(next);
    }
    for (double &x : c) {
      x *= scale;
      scale /= 4;
    }
    return polynomial(c, x);
  }

  /// Steps 1 and 2.
  Id corners(const Three &waves) {
    const Id one = b.number(1), zero = b.number(0);
    Three far{}, divisor{};
    for (std::size_t k = 0; k < 3; ++k) {
      far[k] = b.op(Op::Less, b.number(0.25), size[k]);
      divisor[k] = select(far[k], d[k], one);
    }
    const auto ofShort = [&](const Three &x) {
      return select(far[0], select(far[1], select(far[2], zero, x[2]), x[1]), x[0]);
    };
    const Id v = ofShort(d);
    const Id turn = mul(ofShort(w), tangent(mul(v, v)));
    Id sum = -1;
    for (std::size_t k = 0; k < 3;
         ++k) { // the edge opposite the corner, and the two that meet there
      const Id both = b.op(Op::And, far[(k + 1) % 3], far[(k + 2) % 3]);
      const Id re = select(both, divisor[k], b.number(-0.5)), im = select(both, zero, turn);
      const Id factor = isReal ? b.op(Op::Complex, re, im) : add(re, mul(b.unit(), im));
      sum = sum < 0 ? mul(waves[k], factor) : mulAdd(b, waves[k], factor, sum);
    }
    const Id all = mul(mul(divisor[0], divisor[1]), divisor[2]);
    return mul(b.op(Op::Div, b.number(2), all), sum);
  }

  /// Step 3, G - 1: sums over a of T^a inside sums over b of W^b, T = a^2 + b^2 + c^2, W = x y z.
  Id seriesMinus1() {
    const int last = klass == Class::F64 ? 16 : 9;
    const Id t = isReal ? total : add(add(square[0], square[1]), square[2]);
    const Id u = mul(mul(w[0], w[1]), w[2]), u2 = mul(u, u);
    const auto inner = [&](int power) { // the terms of W^power, without it
      std::vector<double> c;
      double binomial = 1, scale = 1;
      for (int k = 0; k < power; ++k)
        scale /= -27;
      for (int a = 0; 2 * a + 3 * power <= last; ++a) {
        const int k = 2 * a + 3 * power;
        double factorial = 1;
        for (int n = 2; n <= k + 2; ++n)
          factorial *= n;
        c.push_back((k % 4 < 2 ? 2 : -2) / factorial * binomial * scale);
        binomial = binomial * (a + 1 + power) / (a + 1);
        scale /= 6;
      }
      if (power > 0)
        return polynomial(c, t);
      return mul(t, polynomial({c.begin() + 1, c.end()}, t)); // without the 1
    };
    const auto outer = [&](int first) {
      int power = first;
      while (3 * (power + 2) <= last)
        power += 2;
      Id sum = inner(power);
      while ((power -= 2) >= 0)
        sum = add(mul(sum, u2), inner(power));
      return sum;
    };
    const Id even = outer(0), odd = mul(u, outer(1));
    return isReal ? b.op(Op::Complex, even, odd) : add(even, mul(b.unit(), odd));
  }
};

} // namespace

Id expandMeanCis(Builder &builder, const std::array<Id, 3> &phases, bool minusOne, Class klass) {
  return MeanCis(builder, klass).run(phases, minusOne);
}

} // namespace facet::passes
