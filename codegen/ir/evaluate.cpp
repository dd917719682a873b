// evaluate.cpp - regions evaluated in double: reals by real arithmetic, complex numbers by complex.
#include "evaluate.h"
#include "functions.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::ir {

namespace {

Vector vectorOf(const Vector &value) { return value; }
Vector vectorOf(Complex value) { return {value}; }

/// An op of the rule on operands of these types, by `f`, the column `value` of ops.def.
template <Rule rule, class F>
Vector applied(const Value &value, const std::array<Vector, 3> &in,
               const std::array<Type, 3> &types, F f) {
  using enum Rule;
  constexpr bool vectors = rule == Choose || rule == Dot || rule == Cross || rule == Vec ||
                           rule == Component || rule == Size;
  constexpr bool reals = rule == Rule::Real || rule == First || rule == Pair || rule == Test ||
                         rule == Logic || rule == ToWide || rule == ToNarrow;
  if constexpr (vectors) {
    return vectorOf(f(in[0], in[1], in[2]));
  } else if constexpr (reals) {
    return vectorOf(Complex(f(in[0][0].real(), in[1][0].real(), in[2][0].real())));
  } else { // component by component, a scalar operand standing for all three
    Vector out{};
    const bool anyComplex = isComplex(value.type) || isComplex(types[0]);
    for (int k = 0; k < (isVector(value.type) ? 3 : 1); ++k) {
      const auto of = [&](int operand) { return in[operand][isVector(types[operand]) ? k : 0]; };
      const Complex a = of(0), b = of(1), c = of(2);
      if (anyComplex)
        out[k] = f(a, b, c);
      else
        out[k] = Complex(f(a.real(), b.real(), c.real()));
    }
    return out;
  }
}

Vector apply(const Value &value, const std::array<Vector, 3> &in,
             const std::array<Type, 3> &types) {
  [[maybe_unused]] const auto k = static_cast<std::size_t>(value.component);
  switch (value.op) {
#define FACET_LEAF(...)
#define FACET_OP(Enum, spelling, arity, rule, traits, flops, instructions, result, ...)            \
  case Op::Enum:                                                                                   \
    return applied<Rule::rule>(                                                                    \
        value, in, types, [&](const auto &a, const auto &b, const auto &c) { return result; });
#include "ops.def"
  default:
    throw Error{fmt::format("evaluate: {} is a leaf", info(value.op).spelling), value.loc};
  }
}

Complex take(Complex value, Part part) {
  return part == Part::Whole ? value : part == Part::Re ? value.real() : value.imag();
}

class Evaluator {
public:
  Evaluator(const Kernel &kernel, const Region &region, const Point &point)
      : kernel(kernel), region(region), point(point) {}

  std::vector<Vector> run() {
    for (const Value &value : region.values) {
      std::array<Vector, 3> in{};
      std::array<Type, 3> types{};
      for (int k = 0; k < info(value.op).arity; ++k) {
        in[k] = results[value.args[k]];
        types[k] = region[value.args[k]].type;
      }
      results.push_back(isLeaf(value.op) ? leaf(value) : apply(value, in, types));
    }
    std::vector<Vector> out;
    for (const Output &output : region.outputs)
      out.push_back(results[output.value]);
    return out;
  }

private:
  const Kernel &kernel;
  const Region &region;
  const Point &point;
  std::vector<Vector> results, packed;

  template <class Map> static auto lookUp(const Map &map, const Value &value) {
    const auto found = map.find(value.name);
    if (found == map.end())
      throw Error{fmt::format("evaluate: no value for '{}'", value.name), value.loc};
    return found->second;
  }

  static Complex listed(const std::vector<Complex> &values, const Value &value) {
    const auto k = static_cast<std::size_t>(value.component);
    if (k >= values.size())
      throw Error{fmt::format("evaluate: no sum {}", value.component), value.loc};
    return values[k];
  }

  Vector leaf(const Value &value) {
    switch (value.op) {
    case Op::Unit:
      return {Complex{0, 1}};
    case Op::Field:
      return lookUp(point.record, value);
    case Op::Packed:
      if (packed.empty())
        packed = evaluate(kernel, kernel.pack, point);
      for (std::size_t k = 0; k < packed.size(); ++k)
        if (kernel.pack.outputs[k].name == value.name)
          return packed[k];
      throw Error{fmt::format("evaluate: pack yields no '{}'", value.name), value.loc};
    case Op::Axis:
      if (value.component < 0)
        return point.q;
      return {take(point.q[value.component], value.part)};
    case Op::Param:
      return {lookUp(point.params, value)};
    case Op::Sum:
      return {take(value.component < 0 ? point.sum : listed(point.sums, value), value.part)};
    case Op::Total:
      return {take(listed(point.totals, value), value.part)};
    default:
      return {value.number};
    }
  }
};

Complex number(const std::vector<Vector> &outputs) {
  if (outputs.empty())
    throw Error{"evaluate: the region yields nothing", {}};
  return outputs.size() == 1 ? outputs[0][0] : outputs[0][0] + Complex{0, 1} * outputs[1][0];
}

} // namespace

std::optional<double> evaluate(Op op, double x, double y, double z) {
  using enum Rule;
  switch (info(op).rule) {
  case Same:
  case Scalar:
  case Quotient:
  case Elementary:
  case ToReal:
  case Rule::Real:
  case First:
  case Test:
  case ToWide:
  case ToNarrow:
    return apply({.op = op}, {Vector{x}, Vector{y}, Vector{z}}, {})[0].real();
  default:
    return {};
  }
}

std::vector<Vector> evaluate(const Kernel &kernel, const Region &region, const Point &point) {
  return Evaluator(kernel, region, point).run();
}

void evaluateRecord(const Kernel &kernel, Point &point) {
  point.sums.clear();
  point.totals.clear();
  const auto wave = evaluate(kernel, kernel.waves, point);
  const auto output = [&](int k) { return k < 0 ? Complex{} : wave[k][0]; };
  for (const Wave &w : wavesOf(kernel)) {
    Complex phase{};
    for (std::size_t k = 0; k < 3; ++k)
      phase += point.q[k] * output(w.point[k]);
    for (const Wave::Strength &b : w.strengths)
      point.sums.push_back((output(b.re) + Complex{0, 1} * output(b.im)) *
                           std::exp(Complex{0, 1} * phase));
  }
  const auto totals = evaluate(kernel, kernel.totals, point);
  const auto &names = kernel.totals.outputs;
  for (std::size_t k = 0; k < totals.size(); ++k)
    if (names[k].name.ends_with("im"))
      point.totals.back() += Complex{0, 1} * totals[k][0];
    else
      point.totals.push_back(totals[k][0]);
}

Complex evaluateTerm(const Kernel &kernel, const Point &point) {
  return number(evaluate(kernel, kernel.term, point));
}

Complex evaluateFinish(const Kernel &kernel, const Point &point) {
  return number(evaluate(kernel, kernel.finish, point));
}

Complex evaluateOrigin(const Kernel &kernel, const Point &point) {
  return kernel.origin.empty() ? Complex{} : number(evaluate(kernel, kernel.origin, point));
}

} // namespace facet::ir
