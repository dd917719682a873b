// means.cpp - means over a triangle and their derivatives, as scalars.
//
// All are divided differences of e^{iu}. Textbook formulas divide by products of differences of
// phases and lose everything where two phases meet; here nothing small is ever divided by.
#include "means.h"
#include <cmath>

namespace facet::passes {

using namespace ir;

namespace {

/// tan(h) / h for |h| <= 1/4 in powers of h^2: the rest is below 1e-8 (f32 classes), 1e-17 (f64);
/// with one term more, that of the same without the first term, over h^2.
std::vector<double> tangentSeries(Class klass, std::size_t more = 0) {
  // tan = sin / cos, coefficient by coefficient.
  const std::size_t terms = (klass == Class::F64 ? 11 : 5) + more;
  std::vector<double> c, cosine;
  double factorial = 1;
  for (std::size_t k = 0; k < terms; ++k) {
    const double sign = k % 2 == 0 ? 1 : -1, n = static_cast<double>(2 * k);
    factorial *= k == 0 ? 1 : (n - 1) * n;
    cosine.push_back(sign / factorial);
    double next = sign / (factorial * (n + 1));
    for (std::size_t j = 0; j < k; ++j)
      next -= c[j] * cosine[k - j];
    c.push_back(next);
  }
  return c;
}

/// A difference of phases, which cancels if these are large: in the careful class formed in double
/// (see widen), then rounded.
Id carefulDifference(Formulas &b, Class klass, Id x, Id y) {
  const Id difference = b.sub(x, y);
  if (klass != Class::F32Careful)
    return difference;
  const bool complex = isComplex(b[difference]);
  const auto part = [&](Op op) {
    return b.op(Op::Narrow, b.op(Op::Widen, complex ? b.op(op, difference) : difference));
  };
  const Id re = part(Op::Re);
  return complex ? b.op(Op::Complex, re, part(Op::Im)) : re;
}

/// The phases p, q, r of a triangle's corners, and their differences.
class Edges {
public:
  Edges(Formulas &builder, Class klass, const Triple &phases)
      : b(builder), klass(klass), phase(phases) {
    const auto &[p, q, r] = phases;
    d = {carefulDifference(b, klass, r, q), carefulDifference(b, klass, p, r),
         carefulDifference(b, klass, q, p)};
    w = {b.sub(d[2], d[1]), b.sub(d[0], d[2]), b.sub(d[1], d[0])};
    for (std::size_t k = 0; k < 3; ++k) {
      square[k] = b.mul(d[k], d[k]);
      size[k] = isComplex(b[d[k]]) ? b.squaredModulus(d[k]) : square[k];
      isReal &= !isComplex(b[d[k]]);
    }
    total = b.add(b.add(size[0], size[1]), size[2]);
    near = b.op(Op::LessEqual, total, b.number(4));
  }

protected:
  Formulas &b;
  Class klass;
  Triple phase, d{}, w{}, square{},
      size{}; // a, b, c; x, y, z; squares and squared moduli of a, b, c
  Id total = -1, near = -1;
  bool isReal = true;

  Id wave(std::size_t corner) { return b.op(Op::Cis, phase[corner]); }
  /// The mean phase.
  Id middle() {
    const auto &[p, q, r] = phase;
    return b.mul(b.number(1.0 / 3), b.add(b.add(p, q), r));
  }
  /// The sum of squares of the differences.
  Id squares() { return isReal ? total : b.add(b.add(square[0], square[1]), square[2]); }
  /// even + i odd.
  Id joined(Id even, Id odd) {
    return isReal ? b.op(Op::Complex, even, odd) : b.add(even, b.mul(b.unit(), odd));
  }
};

/// The mean of e^{iu} over a triangle, so that its sines are those of its corners.
///
/// With p, q, r the phases of the corners, a = r - q, b = p - r, c = q - p (a + b + c = 0) the mean
/// is -2 E[p, q, r], a divided difference of e^{iu} (Hermite-Genocchi):
///   1. If all edges are long, |a| > 1/2 and so on: 2 / (a b c) (a e^{ip} + b e^{iq} + c e^{ir}).
///   2. If a alone is short: 2 / (b c) (e^{ip} + (-1/2 + i (c - b) / 4 T) (e^{iq} + e^{ir})),
///      with T = tan(a/2) / (a/2), by its series, from
///      (e^{ir} - e^{iq}) / a = i T (e^{iq} + e^{ir}) / 2.
///      The same for b and c: one sum of the three waves, coefficients by select, one division.
///      If S = |a|^2 + |b|^2 + |c|^2 > 4, at most one edge is short.
///   3. S <= 4: e^{im} G, m the mean phase; G = 1 + 2 sum_k i^k h_k / (k + 2)! in the complete
///      homogeneous symmetric polynomials of p - m, q - m, r - m, with the generating function
///      1 / (1 + e2 t^2 - e3 t^3), e2 = -(a^2 + b^2 + c^2) / 6, e3 = -x y z / 27 with
///      x = c - b, y = a - c, z = b - a.
///   4. One of them by select; the other's divisor is never small.
///   In the careful class a, b, c are formed in double: they cancel if phases are large.
/// Relative error of the series: below 1e-8 (f32 classes), 1e-17 (f64).
/// Sources: W. Kahan and R. Fateman, symbolic computation of divided differences (1985). The
/// reference, <facet/mean_cis.h>, goes another way, which takes two sines more.
class MeanCis : Edges {
public:
  using Edges::Edges;

