// trials.cpp - what questions answered by trials need: inputs drawn at random, a triangle whose
// columns belong together and a q; and coins in the place of conditions.
#include "functions.h"
#include <cmath>
#include <random>

namespace facet::ir {

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
};

/// A triangle about 2 nm wide, within 5 nm of the origin.
void drawTriangle(Draw &draw, Point &point) {
  const Vector place = draw.vector(4);
  std::array<Vector, 3> corner;
  for (Vector &v : corner) {
    v = draw.vector(1);
    for (int k = 0; k < 3; ++k)
      v[k] += place[k];
  }
  setTriangle(point, corner);
}

} // namespace

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
    drawTriangle(draw, point);
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
  return point;
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
  }
  return values;
}

} // namespace facet::ir
