// mean_cis.cpp - <facet/mean_cis.h> step by step as IR; see there for the formulas and why nothing
// small is divided by.
//
//   1. m is the mean phase; x, y, z are the phases less m. In the careful class all differences of
//      phases are formed in double: they cancel where phases are large. Sine and divisor of a sinc
//      must see the same difference: formed one in double, one not, they were 1e-5 apart.
//   2. The series G - 1 in the complete homogeneous symmetric polynomials of x, y, z.
//   3. The difference form, from the pair farthest apart.
//   4. One of them by select, the other's divisor kept from zero; then e^{im} is put back.
#include "mean_cis.h"
#include "rewrite.h"

namespace facet::passes {

using namespace ir;

namespace {

class MeanCis {
public:
  MeanCis(Builder &builder, Class klass) : b(builder), klass(klass) {}

  Id run(const std::array<Id, 3> &phases, bool minusOne) {
    const auto [p, q, r] = phases;
    const Id m = mul(b.number(1.0 / 3), add(add(p, q), r));
    const Id x = careful(sub(p, m)), y = careful(sub(q, m)), z = careful(sub(r, m));

    const Id xy = norm2(sub(y, x)), yz = norm2(sub(z, y)), zx = norm2(sub(x, z));
    const Id largest = b.op(Op::Max, xy, b.op(Op::Max, yz, zx));
    const Id near = b.op(Op::LessEqual, largest, b.number(1));
    // The corner between the farthest pair is named the middle one. By order, not by equality, so
    // that a contraction that rounds one side differently does no harm.
    const Id middleX = b.op(Op::LessEqual, b.op(Op::Max, xy, zx), yz);
    const Id middleZ = b.op(Op::And, b.op(Op::Not, middleX), b.op(Op::LessEqual, zx, xy));
    const Id first = select(middleX, y, x), last = select(middleZ, y, z);
    const Id middle = select(middleX, x, select(middleZ, z, y));

    const Id series = seriesMinus1(x, y, z);
    const Id far = farForm(first, middle, last, near);
    const Id one = b.number(1);
    const Id g = select(near, add(series, one), far);
    if (!minusOne)
      return mul(b.op(Op::Cis, m), g);
    // e^{im} G - 1 = (e^{im} - 1) G + (G - 1)
    return add(mul(b.op(Op::Cism1, m), g), select(near, series, sub(far, one)));
  }

private:
  Builder &b;
  Class klass;

  Id add(Id x, Id y) { return b.op(Op::Add, x, y); }
  Id sub(Id x, Id y) { return b.op(Op::Sub, x, y); }
  Id mul(Id x, Id y) { return b.op(Op::Mul, x, y); }
  Id scaled(double k, Id x) { return mul(b.number(k), x); }
  Id select(Id c, Id x, Id y) { return b.op(Op::Select, c, x, y); }

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

  Id norm2(Id x) {
    if (!isComplex(b[x]))
      return mul(x, x);
    const Id re = b.op(Op::Re, x), im = b.op(Op::Im, x);
    return add(mul(re, re), mul(im, im));
  }

  /// sin(u)/u, 1 at 0.
  Id sinc(Id u) {
    const Id zero = b.op(Op::Equal, norm2(u), b.number(0)), one = b.number(1);
    return select(zero, one, b.op(Op::Div, b.op(Op::Sin, u), select(zero, one, u)));
  }

  Id seriesMinus1(Id x, Id y, Id z) {
    const int last = klass == Class::F64 ? 15 : 9;
    const Id e2 = add(mul(x, y), mul(add(x, y), z)), e3 = mul(mul(x, y), z);
    // h_k = e3 h_{k-3} - e2 h_{k-2}, with h_0 = 1, h_1 = 0.
    std::array<Id, 3> h{b.number(1), -1, b.op(Op::Neg, e2)};
    Id even = scaled(-1.0 / 12, h[2]), odd = -1;
    double weight = 1.0 / 12; // 2 / (k + 2)!
    for (int k = 3; k <= last; ++k) {
      const Id next = k == 3   ? e3
                      : k == 4 ? b.op(Op::Neg, mul(e2, h[1])) // h_1 = 0
                               : sub(mul(e3, h[0]), mul(e2, h[1]));
      weight /= k + 2;
      const Id addend = scaled(k % 4 < 2 ? weight : -weight, next); // i^k
      Id &sum = k % 2 == 0 ? even : odd;
      sum = sum < 0 ? addend : add(sum, addend);
      h = {h[1], h[2], next};
    }
    return add(even, mul(b.unit(), odd));
  }

  /// -2 i (E[y, z] - E[x, y]) / (z - x), x and z the pair farthest apart.
  Id farForm(Id x, Id y, Id z, Id near) {
    const auto edge = [&](Id opposite, Id from, Id to) {
      return mul(b.op(Op::Cis, scaled(-0.5, opposite)), sinc(careful(scaled(0.5, sub(to, from)))));
    };
    const Id yz = edge(x, y, z), xy = edge(z, x, y);
    const Id divisor = select(near, b.number(1), sub(z, x));
    return b.op(Op::Div, mul(scaled(-2, b.unit()), sub(yz, xy)), divisor);
  }
};

} // namespace

Id expandMeanCis(Builder &builder, const std::array<Id, 3> &phases, bool minusOne, Class klass) {
  return MeanCis(builder, klass).run(phases, minusOne);
}

} // namespace facet::passes
