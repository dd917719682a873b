// split.cpp - complex values to pairs of reals: `yield re = .., im = ..`.
//
//   1. Values are taken in order, complex ones held as number * scale * (re + i im) (Pair); q.z
//      becomes q.z.re and q.z.im, the sum sum.re and sum.im, i the pair (0, 1).
//   2. Each op by the formula at its function in Pairs; e^{-b} and real weights are multiplied
//      together before they meet the two parts.
//   3. The parts of a component of the term end as w_r c - w_i s and w_r s + w_i c, so that
//      lowering adds them to the sums in two contracted multiply-adds each. A constant factor of
//      both goes to finish.
//   4. Strengths and totals become pairs too: b0re and b0im, or b0 alone if it is real.
//   5. A real component, or a real strength without points, has no im, and finish sees no sum.im;
//      another part that is known to be zero is the number 0.
#include "rewrite.h"
#include <algorithm>
#include <bit>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

/// A complex value while it is worked on: number * scale * (re + i im).
/// An absent re or im is zero, an absent scale one. The scale and the number are kept apart as long
/// as products go on. So a real weight, an e^{-b} and a constant meet before they multiply re and
/// im: w e^{-b} (cos a + i sin a) is three multiplications.
struct Pair {
  Id re = -1, im = -1, scale = -1;
  double number = 1;
  bool isReal() const { return im < 0; }
  bool isZero() const { return re < 0 && im < 0; }
};

/// Arithmetic of pairs, appending to a region.
class Pairs {
public:
  explicit Pairs(Formulas &builder) : b(builder) {}

  /// The same with scale and number multiplied in.
  Pair whole(Pair x) {
    if (x.scale < 0)
      return {times(x.number, x.re), times(x.number, x.im)};
    const Id factor = times(x.number, x.scale);
    const auto part = [&](Id id) { return id < 0 ? id : b.mul(factor, id); };
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
    const Op sign = subtract ? Op::Sub : Op::Add;
    const Id re = b.sumOf(sign, x.re, y.re);
    return {re, b.sumOf(sign, x.im, y.im)};
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
          out.re = b.neg(out.re);
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
    const Id a = product(scale, x.re), c = product(scale, x.im);
    const Id ac = b.mul(a, y.re), bd = b.mul(c, y.im);
    const Id re = b.sub(ac, bd);
    const Id ad = b.mul(a, y.im), bc = b.mul(c, y.re);
    return {re, b.add(ad, bc), -1, x.number * y.number};
  }

  Pair conj(Pair x) {
    if (x.im >= 0)
      x.im = b.neg(x.im);
    return x;
  }

  /// x / y = x conj(y) / |y|^2.
  Pair div(Pair x, Pair y) {
    y = whole(y);
    if (!y.isReal()) {
      const Id reciprocal = b.div(b.number(1), squaredModulus(y));
      return timesReal(mul(x, conj(y)), {reciprocal});
    }
    x = whole(x);
    const Id divisor = orZero(y.re);
    if (x.isReal())
      return {b.div(orZero(x.re), divisor)};
    return timesReal(x, {b.div(b.number(1), divisor)});
  }

  Pair abs(Pair x) {
    x = whole(x);
    return {x.isReal() ? op(Op::Abs, orZero(x.re)) : op(Op::Sqrt, squaredModulus(x))};
  }

  /// Principal branch. The part that would cancel is found from the other one: their product is
  /// im / 2. One part of the root of a real is zero: which one, its sign says.
  Pair sqrt(Pair x) {
    x = whole(x);
    const Id re = orZero(x.re), zero = b.number(0);
    if (x.isReal()) {
      const Id root = op(Op::Sqrt, op(Op::Abs, re)), negative = op(Op::Less, re, zero);
      const Id real = b.select(negative, zero, root);
      return {real, b.select(negative, root, zero)};
    }
    const Id modulus = op(Op::Sqrt, squaredModulus(x));
    const Id half = b.mul(b.number(0.5), b.add(op(Op::Abs, re), modulus));
    const Id large = op(Op::Sqrt, half), none = op(Op::Equal, large, zero);
    const Id divisor = b.select(none, b.number(1), b.mul(b.number(2), large));
    const Id small = b.div(op(Op::Abs, x.im), divisor);
    const Id left = op(Op::Less, re, zero);
    const Id imaginary = b.select(left, large, small);
    const Id below = op(Op::Less, x.im, zero);
    const Id real = b.select(left, small, large);
    return {real, b.select(below, b.neg(imaginary), imaginary)};
  }

