// evaluate.cpp - evaluates regions in double, or in other arithmetic with every value kept. Also
// what questions answered by trials need: a q and a triangle drawn at random, whose columns belong
// together, and coins in the place of conditions.
#include "evaluate.h"
#include "arithmetic.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <random>

namespace facet::ir {
namespace {

using Double = Arithmetic<double>;

std::vector<Vector> outputs(const Kernel &kernel, const Region &region, const Point &point,
                            const Evaluator &by) {
  return by ? by(kernel, region, point) : evaluate(kernel, region, point);
}

Complex take(Complex value, Part part) {
  return part == Part::Whole ? value : part == Part::Re ? value.real() : value.imag();
}

template <class Map> auto lookUp(const Map &map, const Value &value) {
  const auto found = map.find(value.name);
  if (found == map.end())
    throw Error{fmt::format("evaluate: no value for '{}'", value.name), value.loc};
  return found->second;
}

Complex listed(const std::vector<Complex> &values, const Value &value) {
  const auto k = static_cast<std::size_t>(value.component);
  if (k >= values.size())
    throw Error{fmt::format("evaluate: no sum {}", value.component), value.loc};
  return values[k];
}

} // namespace

Vector leafOf(const Kernel &kernel, const Value &value, const Point &point,
              const std::vector<Vector> &packed) {
  switch (value.op) {
  case Op::Unit:
    return {Complex{0, 1}};
  case Op::Field:
    return lookUp(point.record, value);
  case Op::Packed:
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
  case Op::Rest:
    return {static_cast<std::size_t>(value.component) < point.rest.size()
                ? take(point.rest[static_cast<std::size_t>(value.component)], value.part)
                : Complex{}};
  default:
    return {value.number};
  }
}

namespace {

struct Draw {
  std::mt19937_64 engine;
  /// Uniform in [low, high), the same on every machine.
  double operator()(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine() >> 11) * 0x1p-53);
  }
  Vector vector(double size) {
    const double x = (*this)(-size, size), y = (*this)(-size, size);
    return {x, y, (*this)(-size, size)};
  }
  /// Corners of a triangle about 2 nm wide, within 5 nm of the origin.
  std::array<Vector, 3> triangle() {
    const Vector place = vector(4);
    std::array<Vector, 3> corner;
    for (Vector &v : corner) {
      v = vector(1);
      for (int k = 0; k < 3; ++k)
        v[k] += place[k];
    }
    return corner;
  }
};

/// The components of a region from its outputs, parts joined.
std::vector<Complex> numbers(const Region &region, const std::vector<Vector> &outputs) {
  std::vector<Complex> made;
  for (const Component &component : componentsOf(region))
    made.push_back(outputs[component.re][0] +
                   (component.im < 0 ? Complex{} : Complex{0, 1} * outputs[component.im][0]));
  if (made.empty())
    throw Error{"evaluate: the region yields nothing", {}};
  return made;
}

} // namespace

std::optional<double> evaluate(Op op, double x, double y, double z) {
  using enum Rule;
  const Rule rule = info(op).rule;
  if (rule == Leaf || rule == Rule::Cplx || rule == Pair || rule == Logic || rule >= Choose)
    return {};
  return Double::apply({.op = op}, {Vector{x}, Vector{y}, Vector{z}}, {})[0].real();
}

std::vector<Vector> evaluate(const Kernel &kernel, const Region &region, const Point &point) {
  std::vector<Vector> results, packed, out;
  for (const Value &value : region.values) {
    if (value.op == Op::Packed && packed.empty())
      packed = evaluate(kernel, kernel.pack, point);
    std::array<Vector, 3> in{};
    std::array<Type, 3> types{};
    for (int k = 0; k < info(value.op).arity; ++k) {
      in[k] = results[value.args[k]];
      types[k] = region[value.args[k]].type;
    }
    results.push_back(isLeaf(value.op) ? leafOf(kernel, value, point, packed)
                                       : Double::apply(value, in, types));
  }
  for (const Output &output : region.outputs)
    out.push_back(results[output.value]);
  return out;
}

void Point::setSums(const std::vector<Complex> &components) {
  sum = components.front();
  sums = components;
}

void evaluateScalars(const Kernel &kernel, Point &point, const Evaluator &by) {
  const auto values = outputs(kernel, kernel.scalars, point, by);
  for (std::size_t s = 0; s < values.size(); ++s)
    point.params[kernel.scalars.outputs[s].name] = values[s][0].real();
}