  Id run(bool minusOne) {
    const Id far = corners({wave(0), wave(1), wave(2)});
    const Id series = seriesMinus1(), one = b.number(1);
    const Id g = b.add(series, one);
    const Id m = middle();
    if (!minusOne)
      return b.select(near, b.mul(b.op(Op::Cis, m), g), far);
    // e^{im} G - 1 = (e^{im} - 1) G + (G - 1)
    return b.select(near, b.mulAdd(b.op(Op::Cism1, m), g, series), b.sub(far, one));
  }

private:
  /// tan(v/2) / (2 v) for v^2 = `x`, |v| <= 1/2.
  Id tangent(Id x) {
    std::vector<double> c = tangentSeries(klass);
    for (std::size_t k = 0; k < c.size(); ++k)
      c[k] = std::ldexp(c[k], -2 - 2 * static_cast<int>(k));
    return b.horner(c, x);
  }

  /// Steps 1 and 2.
  Id corners(const Triple &waves) {
    const Id one = b.number(1), zero = b.number(0);
    Triple far{}, divisor{};
    for (std::size_t k = 0; k < 3; ++k) {
      far[k] = b.op(Op::Less, b.number(0.25), size[k]);
      divisor[k] = b.select(far[k], d[k], one);
    }
    const auto ofShort = [&](const Triple &x) {
      return b.select(far[0], b.select(far[1], b.select(far[2], zero, x[2]), x[1]), x[0]);
    };
    const Id v = ofShort(d);
    const Id turn = b.mul(ofShort(w), tangent(b.mul(v, v)));
    Id sum = -1;
    for (std::size_t k = 0; k < 3; ++k) { // the edge opposite the corner, the two that meet there
      const Id both = b.op(Op::And, far[(k + 1) % 3], far[(k + 2) % 3]);
      const Id re = b.select(both, divisor[k], b.number(-0.5)), im = b.select(both, zero, turn);
      const Id factor = isReal ? b.op(Op::Complex, re, im) : b.add(re, b.mul(b.unit(), im));
      sum = sum < 0 ? b.mul(waves[k], factor) : b.mulAdd(waves[k], factor, sum);
    }
    const Id all = b.mul(b.mul(divisor[0], divisor[1]), divisor[2]);
    return b.mul(b.div(b.number(2), all), sum);
  }

  /// Step 3, G - 1: sums over a of T^a inside sums over b of W^b, T = a^2 + b^2 + c^2, W = x y z.
  Id seriesMinus1() {
    const int last = klass == Class::F64 ? 16 : 9;
    const Id t = squares();
    const Id u = b.mul(b.mul(w[0], w[1]), w[2]), u2 = b.mul(u, u);
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
        return b.horner(c, t);
      return b.mul(t, b.horner({c.begin() + 1, c.end()}, t)); // without the 1
    };
    const auto outer = [&](int first) {
      int power = first;
      while (3 * (power + 2) <= last)
        power += 2;
      Id sum = inner(power);
      while ((power -= 2) >= 0)
        sum = b.add(b.mul(sum, u2), inner(power));
      return sum;
    };
    const Id even = outer(0);
    return joined(even, b.mul(u, outer(1)));
  }
};

/// The means of l e^{iu}, l the barycentric coordinate of each corner p, q, r: 2 i E[p, p, q, r]
/// and so on, divided differences of e^{iu} of which the mean's derivatives consist, from the waves
/// of the corners.
///   1. For each edge, from x to y, d = y - x: E1 = E[x, y], E[x, x, y] and E[x, y, y]. If it is
///      long, |d| > 1/2, by their definition: E1 = (e^{iy} - e^{ix}) / d, (E1 - i e^{ix}) / d,
///      (i e^{iy} - E1) / d. If it is short, with h = d / 2, W = (e^{ix} + e^{iy}) / 2,
///      T = tan(h) / h and P = (T - 1) / h^2, both by series: E1 = i T W, and -T W / 2 + i h P W /
///      2 and its opposite in h. They are the derivatives of E1 = i e^{i(x+y)/2} sinc(h).
///   2. E[p, q, r], and from it the three, each a difference over the longest edge, which is above
///      1 if S > 4.
///   3. S <= 4: e^{im} 2 sum_k i^k H_k / (k + 3)!, H_k = h_k + (p - m) H_{k-1} for p, the h_k those
///      of MeanCis.
///   4. One of them by select.
///
/// Error relative to 1, growth of complex phases apart: the series' below 1e-8 (f32 classes), 1e-17
/// (f64).
class MeanSlopes : Edges {
public:
  using Edges::Edges;