  Pair exp(Pair x) {
    x = whole(x);
    return polar(x.isReal() ? orZero(x.re) : x.re, x.im);
  }

  /// e^{i(a + ib)} = e^{-b} (cos a + i sin a).
  Pair cis(Pair x) {
    x = whole(x);
    return polar(x.im < 0 ? -1 : b.neg(x.im), x.re);
  }

  /// With s = sin(a/2), c = cos(a/2): real a: cos a - 1 + i sin a = 2 s (-s + i c). Complex: with
  /// m = e^{-b} - 1 and u = 2 (m + 1) s: (m - u s) + i u c.
  Pair cism1(Pair x) {
    x = whole(x);
    const Id m = x.im < 0 ? -1 : op(Op::Expm1, b.neg(x.im));
    if (x.re < 0)
      return {m};
    const Id half = b.mul(b.number(0.5), x.re);
    const Id s = op(Op::Sin, half), c = op(Op::Cos, half);
    if (m < 0)
      return {b.neg(s), c, s, 2};
    const Id two = b.number(2);
    const Id u = b.mul(b.add(b.mul(two, m), two), s);
    const Id re = b.sub(m, b.mul(u, s));
    return {re, b.mul(u, c)};
  }

  /// sin z / z; near 0 by its series, since |z|^2 underflows: the next term is below 1e-21.
  Pair sinc(Pair x) {
    x = whole(x);
    if (x.isReal())
      return {op(Op::Sinc, orZero(x.re))};
    const Id size = squaredModulus(x);
    const Id small = op(Op::LessEqual, size, b.number(1e-6));
    const Id reciprocal = b.div(b.number(1), b.select(small, b.number(1), size));
    const Pair far = timesReal(mul(sin(x), conj(x)), {reciprocal});
    const Pair square = mul(x, x), one{b.number(1)};
    const Pair rest = sub(one, timesReal(square, {b.number(1.0 / 20)}));
    return select(small, sub(one, timesReal(mul(square, rest), {b.number(1.0 / 6)})), far);
  }

  Pair select(Id condition, Pair x, Pair y) {
    x = whole(x);
    y = whole(y);
    const auto part = [&](Id u, Id v) {
      return u < 0 && v < 0 ? -1 : b.select(condition, orZero(u), orZero(v));
    };
    const Id re = part(x.re, y.re);
    return {re, part(x.im, y.im)};
  }

  Pair sub(Pair x, Pair y) { return add(x, neg(y)); }
  Pair neg(Pair x) {
    x.number = -x.number;
    return x;
  }
  Pair complex(Pair re, Pair im) { return add(re, mul(im, {-1, b.number(1)})); }
  Pair real(Pair x) { return {whole(x).re}; }
  Pair imag(Pair x) { return {whole(x).im}; }
  Pair sin(Pair x) { return sineOrCosine(x, true); }
  Pair cos(Pair x) { return sineOrCosine(x, false); }
  /// The real part as one id, 0 if absent.
  Id re(Pair x) { return orZero(whole(x).re); }
  Id orZero(Id id) { return id < 0 ? b.number(0) : id; }

private:
  Formulas &b;

  Id op(Op o, Id x, Id y = -1, Id z = -1) { return b.op(o, x, y, z); }

  /// e^{growth} (cos angle + i sin angle).
  Pair polar(Id growth, Id angle) {
    const Id modulus = growth < 0 ? -1 : op(Op::Exp, growth);
    if (angle < 0)
      return {modulus < 0 ? b.number(1) : modulus};
    const Id cosine = op(Op::Cos, angle);
    return {cosine, op(Op::Sin, angle), modulus};
  }

  Id times(double k, Id x) {
    if (x < 0 || k == 1)
      return x;
    if (isNumber(b[x]))
      return b.number(k * b[x].number);
    return k == -1 ? b.neg(x) : b.mul(b.number(k), x);
  }

  Id product(Id x, Id y) { return x < 0 ? y : y < 0 ? x : b.mul(x, y); }

