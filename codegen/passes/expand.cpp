// expand.cpp - one source to the scalars of a variant.
//
// specialise: the kernel's grid becomes the variant's. If the kind changes, extents known for the
// old kind mean nothing and are dropped. Without complex q every axis becomes real; conj, re and im
// of what is now real are left to fold.
//
// expand: vectors to components, means over a triangle to scalars.
//   1. Values are taken in order; a vector is held as three scalar ids, a scalar as one.
//   2. q becomes q.x, q.y, q.z; a vector column its components; arithmetic goes component by
//      component.
//   3. dot(a, b) = (a.x b.x + a.y b.y) + a.z b.z, in this order: on a product grid the x and y
//      parts of dot(q, r) are then one value along z.
//   4. norm2 sums re^2 + im^2 (re alone if the component is real); norm is its root.
//   5. mean_cis and mean_cism1 become the steps of MeanCis.
#include "rewrite.h"
#include <cmath>

namespace facet::passes {

using namespace ir;

namespace {

using Triple = std::array<Id, 3>; // a scalar uses the first

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
class MeanCis {
public:
  MeanCis(Formulas &builder, Class klass) : b(builder), klass(klass) {}

  Id run(const Triple &phases, bool minusOne) {
    const auto &[p, q, r] = phases;
    d = {careful(b.sub(r, q)), careful(b.sub(p, r)), careful(b.sub(q, p))};
    w = {b.sub(d[2], d[1]), b.sub(d[0], d[2]), b.sub(d[1], d[0])};
    for (std::size_t k = 0; k < 3; ++k) {
      square[k] = b.mul(d[k], d[k]);
      size[k] = isComplex(b[d[k]]) ? b.squaredModulus(d[k]) : square[k];
      isReal &= !isComplex(b[d[k]]);
    }
    total = b.add(b.add(size[0], size[1]), size[2]);
    const Id near = b.op(Op::LessEqual, total, b.number(4));

    const Id far = corners({wave(p), wave(q), wave(r)});
    const Id series = seriesMinus1(), one = b.number(1);
    const Id g = b.add(series, one);
    const Id m = b.mul(b.number(1.0 / 3), b.add(b.add(p, q), r));
    if (!minusOne)
      return b.select(near, b.mul(b.op(Op::Cis, m), g), far);
    // e^{im} G - 1 = (e^{im} - 1) G + (G - 1)
    return b.select(near, b.mulAdd(b.op(Op::Cism1, m), g, series), b.sub(far, one));
  }

private:
  Formulas &b;
  Class klass;
  Triple d{}, w{}, square{}, size{}; // a, b, c; x, y, z; squares and squared moduli of a, b, c
  Id total = -1;
  bool isReal = true;

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

  /// tan(v/2) / (2 v) for v^2 = `x`, |v| <= 1/2: the rest is below 1e-8, 1e-17.
  Id tangent(Id x) {
    // tan = sin / cos, coefficient by coefficient of (v/2)^2k.
    const std::size_t terms = klass == Class::F64 ? 11 : 5;
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
    for (std::size_t k = 0; k < terms; ++k)
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
    const Id t = isReal ? total : b.add(b.add(square[0], square[1]), square[2]);
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
    const Id even = outer(0), odd = b.mul(u, outer(1));
    return isReal ? b.op(Op::Complex, even, odd) : b.add(even, b.mul(b.unit(), odd));
  }
};

class Expander {
public:
  Expander(const Kernel &kernel, const Region &region, Region &result, Class klass)
      : region(region), b(kernel, result), klass(klass) {}

  void run(Region &result) {
    for (const Value &value : region.values) {
      b.loc = value.loc;
      done.push_back(expand(value));
    }
    for (const Output &output : region.outputs)
      result.outputs.push_back({output.name, done[output.value][0]});
  }

private:
  const Region &region;
  Formulas b;
  Class klass;
  std::vector<Triple> done;

  static constexpr Triple scalar(Id id) { return {id, -1, -1}; }
  Id sum3(Id x, Id y, Id z) { return b.add(b.add(x, y), z); }
  const Triple &part(const Value &value, std::size_t k) const { return done[value.args[k]]; }

  /// The same op on each component; a scalar operand stands for all three.
  Triple eachComponent(const Value &value) {
    Triple out{};
    for (std::size_t k = 0; k < 3; ++k) {
      Triple args{-1, -1, -1};
      for (int a = 0; a < info(value.op).arity; ++a)
        args[a] = part(value, a)[isVector(region[value.args[a]]) ? k : 0];
      out[k] = b.op(value.op, args[0], args[1], args[2]);
    }
    return out;
  }

  Id norm2(const Value &value) {
    const Triple v = part(value, 0);
    const Id x = b.squaredModulus(v[0]);
    if (!isVector(region[value.args[0]]))
      return x;
    const Id y = b.squaredModulus(v[1]);
    return sum3(x, y, b.squaredModulus(v[2]));
  }

  Triple vectorLeaf(const Value &value) {
    if (value.op == Op::Axis)
      return {b.axis(0), b.axis(1), b.axis(2)};
    const Id column = b.copy(value);
    Triple out{};
    for (int k = 0; k < 3; ++k)
      out[k] = b.op(Op::Component, column, -1, -1, k);
    return out;
  }

  Triple expand(const Value &value) {
    switch (value.op) {
    case Op::Vec:
      return {part(value, 0)[0], part(value, 1)[0], part(value, 2)[0]};
    case Op::Component:
      return scalar(part(value, 0)[value.component]);
    case Op::Dot: {
      const Triple u = part(value, 0), v = part(value, 1);
      const Id x = b.mul(u[0], v[0]), y = b.mul(u[1], v[1]);
      return scalar(sum3(x, y, b.mul(u[2], v[2])));
    }
    case Op::Cross: {
      const Triple u = part(value, 0), v = part(value, 1);
      Triple out{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3, last = (k + 2) % 3;
        const Id first = b.mul(u[next], v[last]);
        out[k] = b.sub(first, b.mul(u[last], v[next]));
      }
      return out;
    }
    case Op::Norm2:
      return scalar(norm2(value));
    case Op::Norm:
      return scalar(b.op(Op::Sqrt, norm2(value)));
    case Op::MeanCis:
    case Op::MeanCism1:
      return scalar(MeanCis(b, klass).run({part(value, 0)[0], part(value, 1)[0], part(value, 2)[0]},
                                          value.op == Op::MeanCism1));
    default:
      if (isVector(value))
        return isLeaf(value.op) ? vectorLeaf(value) : eachComponent(value);
      Value copy = value;
      for (Id &arg : copy.operands())
        arg = done[arg][0];
      return scalar(b.copy(std::move(copy)));
    }
  }
};

} // namespace

void specialise(Kernel &kernel, const Variant &variant) {
  if (const Field *field = axisField(kernel); field != nullptr && variant.grid == GridKind::Points)
    throw Error{fmt::format("column '{}' has the axis {}, and a list of points has none: this "
                            "kernel is for product grids",
                            field->name, "xyz"[field->axis]),
                {}};
  if (kernel.grid != variant.grid)
    for (AxisType &axis : kernel.axes)
      axis.fixed = 0;
  kernel.grid = variant.grid;
  if (!variant.complexQ)
    for (AxisType &axis : kernel.axes)
      axis.type = Type::Real;
  annotate(kernel);
}

void expand(Kernel &kernel, const Variant &variant) {
  for (Region *region : sourceRegions(kernel)) {
    Region result;
    Expander(kernel, *region, result, variant.klass).run(result);
    prune(result);
    *region = std::move(result);
  }
}

} // namespace facet::passes