  Triple run() {
    half = b.number(0.5);
    for (std::size_t k = 0; k < 3; ++k)
      edge[k] = edgeOf(k);
    const Triple far = differences(), series = seriesOf();
    const Id wave = b.op(Op::Cis, middle());
    Triple out{};
    for (std::size_t k = 0; k < 3; ++k)
      out[k] = b.select(near, b.mul(wave, series[k]), far[k]);
    return out;
  }

private:
  struct Edge { // from x to y: E[x, y], E[x, x, y], E[x, y, y] and 1 / d where it is long
    Id once, first, last, reciprocal;
  };
  std::array<Edge, 3> edge{}; // opposite to each corner
  Id half = -1;

  /// Step 1.
  Edge edgeOf(std::size_t k) {
    const Id x = wave((k + 1) % 3), y = wave((k + 2) % 3), one = b.number(1), zero = b.number(0);
    const Id ix = b.mul(b.unit(), x), iy = b.mul(b.unit(), y);
    const Id isLong = b.op(Op::Less, b.number(0.25), size[k]);
    const Id reciprocal = b.div(one, b.select(isLong, d[k], one));
    const Id difference = b.mul(b.sub(y, x), reciprocal);

    const Id quarter = b.mul(b.number(0.25), b.select(isLong, zero, square[k])); // h^2
    std::vector<double> c = tangentSeries(klass, 1);
    c.erase(c.begin());
    const Id p = b.horner(c, quarter), t = b.add(one, b.mul(quarter, p));
    const Id mean = b.mul(half, b.add(x, y)), turned = b.mul(b.unit(), mean);
    const Id even = b.mul(b.mul(b.number(-0.5), t), mean);
    const Id odd = b.mul(b.mul(b.mul(b.number(0.25), b.select(isLong, zero, d[k])), p), turned);
    Edge out{};
    out.once = b.select(isLong, difference, b.mul(t, turned));
    out.first = b.select(isLong, b.mul(b.sub(difference, ix), reciprocal), b.add(even, odd));
    out.last = b.select(isLong, b.mul(b.sub(iy, difference), reciprocal), b.sub(even, odd));
    out.reciprocal = reciprocal;
    return out;
  }

  /// Step 2.
  Triple differences() {
    const Id over1 = b.op(Op::LessEqual, size[1], size[0]);
    const Id over2 = b.op(Op::LessEqual, size[2], size[0]);
    const Id first = b.op(Op::And, over1, over2), second = b.op(Op::LessEqual, size[2], size[1]);
    const auto ofLongest = [&](Id x, Id y, Id z) {
      return b.select(first, x, b.select(second, y, z));
    };
    const Id over = ofLongest(edge[0].reciprocal, edge[1].reciprocal, edge[2].reciprocal);
    Triple pairs{};
    for (std::size_t k = 0; k < 3; ++k)
      pairs[k] = b.sub(edge[(k + 1) % 3].once, edge[(k + 2) % 3].once);
    const Id all = b.mul(ofLongest(pairs[0], pairs[1], pairs[2]), over); // E[p, q, r]
    const Id scale = b.mul(b.mul(b.number(2), b.unit()), over);
    Triple out{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3, other = (k + 2) % 3;
      const Id before = edge[next].last, after = edge[other].first; // with the corner twice
      Triple by{};                                                  // over each edge
      by[k] = b.sub(before, after);
      by[next] = b.sub(after, all);
      by[other] = b.sub(all, before);
      out[k] = b.mul(scale, ofLongest(by[0], by[1], by[2]));
    }
    return out;
  }