  /// `real` has no im: its re joins the scale, so that two products are paid, not four.
  Pair timesReal(Pair complex, const Pair &real) {
    if (real.isZero() || complex.isZero())
      return {};
    complex.number *= real.number;
    const bool one = isNumber(b[real.re], 1); // of i = (0, 1)
    complex.scale = product(product(one ? -1 : real.re, real.scale), complex.scale);
    return complex;
  }

  Id squaredModulus(const Pair &x) {
    const Id re = x.re < 0 ? -1 : b.mul(x.re, x.re);
    return orZero(b.sumOf(Op::Add, re, x.im < 0 ? -1 : b.mul(x.im, x.im)));
  }

  /// With m = e^|b| - 1, cosh b = 1 + m^2 / (2 (m + 1)) and sinh |b| = (m + m / (m + 1)) / 2:
  ///   sin(a + ib) = sin a cosh b + i cos a sinh b, cos(a + ib) = cos a cosh b - i sin a sinh b
  /// These are exact near 0. |b| stands there because m + 1 loses its digits for a b far below 0.
  Pair sineOrCosine(Pair x, bool sine) {
    x = whole(x);
    if (x.isReal())
      return {op(sine ? Op::Sin : Op::Cos, orZero(x.re))};
    const Id m = op(Op::Expm1, op(Op::Abs, x.im)), one = b.number(1), half = b.number(0.5);
    const Id ratio = b.div(m, b.add(m, one));
    const Id cosh = b.add(b.mul(half, b.mul(m, ratio)), one);
    const Id size = b.mul(half, b.add(m, ratio)), below = op(Op::Less, x.im, b.number(0));
    const Id sinh = b.select(below, b.neg(size), size);
    const Id re = orZero(x.re), s = op(Op::Sin, re), c = op(Op::Cos, re);
    if (sine)
      return {b.mul(s, cosh), b.mul(c, sinh)};
    const Id real = b.mul(c, cosh);
    return {real, b.neg(b.mul(s, sinh))};
  }
};

class Splitter {
public:
  Splitter(const Kernel &kernel, const Region &region, Region &result)
      : region(region), result(result), b(kernel, result), pairs(b) {}

  // What stands for the sums of components or transforms, in finish only; which totals have no
  // imaginary part.
  std::vector<double> sumNumber{};
  std::vector<bool> sumIsReal{}, totalIsReal{};

  /// Splits all values. Returns the outputs, which `yield` writes.
  std::vector<Pair> run() {
    for (const Value &value : region.values) {
      b.loc = value.loc;
      done.push_back(split(value));
    }
    std::vector<Pair> outputs;
    for (const Output &output : region.outputs)
      outputs.push_back(done[output.value]);
    return outputs;
  }

  /// `realAlone`: a part that is zero by type is not there.
  void yield(const std::vector<Pair> &outputs, bool realAlone) {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const std::string &name = region.outputs[k].name;
      const Pair pair = pairs.whole(outputs[k]);
      const Id re = pairs.orZero(pair.re);
      result.outputs.push_back({partName(name, "re"), re});
      if (!realAlone || !pair.isReal())
        result.outputs.push_back({partName(name, "im"), pairs.orZero(pair.im)});
    }
  }

  /// Named outputs, each as NAME if real, else NAMEre and NAMEim. Returns which are real.
  std::vector<bool> runNamed() {
    std::vector<bool> real;
    if (!region.empty())
      run();
    for (const Output &output : region.outputs) {
      const Pair pair = pairs.whole(done[output.value]);
      real.push_back(pair.isReal());
      const Id re = pairs.orZero(pair.re);
      result.outputs.push_back({output.name + (pair.isReal() ? "" : "re"), re});
      if (!pair.isReal())
        result.outputs.push_back({output.name + "im", pair.im});
    }
    return real;
  }

