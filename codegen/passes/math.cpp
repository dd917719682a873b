// math.cpp - sinpi, cospi, exp2, exp2m1 and the other functions become range reduction and a
// polynomial, without a branch.
//
//   1. Periodic: k = round(a), r = a - k in [-1/2, 1/2]; sinpi(a) = (-1)^k sinpi(r), cospi the
//      same. Both are polynomials in r^2 and share the reduction; the sign is negate_if_odd(.., k).
//   2. Powers: k = round(a), r = a - k; 2^r - 1 = r Q(r); 2^a = scale2(1 + r Q, k), and
//      2^a - 1 = (r Q) 2^k + (2^k - 1), which near 0 is r Q, with its relative accuracy. Where a is
//      made of a quotient or a logarithm it may be -infinity, and r is no number: 2^a is 0 there.
//   3. A wide argument (careful class) is reduced in double, k being wide: r = narrow(a - k).
//      So too in the tables of a separable kernel: phases cost no accuracy, and polynomials in
//      double would take 3% of its time for 1e-7. What multiplies them is then narrowed first.
//   4. Polynomials by Horner's rule, coefficients of the class from math_coefficients.def.
//   5. sincpi(a) = (-1)^k (sinpi(r) / r) (r / a) / pi, r / a = 1 where k = 0; where a is beyond
//      what round takes, 0.
//   6. log: a = m 2^e by exponent2 and mantissa2, numbers below the normal ones being scaled first.
//      With s = (m - 1) / (m + 1): log(a) = e log(2) + 2 s + s^3 P(s^2). Near 1, e = 0 and m - 1 is
//      exact. a^c = 2^(c e + c log2(m)), with c in two parts. The first is so short that its
//      product with e is exact, and only what is left of the integer k is rounded. `edge` says what
//      0, infinity and negative numbers give.
//   7. erfc(a), a >= 0: (1 + 2 a) e^{a^2} erfc(a) is one polynomial in (a - 4) / (a + 4)
//      (M. Shepherd and J. Laframboise, Math. Comp. 36 (1981) 249). e^{-a^2}: 16 a = k + d, so that
//      k^2 times the first part of a constant in two is exact. Below the smallest normal number it
//      is 0. erf(a) = a P(a^2) for |a| < 1, else 1 - erfc(|a|) with the sign of a.
//   8. atan2(y, x): t the smaller of |y|, |x| over the larger, atan(t) = t P(t^2); quadrants by
//      signs.
//   9. or_nan keeps what is not a number, which comparisons may lose. All of 6 to 8 are computed in
//      double where their argument is wide.
//   10. With the knob `hardware`, f32: 2^a is the device's own; so are sine and cosine of a wave
//      (wavePairs), of a - 2 round(a/2) half turns in radians: no sign is left. Others keep the
//      polynomials, whose sine is exact near 0; the device's errs by 4e-7. So does what depends on
//      parameters alone: Halide computes that on the host, once.
//
// div and sqrt stay: targets have them.
#include "rewrite.h"
#include <algorithm>
#include <cmath>
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
/// by the same values. An error of either half then counts relative to |e^{ia}| = 1. This excludes
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

/// For each value of a region: whether it may be infinite though what it is made of is not, since
/// it comes from a quotient or a logarithm. `packed`: the same of what is packed, by name.
std::vector<bool> poles(const Region &region, const std::set<std::string> &packed) {
  std::vector<bool> found(region.values.size());
  for (Id id = 0; id < std::ssize(found); ++id) {
    const Value &value = region[id];
    found[id] = (value.op == Op::Div && !isNumber(region[value.args[1]])) || value.op == Op::Log ||
                value.op == Op::Pow || (value.op == Op::Packed && packed.contains(value.name)) ||
                std::ranges::any_of(value.operands(), [&](Id arg) { return found[arg]; });
  }
  return found;
}

