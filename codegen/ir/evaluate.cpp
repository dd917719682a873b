// evaluate.cpp - regions evaluated in double: reals by real arithmetic, complex numbers by complex.
#include "evaluate.h"
#include "functions.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::ir {

namespace {

Complex take(Complex value, Part part) {
  return part == Part::Whole ? value : part == Part::Re ? value.real() : value.imag();
}

class Evaluator {
public:
  Evaluator(const Kernel &kernel, const Region &region, const Point &point)
      : kernel(kernel), region(region), point(point) {}

  std::vector<Vector> run() {
    for (const Value &value : region.values)
      results.push_back(isLeaf(value.op) ? leaf(value) : apply(value));
    std::vector<Vector> out;
    for (const Output &output : region.outputs)
      out.push_back(results[static_cast<std::size_t>(output.value)]);
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
      return {take(point.q[static_cast<std::size_t>(value.component)], value.part)};
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

  const Vector &arg(const Value &value, int k) const {
    return results[static_cast<std::size_t>(value.args[static_cast<std::size_t>(k)])];
  }
  Type type(const Value &value, int k) const {
    return region.values[static_cast<std::size_t>(value.args[static_cast<std::size_t>(k)])].type;
  }

  /// f of each component where the value is a vector, a scalar operand standing for all three.
  template <class F> Vector each(const Value &value, F f) const {
    Vector out{};
    const bool two = info(value.op).arity == 2;
    for (std::size_t k = 0; k < (isVector(value.type) ? 3U : 1U); ++k)
      out[k] = f(arg(value, 0)[isVector(type(value, 0)) ? k : 0],
                 two ? arg(value, 1)[isVector(type(value, 1)) ? k : 0] : Complex{});
    return out;
  }
  /// A function of one scalar, by its real form where the operand is real.
  template <class F> Vector elementary(const Value &value, F f) const {
    const Complex a = arg(value, 0)[0];
    return {isComplex(type(value, 0)) ? Complex(f(a)) : Complex(f(a.real()))};
  }

  Vector apply(const Value &value) const {
    const bool anyComplex = isComplex(value.type) || isComplex(type(value, 0));
    const Complex a = arg(value, 0)[0];
    const double x = a.real();
    const int arity = info(value.op).arity;
    const double y = arity > 1 ? arg(value, 1)[0].real() : 0;
    const double z = arity > 2 ? arg(value, 2)[0].real() : 0;
    switch (value.op) {
    case Op::Add:
      return each(value, [](Complex a, Complex b) { return a + b; });
    case Op::Sub:
      return each(value, [](Complex a, Complex b) { return a - b; });
    case Op::Mul:
      return each(value, [&](Complex a, Complex b) {
        return anyComplex ? a * b : Complex(a.real() * b.real());
      });
    case Op::Div:
      return each(value, [&](Complex a, Complex b) {
        return anyComplex ? a / b : Complex(a.real() / b.real());
      });
    case Op::Neg:
      return each(value, [](Complex a, Complex) { return -a; });
    case Op::Conj:
      return each(value, [](Complex a, Complex) { return std::conj(a); });
    case Op::Fma:
      return {std::fma(x, y, z)};
    case Op::Min:
      return {std::min(x, y)};
    case Op::Max:
      return {std::max(x, y)};
    case Op::Vec:
      return {a, arg(value, 1)[0], arg(value, 2)[0]};
    case Op::Component:
      return {arg(value, 0)[static_cast<std::size_t>(value.component)]};
    case Op::Dot: {
      const Vector &u = arg(value, 0), &v = arg(value, 1);
      return {u[0] * v[0] + u[1] * v[1] + u[2] * v[2]};
    }
    case Op::Cross: {
      const Vector &u = arg(value, 0), &v = arg(value, 1);
      return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    }
    case Op::Norm2:
    case Op::Norm: {
      double sum = 0;
      for (std::size_t k = 0; k < (isVector(type(value, 0)) ? 3U : 1U); ++k)
        sum += std::norm(arg(value, 0)[k]);
      return {value.op == Op::Norm ? std::sqrt(sum) : sum};
    }
    case Op::Complex:
      return {Complex{x, y}};
    case Op::Re:
      return {x};
    case Op::Im:
      return {a.imag()};
    case Op::Abs:
      return elementary(value, [](auto a) { return std::abs(a); });
    case Op::Sqrt:
      return {std::sqrt(x)};
    case Op::Csqrt:
      return {csqrt(a)};
    case Op::Exp:
      return elementary(value, [](auto a) { return std::exp(a); });
    case Op::Sin:
      return elementary(value, [](auto a) { return std::sin(a); });
    case Op::Cos:
      return elementary(value, [](auto a) { return std::cos(a); });
    case Op::Expm1:
      return {std::expm1(x)};
    case Op::Cis:
      return {std::exp(-a.imag()) * Complex{std::cos(x), std::sin(x)}};
    case Op::Cism1:
      return {cism1(a)};
    case Op::MeanCis:
    case Op::MeanCism1:
      return {meanCis(a, arg(value, 1)[0], arg(value, 2)[0], value.op == Op::MeanCism1)};
    case Op::Less:
      return {x < y ? 1.0 : 0.0};
    case Op::LessEqual:
      return {x <= y ? 1.0 : 0.0};
    case Op::Equal:
      return {x == y ? 1.0 : 0.0};
    case Op::And:
      return {x != 0 && y != 0 ? 1.0 : 0.0};
    case Op::Or:
      return {x != 0 || y != 0 ? 1.0 : 0.0};
    case Op::Not:
      return {x != 0 ? 0.0 : 1.0};
    case Op::Select:
      return x != 0 ? arg(value, 1) : arg(value, 2);
    case Op::Sinpi:
      return {sinpi(x)};
    case Op::Cospi:
      return {cospi(x)};
    case Op::Exp2:
      return {std::exp2(x)};
    case Op::Exp2m1:
      return {exp2m1(x)};
    case Op::Round:
      return {std::nearbyint(x)};
    case Op::NegateIfOdd:
      return {std::fmod(y, 2.0) != 0 ? -x : x};
    case Op::Scale2:
      return {std::ldexp(x, static_cast<int>(std::clamp(y, -1022.0, 1023.0)))};
    case Op::HardwareSin:
      return {std::sin(x)};
    case Op::HardwareCos:
      return {std::cos(x)};
    case Op::HardwareExp2:
      return {std::exp2(x)};
    case Op::Widen:
    case Op::Narrow:
      return {x};
    default:
      throw Error{fmt::format("evaluate: {} has no evaluator", info(value.op).spelling), value.loc};
    }
  }
};

Complex number(const std::vector<Vector> &outputs) {
  if (outputs.empty())
    throw Error{"evaluate: the region yields nothing", {}};
  return outputs.size() == 1 ? outputs[0][0] : outputs[0][0] + Complex{0, 1} * outputs[1][0];
}

} // namespace

std::vector<Vector> evaluate(const Kernel &kernel, const Region &region, const Point &point) {
  return Evaluator(kernel, region, point).run();
}

void evaluateRecord(const Kernel &kernel, Point &point) {
  point.sums.clear();
  point.totals.clear();
  const auto wave = evaluate(kernel, kernel.waves, point);
  const auto output = [&](int k) {
    return k < 0 ? Complex{} : wave[static_cast<std::size_t>(k)][0];
  };
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

} // namespace facet::ir