private:
  const Region &region;
  Region &result;
  Formulas b;
  Pairs pairs;
  std::vector<Pair> done;

  Pair leaf(const Value &value) {
    switch (value.op) {
    case Op::Unit:
      return {-1, b.number(1)};
    case Op::Number: // 2 * z scales z; 2 alone is a value
      return value.number == 0 ? Pair{} : Pair{b.number(value.number)};
    case Op::Axis:
      if (value.type == Type::Cplx)
        return {b.axis(value.component, Part::Re), b.axis(value.component, Part::Im)};
      return {b.copy(value)};
    case Op::Sum: {
      const int k = value.component;
      const Id re = b.sum(Part::Re, k);
      const auto component = static_cast<std::size_t>(std::max(k, 0));
      return {re, sumIsReal[component] ? -1 : b.sum(Part::Im, k), -1, sumNumber[component]};
    }
    case Op::Total: {
      const int k = value.component;
      const Id re = b.total(k, Part::Re);
      return {re, totalIsReal[k] ? -1 : b.total(k, Part::Im)};
    }
    case Op::Rest: {
      const Id re = b.rest(value.component, Part::Re);
      return {re, b.rest(value.component, Part::Im)};
    }
    default:
      return {b.copy(value)};
    }
  }

  Pair split(const Value &value) {
    static const std::map<Op, Pair (Pairs::*)(Pair)> ofOne = {
        {Op::Neg, &Pairs::neg}, {Op::Conj, &Pairs::conj},   {Op::Re, &Pairs::real},
        {Op::Im, &Pairs::imag}, {Op::Abs, &Pairs::abs},     {Op::Csqrt, &Pairs::sqrt},
        {Op::Exp, &Pairs::exp}, {Op::Sin, &Pairs::sin},     {Op::Cos, &Pairs::cos},
        {Op::Cis, &Pairs::cis}, {Op::Cism1, &Pairs::cism1}, {Op::Sinc, &Pairs::sinc}};
    static const std::map<Op, Pair (Pairs::*)(Pair, Pair)> ofTwo = {{Op::Add, &Pairs::add},
                                                                    {Op::Sub, &Pairs::sub},
                                                                    {Op::Div, &Pairs::div},
                                                                    {Op::Complex, &Pairs::complex}};
    if (isLeaf(value.op))
      return leaf(value);
    std::array<Pair, 3> x;
    for (int k = 0; k < info(value.op).arity; ++k)
      x[k] = done[value.args[k]];
    if (value.op == Op::Mul)
      return mul(value, x);
    if (value.op == Op::Select)
      return pairs.select(pairs.re(x[0]), x[1], x[2]);
    if (const auto found = ofOne.find(value.op); found != ofOne.end())
      return (pairs.*found->second)(x[0]);
    if (const auto found = ofTwo.find(value.op); found != ofTwo.end())
      return (pairs.*found->second)(x[0], x[1]);
    Value copy = value; // reals in, real or bool out
    for (int k = 0; k < info(value.op).arity; ++k)
      copy.args[k] = pairs.re(x[k]);
    return {b.copy(std::move(copy))};
  }

  Pair mul(const Value &value, const std::array<Pair, 3> &x) {
    for (const std::size_t k : {0U, 1U})
      if (const Value &number = region[value.args[k]]; isNumber(number)) {
        Pair out = x[1 - k];
        out.number *= number.number;
        return number.number == 0 ? Pair{} : out;
      }
    return pairs.mul(x[0], x[1]);
  }
};

} // namespace

void split(Kernel &kernel, const Variant &) {
  Kernel made;
  Splitter finishing(kernel, kernel.finish, made.finish);
  if (!kernel.term.empty()) {
    Splitter terms(kernel, kernel.term, made.term);
    std::vector<Pair> sums = terms.run();
    for (Pair &sum : sums) {
      finishing.sumNumber.push_back(std::exchange(sum.number, 1));
      finishing.sumIsReal.push_back(sum.isReal());
    }
    terms.yield(sums, true);
  }
  Splitter(kernel, kernel.scalars, made.scalars).runNamed();
  Splitter(kernel, kernel.mixed, made.mixed).runNamed();
  Splitter(kernel, kernel.waves, made.waves).runNamed();
  for (const Wave &wave : wavesOf(made))
    for (const Wave::Strength &strength : wave.strengths) {
      finishing.sumNumber.push_back(1);
      finishing.sumIsReal.push_back(strength.realSum);
    }
  finishing.totalIsReal = Splitter(kernel, kernel.totals, made.totals).runNamed();
  finishing.yield(finishing.run(), false);
  if (!kernel.origin.empty()) {
    Splitter origins(kernel, kernel.origin, made.origin);
    origins.yield(origins.run(), false);
  }
  made.pack = kernel.pack;
  const auto from = regionsOf(made), to = regionsOf(kernel);
  for (std::size_t k = 0; k < to.size(); ++k) {
    *to[k] = std::move(*from[k]);
    prune(*to[k]);
  }
}

} // namespace facet::passes