/// The names of packed values with poles.
std::set<std::string> polesOfPack(const Region &pack) {
  const std::vector<bool> found = poles(pack, {});
  std::set<std::string> names;
  for (const Output &output : pack.outputs)
    if (found[output.value])
      names.insert(output.name);
  return names;
}

enum class Polynomial : std::uint8_t {
  SinpiOverR,
  CospiMinus1OverR2,
  Exp2Minus1OverR,
  LogRestOverS3,
  ErfOverX,
  ErfcScaled,
  AtanOverT
};

std::vector<double> coefficients(Polynomial polynomial, bool isDouble) {
  const Class digits = isDouble ? Class::F64 : Class::F32;
#define FACET_POLYNOMIAL(Name, Digits, error, doc, ...)                                            \
  if (polynomial == Polynomial::Name && digits == Class::Digits)                                   \
    return {__VA_ARGS__};
#include "math_coefficients.def"
  return {};
}

/// The first `bits` bits of a number.
double leading(double x, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, bits)), exponent - bits);
}

class Math {
public:
  Math(Formulas &builder, const Variant &variant)
      : b(builder), klass(variant.klass), hardware(variant.hardware && takesHardware(variant)) {}

  /// `ofWave`: a sine or cosine of a wave. `pole`: its argument may be infinite.
  Id run(const Value &value, bool ofWave, bool pole) {
    const Id a = value.args[0];
    const bool onDevice = hardware && value.domain != None;
    if (onDevice && ofWave && !isWide(a))
      return b.op(value.op == Op::Sinpi ? Op::HardwareSin : Op::HardwareCos, angle(a));
    if (onDevice && value.op == Op::Exp2 && !isWide(a))
      return b.op(Op::HardwareExp2, a);
    switch (value.op) {
    case Op::Sinpi: {
      const ReducedArgument &x = periodic(a);
      return b.op(Op::NegateIfOdd, b.mul(x.r, horner(Polynomial::SinpiOverR, x.r2)), x.k);
    }
    case Op::Cospi: {
      const ReducedArgument &x = periodic(a);
      const Id rest = b.mul(x.r2, horner(Polynomial::CospiMinus1OverR2, x.r2));
      return b.op(Op::NegateIfOdd, b.add(rest, b.number(1)), x.k);
    }
    case Op::Exp2: {
      const ReducedArgument &x = power(a);
      const Id made = b.op(Op::Scale2, b.add(x.powerMinus1, b.number(1)), x.k);
      return pole ? aboveInfinity(made, a, 0) : made;
    }
    case Op::Exp2m1: {
      const ReducedArgument &x = power(a);
      const Id two = b.op(Op::Scale2, b.number(1), x.k);
      // By itself: compilers differ in which argument is made first.
      const Id less = b.sub(two, b.number(1));
      const Id made = b.add(b.mul(x.powerMinus1, two), less);
      return pole ? aboveInfinity(made, a, -1) : made;
    }
    case Op::Narrow:
      return narrow(a);
    default:
      return function(value);
    }
  }

private:
  struct ReducedArgument {
    Id k = -1, r = -1, r2 = -1, powerMinus1 = -1;
  };
  struct Logarithm {
    Id exponent = -1, ofMantissa = -1, log = -1; // log = exponent log(2) + ofMantissa
  };
  Formulas &b;
  Class klass;
  bool hardware;
  std::map<Id, ReducedArgument> periodics, powers;
  std::map<Id, Logarithm> logarithms;
  std::map<Id, Id> erfcs;  // of |a|
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

  /// Whether a value is computed in double.
  bool isDouble(Id id) const { return klass == Class::F64 || isWide(id); }

  Id horner(Polynomial polynomial, Id x) {
    return b.horner(coefficients(polynomial, isDouble(x)), x);
  }

  ReducedArgument reduced(Id a) {
    ReducedArgument x{b.op(Op::Round, a)};
    x.r = b.sub(a, x.k);
    if (isWide(a)) // k stays wide: its parity, or the power of two, is read off there
      x.r = b.op(Op::Narrow, x.r);
    return x;
  }