  /// Step 3, without the wave.
  Triple seriesOf() {
    const int last = klass == Class::F64 ? 20 : 12;
    const Id third = b.number(-1.0 / 3);
    const Id e2 = b.mul(b.number(-1.0 / 6), squares());
    const Id e3 = b.mul(b.number(-1.0 / 27), b.mul(b.mul(w[0], w[1]), w[2]));
    std::vector<Id> h = {b.number(1), b.number(0), b.neg(e2)};
    for (std::size_t k = 3; k <= static_cast<std::size_t>(last); ++k)
      h.push_back(b.sub(b.mul(e3, h[k - 3]), b.mul(e2, h[k - 2])));
    Triple out{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Id x = b.mul(third, w[corner]);
      Id all = h[0], even = b.number(1.0 / 3), odd = -1;
      double weight = 1.0 / 3; // 2 / (k + 3)!
      for (int k = 1; k <= last; ++k) {
        all = b.add(h[static_cast<std::size_t>(k)], b.mul(x, all));
        weight /= k + 3;
        const Id part = b.mul(b.number(k % 4 < 2 ? weight : -weight), all); // i^k
        Id &sum = k % 2 == 0 ? even : odd;
        sum = b.sumOf(Op::Add, sum, part);
      }
      out[corner] = joined(even, odd);
    }
    return out;
  }
};

} // namespace

Id meanOf(Formulas &b, Class klass, const Triple &phases, bool minusOne) {
  return MeanCis(b, klass, phases).run(minusOne);
}

Triple meanSlopesOf(Formulas &b, Class klass, const Triple &phases) {
  return MeanSlopes(b, klass, phases).run();
}

/// With m = (x + y) / 2 and h = (y - x) / 2 the mean is e^{im} sinc(h), exact for real phases. For
/// complex ones sinc(h) may overflow where e^{im} underflows: beyond |h| = 1 it is (e^{iy} -
/// e^{ix}) / (2 i h). The mean of e^{iu} - 1 is (e^{im} - 1) sinc(h) + (sinc(h) - 1). The last is
/// by its series up to |h| = 1: a sum over k of (-h^2)^k / (2k+1)!, the rest below 1e-8 (f32
/// classes), 1e-17 (f64).
Id meanOfEdge(Formulas &b, Class klass, Id x, Id y, bool minusOne) {
  std::vector<double> c;
  double factor = 1;
  for (int k = 1; k <= (klass == Class::F64 ? 9 : 5); ++k)
    c.push_back(factor /= -2.0 * k * (2 * k + 1));
  const Id one = b.number(1), difference = carefulDifference(b, klass, y, x);
  const Id half = b.mul(b.number(0.5), difference);
  const Id near = b.op(Op::LessEqual, b.squaredModulus(half), one);
  const Id small = b.select(near, half, b.number(0)), square = b.mul(small, small);
  const Id series = b.mul(square, b.horner(c, square)); // sinc(h) - 1
  const Id middle = b.mul(b.number(0.5), b.add(x, y));
  const bool isReal = !isComplex(b[half]);
  const Id sinc = isReal ? b.op(Op::Sinc, half) : b.add(one, series);
  const Id rest = isReal ? b.select(near, series, b.sub(sinc, one)) : series;
  const Id closed =
      minusOne ? b.mulAdd(b.op(Op::Cism1, middle), sinc, rest) : b.mul(b.op(Op::Cis, middle), sinc);
  if (isReal)
    return closed;
  const Id first = b.op(Op::Cis, x), last = b.op(Op::Cis, y);
  const Id twice = b.mul(b.number(2), b.select(near, one, half));
  const Id far = b.div(b.sub(last, first), b.mul(b.unit(), twice));
  return b.select(near, closed, minusOne ? b.sub(far, one) : far);
}

/// |a| <= 1: a sum over k of (-1)^k 2k a^{2k-2} / (2k+1)!, the rest below 1e-8 (f32 classes), 1e-17
/// (f64); else (cos(a) - sinc(a)) / a.
Id sincSlopeOf(Formulas &b, Class klass, Id a) {
  std::vector<double> c;
  double factor = -1.0 / 3;
  for (int k = 1; k <= (klass == Class::F64 ? 10 : 6); ++k) {
    c.push_back(factor);
    factor /= -2.0 * k * (2 * k + 3);
  }
  const Id one = b.number(1), size = b.squaredModulus(a);
  const Id small = b.op(Op::LessEqual, size, one);
  const Id x = b.select(small, a, b.number(0)), far = b.select(small, one, a);
  const Id series = b.mul(x, b.horner(c, b.mul(x, x)));
  const Id cosine = b.op(Op::Cos, a), sinc = b.op(Op::Sinc, a);
  return b.select(small, series, b.div(b.sub(cosine, sinc), far));
}

} // namespace facet::passes
