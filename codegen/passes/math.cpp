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
//      (support/wave_pairs.h), of a - 2 round(a/2) half turns in radians: no sign is left. Others
//      keep the polynomials, whose sine is exact near 0; the device's errs by 4e-7.
//   div and sqrt stay: targets have them.
#include "passes.h"
#include "rewrite.h"
#include <map>
#include <numbers>
#include <set>
#include <vector>

namespace facet::passes {

using namespace ir;

namespace {

constexpr Id alone = -1; // an output by itself
constexpr Id other = -2; // any use that is no product

/// What each value is multiplied by; a sign is looked through.
class Partners {
public:
  explicit Partners(const Region &region) : region(region), uses(region.values.size()) {
    for (std::size_t id = 0; id < region.values.size(); ++id) {
      const Value &value = region.values[id];
      for (const Id arg : value.operands())
        uses[arg].insert(static_cast<Id>(id));
    }
  }

  std::set<Id> of(Id id) const {
    std::set<Id> all;
    for (const Output &output : region.outputs)
      if (output.value == id)
        all.insert(alone);
    for (const Id user : uses[id]) {
      const Value &value = region[user];
      if (value.op == Op::Mul)
        all.insert(value.args[value.args[0] == id ? 1 : 0]);
      else if (value.op == Op::Neg)
        all.merge(of(user));
      else
        all.insert(other);
    }
    return all;
  }

private:
  const Region &region;
  std::vector<std::set<Id>> uses;
};

/// For each value: a sinpi or cospi whose other half of the same phase is there and is multiplied
/// by the same values, so that an error of either counts relative to |e^{ia}| = 1. This excludes
/// sin(a)/a, cos(a) - 1 or sin^2(a), as in cism1: they need the digits of a small sine. None if
/// the term divides by, or selects by, values of q and the record: differences of waves over small
/// numbers (means over triangles) magnify an error.
std::vector<bool> wavePairs(const Region &region) {
  std::vector<bool> found(region.values.size());
  for (const Value &value : region.values)
    if ((value.op == Op::Div || value.op == Op::Select) && (value.domain & T) &&
        (value.domain & ~T))
      return found;
  const Partners partners(region);
  std::map<Id, Id> sines, cosines; // by phase
  for (std::size_t id = 0; id < region.values.size(); ++id) {
    const Value &value = region.values[id];
    if (value.op == Op::Sinpi || value.op == Op::Cospi)
      (value.op == Op::Sinpi ? sines : cosines).emplace(value.args[0], static_cast<Id>(id));
  }
  for (const auto &[phase, sine] : sines) {
    const auto cosine = cosines.find(phase);
    if (cosine == cosines.end())
      continue;
    const std::set<Id> of = partners.of(sine);
    const bool pair = !of.contains(other) && of == partners.of(cosine->second);
    found[sine] = pair;
    found[cosine->second] = pair;
  }
  return found;
}

enum class Polynomial : std::uint8_t { SinpiOverR, CospiMinus1OverR2, Exp2Minus1OverR };
enum class Precision : std::uint8_t { F32, F64 };

std::vector<double> coefficients(Polynomial polynomial, Class klass) {
  const Precision precision = klass == Class::F64 ? Precision::F64 : Precision::F32;
#define FACET_POLYNOMIAL(Name, Digits, error, doc, ...)                                            \
  if (polynomial == Polynomial::Name && precision == Precision::Digits)                            \
    return {__VA_ARGS__};
#include "math_coefficients.def"
  return {};
}

class Math {
public:
  Math(Builder &builder, const Variant &variant)
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
      return mul(narrow(value.args[0]), narrow(value.args[1]));
    return b.op(Op::Narrow, a);
  }

  Id add(Id x, Id y) { return b.op(Op::Add, x, y); }
  Id mul(Id x, Id y) { return b.op(Op::Mul, x, y); }
  bool isWide(Id id) const { return b[id].type == Type::Wide; }

  Id horner(Polynomial polynomial, Id x) {
    return passes::horner(b, coefficients(polynomial, klass), x);
  }

  Reduced reduced(Id a) {
    Reduced x{b.op(Op::Round, a)};
    x.r = b.op(Op::Sub, a, x.k);
    if (isWide(a)) // k stays wide: its parity, or the power of two, is read off there
      x.r = b.op(Op::Narrow, x.r);
    return x;
  }

  const Reduced &periodic(Id a) {
    return remembered(periodics, a, [&] {
      Reduced x = reduced(a);
      x.r2 = mul(x.r, x.r);
      return x;
    });
  }

  const Reduced &power(Id a) {
    return remembered(powers, a, [&] {
      Reduced x = reduced(a);
      x.powerMinus1 = mul(x.r, horner(Polynomial::Exp2Minus1OverR, x.r));
      return x;
    });
  }

  Id angle(Id a) {
    return remembered(angles, a, [&] {
      const Id turns = mul(a, b.number(0.5));
      const Id rest = b.op(Op::Sub, turns, b.op(Op::Round, turns));
      return mul(rest, b.number(2 * std::numbers::pi));
    });
  }
};

} // namespace

void math(Kernel &kernel, const Variant &variant) {
  rebuildBy(kernel, kernel.term, [&](Builder &b) {
    return [math = Math(b, variant), ofWaves = wavePairs(kernel.term)](
               const Value &value, Old old) mutable { return math.run(value, ofWaves[old.id]); };
  });
  prune(kernel.term);
}

} // namespace facet::passes