void evaluateRecord(const Kernel &kernel, Point &point, const Evaluator &by) {
  point.sums.clear();
  point.totals.clear();
  if (!kernel.term.empty())
    point.setSums(numbers(kernel.term, outputs(kernel, kernel.term, point, by)));
  const auto wave = outputs(kernel, kernel.waves, point, by);
  const auto output = [&](int k) { return k < 0 ? Complex{} : wave[k][0]; };
  for (const Wave &w : wavesOf(kernel)) {
    Complex phase{};
    for (std::size_t k = 0; k < 3; ++k)
      phase += point.q[k] * output(w.point[k]);
    for (const Wave::Strength &b : w.strengths)
      point.sums.push_back((output(b.re) + Complex{0, 1} * output(b.im)) *
                           std::exp(Complex{0, 1} * phase));
  }
  const auto totals = outputs(kernel, kernel.totals, point, by);
  const auto &names = kernel.totals.outputs;
  for (std::size_t k = 0; k < totals.size(); ++k)
    if (names[k].name.ends_with("im"))
      point.totals.back() += Complex{0, 1} * totals[k][0];
    else
      point.totals.push_back(totals[k][0]);
}

std::vector<Complex> evaluateTerm(const Kernel &kernel, const Point &point) {
  return numbers(kernel.term, evaluate(kernel, kernel.term, point));
}

std::vector<Complex> evaluateFinish(const Kernel &kernel, const Point &point, const Evaluator &by) {
  return numbers(kernel.finish, outputs(kernel, kernel.finish, point, by));
}

std::vector<Complex> evaluateOrigin(const Kernel &kernel, const Point &point) {
  return kernel.origin.empty() ? std::vector<Complex>()
                               : numbers(kernel.origin, evaluate(kernel, kernel.origin, point));
}

void setTriangle(Point &point, const std::array<Vector, 3> &corner) {
  Vector u, v, centroid;
  for (int k = 0; k < 3; ++k) {
    u[k] = corner[1][k] - corner[0][k];
    v[k] = corner[2][k] - corner[0][k];
    centroid[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3.0;
  }
  Vector normal = Double::cross(u, v);
  const double length = std::sqrt(Double::norm2(normal));
  for (Complex &n : normal)
    n /= length;
  for (const auto &[name, value] : {std::pair<const char *, Vector>{"area", {length / 2}},
                                    {"normal", normal},
                                    {"centroid", centroid},
                                    {"vertex0", corner[0]},
                                    {"vertex1", corner[1]},
                                    {"vertex2", corner[2]},
                                    {"edge1", u},
                                    {"edge2", v}})
    point.record[name] = value;
}

Point randomPoint(const Kernel &kernel, std::uint64_t seed) {
  Draw draw{std::mt19937_64{seed}};
  Point point;
  if (kernel.triangle)
    setTriangle(point, draw.triangle());
  for (const Field &field : kernel.fields)
    if (!point.record.contains(field.name))
      point.record[field.name] = field.type == Type::Vec3 ? draw.vector(2) : Vector{draw(0.5, 2)};
  if (const auto node = point.record.find("node"); node != point.record.end()) { // see quadrature
    const double a = draw(0, 0.6), b = draw(0, 0.4);
    node->second = {a, b, 1 - a - b};
  }
  for (std::size_t k = 0; k < 3; ++k) {
    // |q| <= 2: each component within 2/sqrt(3). Damping is drawn for all, used if complex.
    const double re = draw(-1.15, 1.15), im = draw(0, 0.2);
    point.q[k] = {re, kernel.axes[k].type == Type::Cplx ? im : 0};
  }
  for (const std::string &slot : slots(kernel))
    point.params[slot] = draw(0.5, 2);
  const double re = draw(-3, 3);
  point.sum = {re, draw(-3, 3)};
  for (std::size_t k = 0; kernel.waves.empty() && k < kernel.term.outputs.size(); ++k) {
    const double part = draw(-3, 3);
    point.sums.emplace_back(part, draw(-3, 3));
  }
  return point;
}

/// What stands for a real function that is flat, or next to nothing, over most of its arguments;
/// none for others.
std::optional<Op> unsaturated(const Value &value) {
  if (value.type != Type::Real)
    return std::nullopt;
  switch (value.op) {
  case Op::Exp:
  case Op::Exp2:
  case Op::Expm1:
  case Op::Exp2m1:
  case Op::Erf:
    return Op::Sin;
  case Op::Erfc:
    return Op::Cos;
  default:
    return std::nullopt;
  }
}

std::vector<Value> decided(std::vector<Value> values, int point) {
  const auto coin = [&](Id of) {
    std::uint64_t x = static_cast<std::uint64_t>(of) * 64 + static_cast<std::uint64_t>(point);
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9; // splitmix64, of Steele et al. 2014
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x >> 63) != 0;
  };
  for (Id id = 0; id < std::ssize(values); ++id) {
    Value &v = values[id];
    if (v.op == Op::Select)
      v.args[1] = v.args[2] = v.args[coin(v.args[0]) ? 1 : 2];
    else if (v.op == Op::Min || v.op == Op::Max)
      v.args[0] = v.args[1] = v.args[coin(id) ? 0 : 1];
    else if (v.op == Op::Abs && values[v.args[0]].type == Type::Real && coin(id))
      v.op = Op::Neg;
    else if (v.op == Op::Csqrt && coin(id)) // of a positive real, or of a negative one
      v.op = Op::Cis;
    else if (const auto other = unsaturated(v); other && point % 2 != 0)
      v.op = *other;
  }
  return values;
}

} // namespace facet::ir
