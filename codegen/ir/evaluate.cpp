// evaluate.cpp - evaluates regions in double: reals by real arithmetic, complex numbers by complex.
// Also what questions answered by trials need: a q and a triangle drawn at random, whose columns
// belong together, and coins in the place of conditions.
#include "evaluate.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
// The language itself, in long double.
#define FACET_REAL long double
#define FACET_REAL_NAMESPACE extended
#include "dsl/facet/mean_cis.h"

namespace facet::ir {

double sinpi(double a) {
  double r = std::remainder(a, 2.0); // exact, in [-1, 1]
  if (r > 0.5)
    r = 1 - r; // exact too
  else if (r < -0.5)
    r = -1 - r;
  return static_cast<double>(std::sin(pi * static_cast<long double>(r)));
}

double cospi(double a) { return sinpi(0.5 - std::abs(std::remainder(a, 2.0))); }

double sinc(double a) { return a == 0 ? 1 : std::sin(a) / a; }

double sincpi(double a) { return a == 0 ? 1 : sinpi(a) / (std::numbers::pi * a); }

// As <facet/dsl.h> has them.
cplx wide(Complex z) { return {z.real(), z.imag()}; }
Complex narrow(cplx z) { return {static_cast<double>(z.re), static_cast<double>(z.im)}; }

Complex sinc(Complex a) { return narrow(sinc(wide(a))); }

Complex sincSlope(Complex a) { return narrow(sinc_slope(wide(a))); }

double exp2m1(double a) {
  return static_cast<double>(
      std::expm1(std::numbers::ln2_v<long double> * static_cast<long double>(a)));
}

Complex csqrt(Complex a) {
  // std::sqrt takes the sign of a zero for a side of the cut, and -0 comes from any difference.
  return std::sqrt(a.imag() == 0 ? Complex{a.real(), 0} : a);
}

Complex cis(Complex a) {
  return std::exp(-a.imag()) * Complex{std::cos(a.real()), std::sin(a.real())};
}

double scale2(double a, double b) {
  return std::isnan(b) ? b : std::ldexp(a, static_cast<int>(std::clamp(b, -1022.0, 1023.0)));
}

double exponent2(double a) {
  if (a == 0 || !std::isfinite(a))
    return 0;
  int e = 0;
  return std::frexp(a, &e) < std::numbers::sqrt2 / 2 ? e - 1 : e;
}

double mantissa2(double a) { return std::ldexp(a, -static_cast<int>(exponent2(a))); }

double edge(double a, double b, double c) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (b == 0)
    return c == 0 ? 0 : c * infinity;
  if (b == infinity)
    return c > 0 ? 0 : infinity;
  return b > 0 ? a : std::numeric_limits<double>::quiet_NaN();
}

Complex dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector cross(const Vector &a, const Vector &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double norm2(const Vector &a) { return std::norm(a[0]) + std::norm(a[1]) + std::norm(a[2]); }

Complex cism1(Complex a) {
  // e^{u+iv} - 1 = (e^u - 1) cos v + (cos v - 1) + i e^u sin v, with u = -Im a, v = Re a.
  const double u = -a.imag(), v = a.real(), half = std::sin(v / 2);
  return {std::expm1(u) * std::cos(v) - 2 * half * half, std::exp(u) * std::sin(v)};
}

Complex meanCis(Complex a, Complex b, Complex c, bool minusOne) {
  return narrow(minusOne ? mean_cism1(wide(a), wide(b), wide(c))
                         : mean_cis(wide(a), wide(b), wide(c)));
}

Complex meanEdge(Complex a, Complex b, bool minusOne) {
  return narrow(minusOne ? mean_cism1(wide(a), wide(b)) : mean_cis(wide(a), wide(b)));
}

Vector meanSlopes(Complex a, Complex b, Complex c) {
  const cvec3 means = mean_slopes(wide(a), wide(b), wide(c));
  return {narrow(means.x), narrow(means.y), narrow(means.z)};
}

namespace {

Vector vectorOf(const Vector &value) { return value; }
Vector vectorOf(Complex value) { return {value}; }

/// An op of the rule on operands of these types, by `f`, the column `value` of ops.def.
template <Rule rule, class F>
Vector applied(const Value &value, const std::array<Vector, 3> &in,
               const std::array<Type, 3> &types, F f) {
  if constexpr (rule >= Rule::Choose) { // vectors
    return vectorOf(f(in[0], in[1], in[2]));
  } else if constexpr (rule >= Rule::Real) { // reals
    return {Complex(f(in[0][0].real(), in[1][0].real(), in[2][0].real()))};
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

/// A leaf at a point; `packed` are the outputs of kernel.pack there.
Vector leaf(const Kernel &kernel, const Value &value, const Point &point,
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

/// The components of a region, parts joined.
std::vector<Complex> numbers(const Kernel &kernel, const Region &region, const Point &point) {
  const std::vector<Vector> outputs = evaluate(kernel, region, point);
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
  return apply({.op = op}, {Vector{x}, Vector{y}, Vector{z}}, {})[0].real();
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
    results.push_back(isLeaf(value.op) ? leaf(kernel, value, point, packed)
                                       : apply(value, in, types));
  }
  for (const Output &output : region.outputs)
    out.push_back(results[output.value]);
  return out;
}

void Point::setSums(const std::vector<Complex> &components) {
  sum = components.front();
  sums = components;
}

void evaluateScalars(const Kernel &kernel, Point &point) {
  const auto values = evaluate(kernel, kernel.scalars, point);
  for (std::size_t s = 0; s < values.size(); ++s)
    point.params[kernel.scalars.outputs[s].name] = values[s][0].real();
}

void evaluateRecord(const Kernel &kernel, Point &point) {
  point.sums.clear();
  point.totals.clear();
  if (!kernel.term.empty())
    point.setSums(evaluateTerm(kernel, point));
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

std::vector<Complex> evaluateTerm(const Kernel &kernel, const Point &point) {
  return numbers(kernel, kernel.term, point);
}

std::vector<Complex> evaluateFinish(const Kernel &kernel, const Point &point) {
  return numbers(kernel, kernel.finish, point);
}

std::vector<Complex> evaluateOrigin(const Kernel &kernel, const Point &point) {
  return kernel.origin.empty() ? std::vector<Complex>() : numbers(kernel, kernel.origin, point);
}

void setTriangle(Point &point, const std::array<Vector, 3> &corner) {
  Vector u, v, centroid;
  for (int k = 0; k < 3; ++k) {
    u[k] = corner[1][k] - corner[0][k];
    v[k] = corner[2][k] - corner[0][k];
    centroid[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3.0;
  }
  Vector normal = cross(u, v);
  const double length = std::sqrt(norm2(normal));
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
