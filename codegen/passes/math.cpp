// math.cpp - sinpi, cospi, exp2, exp2m1 become range reduction and a polynomial, without a branch.
//
//   1. Periodic: k = round(a), r = a - k in [-1/2, 1/2]; sinpi(a) = (-1)^k sinpi(r), cospi the
//   same.
//      Both are polynomials in r^2 and share the reduction; the sign is negate_if_odd(.., k).
//   2. Powers: k = round(a), r = a - k; 2^r - 1 = r Q(r); 2^a = scale2(1 + r Q, k), and
//      2^a - 1 = (r Q) 2^k + (2^k - 1), which near 0 is r Q, with its relative accuracy.
//   3. A wide argument (careful class) is reduced in double, k being wide: r = narrow(a - k).
//      So too in the tables of a separable kernel: phases cost no accuracy, and polynomials in
//      double would take 3% of its time for 1e-7. What multiplies them is then narrowed first.
//   4. Polynomials by Horner's rule, coefficients of the class from support/math_coefficients.def.
//   div and sqrt stay: targets have them.
#include "passes.h"
#include "support/rewrite.h"
#include <map>
#include <optional>
#include <vector>

namespace facet::passes {

using namespace ir;

namespace {

enum class Polynomial : std::uint8_t { SinpiOverR, CospiMinus1OverR2, Exp2Minus1OverR };
enum class Precision : std::uint8_t { F32, F64 };

std::vector<double> coefficients(Polynomial polynomial, Class klass) {
  const Precision precision = klass == Class::F64 ? Precision::F64 : Precision::F32;
#define FACET_POLYNOMIAL(Name, Digits, error, doc, ...)                                            \
  if (polynomial == Polynomial::Name && precision == Precision::Digits)                            \
    return {__VA_ARGS__};
#include "support/math_coefficients.def"
  return {};
}

class Math {
public:
  Math(Builder &builder, Class klass) : b(builder), klass(klass) {}

  Id run(const Value &value) {
    const Id a = value.args[0];
    switch (value.op) {
    case Op::Sinpi: {
      const Reduced &x = periodic(a);
      return b.op(Op::NegateIfOdd, mul(x.r, horner(Polynomial::SinpiOverR, x.r2)), x.k);
    }
    case Op::Cospi: {
      const Reduced &x = periodic(a);
      const Id rest = mul(x.r2, horner(Polynomial::CospiMinus1OverR2, x.r2));
      return b.op(Op::NegateIfOdd, add(rest, b.number(1)), x.k);
    }
    case Op::Exp2: {
      const Reduced &x = power(a);
      return b.op(Op::Scale2, add(x.powerMinus1, b.number(1)), x.k);
    }
    case Op::Exp2m1: {
      const Reduced &x = power(a);
      const Id two = b.op(Op::Scale2, b.number(1), x.k);
      return add(mul(x.powerMinus1, two), b.op(Op::Sub, two, b.number(1)));
    }
    case Op::Narrow:
      return narrow(a);
    default:
      return b.copy(value);
    }
  }

private:
  struct Reduced {
    Id k = -1, r = -1, r2 = -1, powerMinus1 = -1;
  };
  Builder &b;
  Class klass;
  std::map<Id, Reduced> periodics, powers;

  /// Of what has become single precision above: itself; of its product with a wide value, a product
  /// in single precision.
  Id narrow(Id a) {
    if (!isWide(a))
      return a;
    const Value value = b[a];
    if (value.op == Op::Mul && isWide(value.args[0]) != isWide(value.args[1]))
      return mul(narrow(value.args[0]), narrow(value.args[1]));
    return b.op(Op::Narrow, a);
  }

  Id add(Id x, Id y) { return b.op(Op::Add, x, y); }
  Id mul(Id x, Id y) { return b.op(Op::Mul, x, y); }
  bool isWide(Id id) const { return b[id].type == Type::Wide; }

  Id horner(Polynomial polynomial, Id x) {
    const auto c = coefficients(polynomial, klass);
    Id sum = b.number(c.back());
    for (std::size_t k = c.size() - 1; k-- > 0;)
      sum = add(mul(sum, x), b.number(c[k]));
    return sum;
  }

  void reduce(Reduced &x, Id a) {
    x.k = b.op(Op::Round, a);
    x.r = b.op(Op::Sub, a, x.k);
    if (isWide(a)) // k stays wide: its parity, or the power of two, is read off there
      x.r = b.op(Op::Narrow, x.r);
  }

  const Reduced &periodic(Id a) {
    const auto [place, isNew] = periodics.try_emplace(a);
    Reduced &x = place->second;
    if (!isNew)
      return x;
    reduce(x, a);
    x.r2 = mul(x.r, x.r);
    return x;
  }

  const Reduced &power(Id a) {
    const auto [place, isNew] = powers.try_emplace(a);
    Reduced &x = place->second;
    if (!isNew)
      return x;
    reduce(x, a);
    x.powerMinus1 = mul(x.r, horner(Polynomial::Exp2Minus1OverR, x.r));
    return x;
  }
};

} // namespace

void math(Kernel &kernel, const Variant &variant) {
  std::optional<Math> state; // reductions already made
  rebuild(kernel, kernel.term, [&](Builder &b, const Value &value) {
    if (!state)
      state.emplace(b, variant.klass);
    return state->run(value);
  });
  prune(kernel.term);
}

} // namespace facet::passes