  const ReducedArgument &periodic(Id a) {
    return remembered(periodics, a, [&] {
      ReducedArgument x = reduced(a);
      x.r2 = b.mul(x.r, x.r);
      return x;
    });
  }

  const ReducedArgument &power(Id a) {
    return remembered(powers, a, [&] {
      ReducedArgument x = reduced(a);
      x.powerMinus1 = b.mul(x.r, horner(Polynomial::Exp2Minus1OverR, x.r));
      return x;
    });
  }

  /// A function of 2^a where that is a normal number, `below` where it is less; no number where a
  /// is none.
  Id aboveInfinity(Id made, Id a, double below) {
    const Id least = b.number(klass == Class::F64 ? -1022 : -126);
    const Id whole = isWide(a) && klass != Class::F64 ? b.op(Op::Narrow, a) : a;
    return b.op(Op::OrNan, b.select(b.op(Op::Less, a, least), b.number(below), made), whole);
  }

  Id function(const Value &value) {
    const Id a = value.args[0];
    switch (value.op) {
    case Op::Sincpi:
      return sincpi(a);
    case Op::Log:
      return b.op(Op::Edge, logarithm(a).log, a, b.number(-1));
    case Op::Pow:
      return pow(a, b[value.args[1]].number);
    case Op::Erf:
      return erf(a);
    case Op::Erfc:
      return erfc(a);
    case Op::Atan2:
      return atan2(a, value.args[1]);
    default:
      return b.copy(value);
    }
  }

  Id sincpi(Id a) {
    const ReducedArgument &x = periodic(a);
    const Id one = b.number(1), near = b.op(Op::Equal, x.k, b.number(0));
    const Id whole = isWide(a) ? b.op(Op::Narrow, a) : a;
    const Id ratio = b.select(near, one, b.div(x.r, b.select(near, one, whole)));
    const Id sine = b.mul(b.number(std::numbers::inv_pi), horner(Polynomial::SinpiOverR, x.r2));
    const Id value = b.op(Op::NegateIfOdd, b.mul(sine, ratio), x.k);
    const Id beyond = b.op(Op::Less, b.number(isDouble(a) ? 0x1p51 : 0x1p22), b.op(Op::Abs, a));
    return b.op(Op::OrNan, b.select(beyond, b.number(0), value), whole);
  }

  const Logarithm &logarithm(Id a) {
    return remembered(logarithms, a, [&] {
      const bool wide = isDouble(a);
      const Id one = b.number(1), bits = b.number(wide ? 54 : 24);
      const Id tiny = b.op(Op::Less, a, b.number(wide ? 0x1p-1022 : 0x1p-126));
      const Id normal = b.select(tiny, b.mul(b.number(wide ? 0x1p54 : 0x1p24), a), a);
      Logarithm x;
      x.exponent = b.sub(b.op(Op::Exponent2, normal), b.select(tiny, bits, b.number(0)));
      const Id m = b.op(Op::Mantissa2, normal);
      const Id s = b.div(b.sub(m, one), b.add(m, one)), s2 = b.mul(s, s);
      const Id rest = b.mul(b.mul(s, s2), horner(Polynomial::LogRestOverS3, s2));
      x.ofMantissa = b.add(rest, b.mul(b.number(2), s));
      x.log = b.add(b.mul(b.number(std::numbers::ln2), x.exponent), x.ofMantissa);
      return x;
    });
  }

  /// 2^(first + rest) less the power's own rounding: `first` is exact.
  Id exp2OfSum(Id first, Id rest) {
    const Id k = b.op(Op::Round, b.add(first, rest));
    const Id r = b.add(b.sub(first, k), rest);
    const Id powerMinus1 = b.mul(r, horner(Polynomial::Exp2Minus1OverR, r));
    return b.op(Op::Scale2, b.add(powerMinus1, b.number(1)), k);
  }

