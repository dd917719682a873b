// split.cpp - complex values to pairs of reals: `yield re = .., im = ..`.
//
//   1. Values are taken in order, complex ones held as number * scale * (re + i im)
//      (pair.h); q.z becomes q.z.re and q.z.im, the sum sum.re and sum.im, i the
//      pair (0, 1).
//   2. Each op by the formula at its function in pair.h; e^{-b} and real weights are
//      multiplied together before they meet the two parts.
//   3. The term's parts end as w_r c - w_i s and w_r s + w_i c, so that lowering adds them to the
//      sums in two contracted multiply-adds each. A constant factor of both goes to finish.
//   4. Strengths and totals become pairs too: b0re and b0im, or b0 alone if it is real.
//   5. A part that is known to be zero is the number 0; finish then sees no sum.im.
#include "pair.h"

namespace facet::passes {

using namespace ir;

namespace {

class Splitter {
public:
  /// `sum`: what stands for the sum, in finish only.
  Splitter(const Kernel &kernel, const Region &region, Region &result)
      : region(region), b(kernel, result), pairs(b) {}

  void constantOfSum(double number, bool real) {
    sumNumber = number;
    sumIsReal = real;
  }

  /// Totals without an imaginary part, in finish only.
  void realTotals(std::vector<bool> real) { totalIsReal = std::move(real); }

  /// The region's first output; everything before it is appended to the result.
  Pair run() {
    for (const Value &value : region.values) {
      b.loc = value.loc;
      done.push_back(split(value));
    }
    return done[region.outputs.front().value];
  }

  /// Named outputs, each as NAME if real, else NAMEre and NAMEim. Returns which are real.
  std::vector<bool> runNamed(Region &result) {
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

  void yield(Region &result, Pair pair) {
    pair = pairs.whole(pair);
    const Id re = pairs.orZero(pair.re);
    result.outputs = {{"re", re}, {"im", pairs.orZero(pair.im)}};
  }

private:
  const Region &region;
  Builder b;
  PairBuilder pairs;
  std::vector<Pair> done;
  double sumNumber = 1;
  bool sumIsReal = false;
  std::vector<bool> totalIsReal;

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
      return {re, k < 0 && sumIsReal ? -1 : b.sum(Part::Im, k), -1, k < 0 ? sumNumber : 1};
    }
    case Op::Total: {
      const int k = value.component;
      const Id re = b.total(k, Part::Re);
      return {re, totalIsReal[k] ? -1 : b.total(k, Part::Im)};
    }
    default:
      return {b.copy(value)};
    }
  }

  Pair split(const Value &value) {
    if (isLeaf(value.op))
      return leaf(value);
    std::array<Pair, 3> x;
    for (int k = 0; k < info(value.op).arity; ++k)
      x[k] = done[value.args[k]];
    switch (value.op) {
    case Op::Add:
      return pairs.add(x[0], x[1]);
    case Op::Sub:
      return pairs.sub(x[0], x[1]);
    case Op::Mul:
      return mul(value, x);
    case Op::Div:
      return pairs.div(x[0], x[1]);
    case Op::Neg:
      return PairBuilder::negated(x[0]);
    case Op::Conj:
      return pairs.conj(x[0]);
    case Op::Complex:
      return pairs.add(x[0], pairs.mul(x[1], {-1, b.number(1)}));
    case Op::Re:
      x[0] = pairs.whole(x[0]);
      return {x[0].re};
    case Op::Im:
      x[0] = pairs.whole(x[0]);
      return {x[0].im};
    case Op::Abs:
      return {pairs.abs(x[0])};
    case Op::Csqrt:
      return pairs.sqrt(x[0]);
    case Op::Exp:
      return pairs.exp(x[0]);
    case Op::Sin:
      return pairs.sin(x[0]);
    case Op::Cos:
      return pairs.cos(x[0]);
    case Op::Cis:
      return pairs.cis(x[0]);
    case Op::Cism1:
      return pairs.cism1(x[0]);
    case Op::Select:
      return pairs.select(pairs.re(x[0]), x[1], x[2]);
    default: { // reals in, real or bool out
      Value copy = value;
      for (int k = 0; k < info(value.op).arity; ++k)
        copy.args[k] = pairs.re(x[k]);
      return {b.copy(std::move(copy))};
    }
    }
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
  Region term, finish, origin, waves, totals;
  Splitter finishing(kernel, kernel.finish, finish);
  if (!kernel.term.empty()) {
    Splitter terms(kernel, kernel.term, term);
    Pair sum = terms.run();
    finishing.constantOfSum(sum.number, sum.isReal());
    sum.number = 1;
    terms.yield(term, sum);
  }
  Splitter(kernel, kernel.waves, waves).runNamed(waves);
  finishing.realTotals(Splitter(kernel, kernel.totals, totals).runNamed(totals));
  finishing.yield(finish, finishing.run());
  if (!kernel.origin.empty()) {
    Splitter origins(kernel, kernel.origin, origin);
    origins.yield(origin, origins.run());
  }
  kernel.term = std::move(term);
  kernel.finish = std::move(finish);
  kernel.origin = std::move(origin);
  kernel.waves = std::move(waves);
  kernel.totals = std::move(totals);
  for (Region *region : regionsOf(kernel))
    prune(*region);
}

} // namespace facet::passes
