// math.cpp - sinpi, cospi, exp2, exp2m1 become range reduction and a polynomial, without a branch.
//
//   1. Periodic: k = round(a), r = a - k in [-1/2, 1/2]; sinpi(a) = (-1)^k sinpi(r), cospi the
//      same. Both are polynomials in r^2 and share the reduction; the sign is negate_if_odd(.., k).
//   2. Powers: k = round(a), r = a - k; 2^r - 1 = r Q(r); 2^a = scale2(1 + r Q, k), and
//      2^a - 1 = (r Q) 2^k + (2^k - 1), which near 0 is r Q, with its relative accuracy.
//   3. A wide argument (careful class) is reduced in double, k being wide: r = narrow(a - k).
//      So too in the tables of a separable kernel: phases cost no accuracy, and polynomials in
//      double would take 3% of its time for 1e-7. What multiplies them is then narrowed first.
//   4. Polynomials by Horner's rule, coefficients of the class from math_coefficients.def.
//   5. With the knob `hardware`, f32: 2^a is the device's own; so are sine and cosine of a wave
//      (wavePairs), of a - 2 round(a/2) half turns in radians: no sign is left. Others keep the
//      polynomials, whose sine is exact near 0; the device's errs by 4e-7.
//   div and sqrt stay: targets have them.
#include "rewrite.h"
#include <numbers>
#include <set>

namespace facet::passes {

using namespace ir;

namespace {

constexpr Id alone = -1; // an output by itself
constexpr Id other = -2; // any use that is no product

/// What each value is multiplied by; a sign is looked through.
std::vector<std::set<Id>> partners(const Region &region) {
  std::vector<std::set<Id>> of(region.values.size());
  for (const Output &output : region.outputs)
    of[output.value].insert(alone);
  for (Id user = static_cast<Id>(of.size()); user-- > 0;) {
    const Value &value = region[user];
    const auto [x, y, unused] = value.args;
    if (value.op == Op::Mul) {
      of[x].insert(y);
      of[y].insert(x);
    } else if (value.op == Op::Neg) {
      of[x].insert(of[user].begin(), of[user].end());
    } else {
      for (const Id arg : value.operands())
        of[arg].insert(other);
    }
  }
  return of;
}

/// For each value: a sinpi or cospi whose other half of the same phase is there and is multiplied
/// by the same values, so that an error of either counts relative to |e^{ia}| = 1. This excludes
/// sin(a)/a, cos(a) - 1 or sin^2(a), as in cism1: they need the digits of a small sine. None if
/// the term divides by, or selects by, values of q and the record: differences of waves over small
/// numbers (means over triangles) magnify an error.
std::vector<bool> wavePairs(const Region &region) {
  std::vector<bool> found(region.values.size());
  for (const Value &value : region.values)
    if ((value.op == Op::Div || value.op == Op::Select) && isMixed(value))
      return found;
  const std::vector<std::set<Id>> of = partners(region);
  std::map<Id, Id> sines; // by phase
  for (Id id = 0; id < std::ssize(found); ++id)
    if (region[id].op == Op::Sinpi)
      sines.emplace(region[id].args[0], id);
  for (Id id = 0; id < std::ssize(found); ++id)
    if (region[id].op == Op::Cospi)
      if (const auto sine = sines.find(region[id].args[0]); sine != sines.end())
        found[id] = found[sine->second] = !of[id].contains(other) && of[id] == of[sine->second];
  return found;
}

enum class Polynomial : std::uint8_t { SinpiOverR, CospiMinus1OverR2, Exp2Minus1OverR };

std::vector<double> coefficients(Polynomial polynomial, Class klass) {
  const Class digits = klass == Class::F64 ? Class::F64 : Class::F32;
#define FACET_POLYNOMIAL(Name, Digits, error, doc, ...)                                            \
  if (polynomial == Polynomial::Name && digits == Class::Digits)                                   \
    return {__VA_ARGS__};
#include "math_coefficients.def"
  return {};
}

class Math {
public:
  Math(Formulas &builder, const Variant &variant)
      : b(builder), klass(variant.klass), hardware(variant.hardware && takesHardware(variant)) {}

  /// `ofWave`: a sine or cosine of a wave.
  Id run(const Value &value, bool ofWave) {
    const Id a = value.args[0];
    if (hardware && ofWave && !isWide(a))
      return b.op(value.op == Op::Sinpi ? Op::HardwareSin : Op::HardwareCos, angle(a));
    if (hardware && value.op == Op::Exp2 && !isWide(a))
      return b.op(Op::HardwareExp2, a);
    switch (value.op) {
    case Op::Sinpi: {
      const Reduced &x = periodic(a);
      return b.op(Op::NegateIfOdd, b.mul(x.r, horner(Polynomial::SinpiOverR, x.r2)), x.k);
    }
    case Op::Cospi: {
      const Reduced &x = periodic(a);
      const Id rest = b.mul(x.r2, horner(Polynomial::CospiMinus1OverR2, x.r2));
      return b.op(Op::NegateIfOdd, b.add(rest, b.number(1)), x.k);
    }
    case Op::Exp2: {
      const Reduced &x = power(a);
      return b.op(Op::Scale2, b.add(x.powerMinus1, b.number(1)), x.k);
    }
    case Op::Exp2m1: {
      const Reduced &x = power(a);
      const Id two = b.op(Op::Scale2, b.number(1), x.k);
      return b.add(b.mul(x.powerMinus1, two), b.sub(two, b.number(1)));
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
  Formulas &b;
  Class klass;
  bool hardware;
  std::map<Id, Reduced> periodics, powers;
  std::map<Id, Id> angles; // of half turns, in radians from -pi to pi

  /// A value in single precision. A wide factor of a product is rounded first, so that the product
  /// is taken in single precision.
  Id narrow(Id a) {
    if (!isWide(a))
      return a;
    const Value value = b[a];
    if (value.op == Op::Mul && isWide(value.args[0]) != isWide(value.args[1]))
      return b.mul(narrow(value.args[0]), narrow(value.args[1]));
    return b.op(Op::Narrow, a);
  }

  bool isWide(Id id) const { return b[id].type == Type::Wide; }

  Id horner(Polynomial polynomial, Id x) { return b.horner(coefficients(polynomial, klass), x); }

  Reduced reduced(Id a) {
    Reduced x{b.op(Op::Round, a)};
    x.r = b.sub(a, x.k);
    if (isWide(a)) // k stays wide: its parity, or the power of two, is read off there
      x.r = b.op(Op::Narrow, x.r);
    return x;
  }

  const Reduced &periodic(Id a) {
    return remembered(periodics, a, [&] {
      Reduced x = reduced(a);
      x.r2 = b.mul(x.r, x.r);
      return x;
    });
  }

  const Reduced &power(Id a) {
    return remembered(powers, a, [&] {
      Reduced x = reduced(a);
      x.powerMinus1 = b.mul(x.r, horner(Polynomial::Exp2Minus1OverR, x.r));
      return x;
    });
  }

  Id angle(Id a) {
    return remembered(angles, a, [&] {
      const Id turns = b.mul(a, b.number(0.5));
      const Id rest = b.sub(turns, b.op(Op::Round, turns));
      return b.mul(rest, b.number(2 * std::numbers::pi));
    });
  }
};

} // namespace

void math(Kernel &kernel, const Variant &variant) {
  const std::vector<bool> ofWaves = wavePairs(kernel.term);
  Rewriter to(kernel, kernel.term);
  Math math(to.b, variant);
  to.run([&](const Value &value, Id id) { return math.run(value, ofWaves[id]); });
}

} // namespace facet::passes
