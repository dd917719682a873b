// random_point.cpp - inputs drawn at random: a triangle whose columns belong together, and a q.
#include "evaluate.h"
#include <cmath>
#include <random>

namespace facet::ir {

namespace {

Vector minus(const Vector &a, const Vector &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

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

/// A triangle about 2 nm wide, within 5 nm of the origin, its columns as in triangle.def.
void drawTriangle(Draw &draw, Point &point) {
  const Vector place = draw.vector(4);
  std::array<Vector, 3> corner;
  for (Vector &v : corner) {
    v = draw.vector(1);
    for (std::size_t k = 0; k < 3; ++k)
      v[k] += place[k];
  }
  setTriangle(point, corner);
}

} // namespace

void setTriangle(Point &point, const std::array<Vector, 3> &corner) {
  const Vector u = minus(corner[1], corner[0]), v = minus(corner[2], corner[0]);
  Vector normal{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  const double length =
      std::sqrt(std::norm(normal[0]) + std::norm(normal[1]) + std::norm(normal[2]));
  Vector centroid;
  for (std::size_t k = 0; k < 3; ++k) {
    normal[k] /= length;
    centroid[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3.0;
  }
  const std::pair<const char *, Vector> columns[] = {{"area", {length / 2}}, {"normal", normal},
                                                     {"centroid", centroid}, {"vertex0", corner[0]},
                                                     {"vertex1", corner[1]}, {"vertex2", corner[2]},
                                                     {"edge1", u},           {"edge2", v}};
  for (const auto &[name, value] : columns)
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
    // |q| <= 2: each component within 2/sqrt(3). Damping is drawn for all, used where complex.
    const double re = draw(-1.15, 1.15), im = draw(0, 0.2);
    point.q[k] = {re, kernel.axes[k].type == Type::Cplx ? im : 0};
  }
  for (const std::string &slot : slots(kernel))
    point.params[slot] = draw(0.5, 2);
  const double re = draw(-3, 3);
  point.sum = {re, draw(-3, 3)};
  return point;
}

} // namespace facet::ir