  /// `c` no whole or half number: fold has made products of those. |e| has 11 bits (8).
  Id pow(Id a, double c) {
    const Logarithm &x = logarithm(a);
    const double first = leading(c, isDouble(a) ? 42 : 16);
    const Id rest = b.add(b.mul(b.number(c - first), x.exponent),
                          b.mul(b.number(c * std::numbers::log2e), x.ofMantissa));
    const Id power = exp2OfSum(b.mul(b.number(first), x.exponent), rest);
    return b.op(Op::Edge, power, a, b.number(c < 0 ? 1 : 0));
  }

  Id erfcOfSize(Id signedA) {
    return remembered(erfcs, signedA, [&] {
      const bool wide = isDouble(signedA);
      const Id a = b.op(Op::Abs, signedA), four = b.number(4), one = b.number(1);
      // a^2 = (k^2 + (16 a - k) (16 a + k)) / 256; k^2 has 18 bits (16).
      constexpr long double exact = -std::numbers::log2e_v<long double> / 256;
      const auto c = static_cast<double>(exact);
      const double c1 = leading(c, wide ? 35 : 8), c2 = static_cast<double>(exact - c1);
      const Id sixteen = b.mul(b.number(16), a), k = b.op(Op::Round, sixteen);
      const Id rest = b.mul(b.sub(sixteen, k), b.add(sixteen, k)), k2 = b.mul(k, k);
      const Id power = exp2OfSum(b.mul(b.number(c1), k2),
                                 b.add(b.mul(b.number(c2), k2), b.mul(b.number(c), rest)));
      const Id scaled = horner(Polynomial::ErfcScaled, b.div(b.sub(a, four), b.add(a, four)));
      const Id value = b.mul(power, b.div(scaled, b.add(b.mul(b.number(2), a), one)));
      const Id below = b.op(Op::Less, b.number(wide ? 26.54 : 9.19), a);
      return b.select(below, b.number(0), value);
    });
  }

  Id erfc(Id a) {
    const Id positive = erfcOfSize(a), left = b.op(Op::Less, a, b.number(0));
    return b.op(Op::OrNan, b.select(left, b.sub(b.number(2), positive), positive), a);
  }

  Id erf(Id a) {
    const Id one = b.number(1), near = b.op(Op::Less, b.op(Op::Abs, a), one);
    const Id small = b.mul(a, horner(Polynomial::ErfOverX, b.mul(a, a)));
    const Id large = b.op(Op::NegateIfNegative, b.sub(one, erfcOfSize(a)), a);
    return b.op(Op::OrNan, b.select(near, small, large), a);
  }

  Id atan2(Id y, Id x) {
    const Id sizeY = b.op(Op::Abs, y), sizeX = b.op(Op::Abs, x);
    const Id steep = b.op(Op::Less, sizeX, sizeY);
    const Id large = b.select(steep, sizeY, sizeX), small = b.select(steep, sizeX, sizeY);
    const Id none = b.op(Op::Equal, large, b.number(0)); // 0 / 0
    const Id t = b.div(small, b.select(none, b.number(1), large));
    const Id angle = b.mul(t, horner(Polynomial::AtanOverT, b.mul(t, t)));
    const Id turned = b.op(Op::NegateIfNegative, angle, x), zero = b.number(0);
    const Id sign = b.op(Op::NegateIfNegative, b.number(1), x); // of -0 too
    const Id begin = b.select(b.op(Op::Less, sign, zero), b.number(std::numbers::pi), zero);
    const Id quarter = b.number(std::numbers::pi / 2);
    const Id upper = b.select(steep, b.sub(quarter, turned), b.add(begin, turned));
    return b.op(Op::OrNan, b.op(Op::OrNan, b.op(Op::NegateIfNegative, upper, y), x), y);
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
  const std::vector<bool> infinite = poles(kernel.term, polesOfPack(kernel.pack));
  Rewriter to(kernel, kernel.term);
  Math math(to.b, variant);
  to.run([&](const Value &value, Id id) {
    return math.run(value, ofWaves[id], !value.operands().empty() && infinite[to.old[id].args[0]]);
  });
}

} // namespace facet::passes
