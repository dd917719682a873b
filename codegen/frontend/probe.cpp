// probe.cpp - what warnings ask of a kernel's values, found out by evaluating them: no formula is
// missed for the way in which it is written.
#include "codegen/ir/evaluate.h"
#include "kernel.h"
#include <cmath>

namespace facet::frontend {

namespace {

using ir::Complex;
using ir::Vector;

constexpr double far =
    0.05; // relative: farther apart than rounding and than what is left at small q

/// A tetrahedron of no symmetry, the columns of its triangles as in triangle.def.
void setTriangle(ir::Point &point, int side) {
  static constexpr double corners[4][3] = {
      {0.3, -0.4, 0.1}, {2.1, 0.2, -0.3}, {0.5, 1.7, 0.4}, {0.6, 0.3, 1.9}};
  static constexpr int sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}; // outwards
  std::array<Vector, 3> v;
  Vector u, w, centroid;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t n = 0; n < 3; ++n)
      v.at(n).at(k) = corners[sides[side][n]][k];
    u.at(k) = v[1].at(k) - v[0].at(k);
    w.at(k) = v[2].at(k) - v[0].at(k);
    centroid.at(k) = (v[0].at(k) + v[1].at(k) + v[2].at(k)) / 3.0;
  }
  Vector normal{u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]};
  const double twice =
      std::sqrt(std::norm(normal[0]) + std::norm(normal[1]) + std::norm(normal[2]));
  for (Complex &component : normal)
    component /= twice;
  const std::pair<const char *, Vector> columns[] = {
      {"area", {twice / 2}}, {"normal", normal}, {"centroid", centroid}, {"vertex0", v[0]},
      {"vertex1", v[1]},     {"vertex2", v[2]},  {"edge1", u},           {"edge2", w}};
  for (const auto &[name, value] : columns)
    point.record[name] = value;
}

/// F at q for a closed mesh of four triangles with the same columns, or for four records.
Complex formFactor(const ir::Kernel &kernel, const Vector &q) {
  ir::Point point = ir::randomPoint(kernel, 1);
  point.q = q;
  point.sum = 0;
  Complex sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (kernel.triangle)
      setTriangle(point, k);
    else
      point.record = ir::randomPoint(kernel, static_cast<std::uint64_t>(k) + 2).record;
    sum += ir::evaluateTerm(kernel, point);
  }
  point.sum = sum;
  return ir::evaluateFinish(kernel, point);
}

/// The columns that say where a record is, each with those that move with it.
std::vector<std::vector<std::string>> places(const ir::Kernel &kernel) {
  if (kernel.triangle)
    return {{"centroid", "vertex0", "vertex1", "vertex2"}};
  std::vector<std::vector<std::string>> each;
  for (const ir::Field &field : kernel.fields)
    if (field.type == ir::Type::Vec3)
      each.push_back({field.name});
  return each;
}

} // namespace

bool turnsWithDirection(const ir::Kernel &kernel) {
  static constexpr double directions[3][3] = {
      {0.36, 0.48, 0.8}, {0.8, -0.36, 0.48}, {-0.6, 0.64, 0.48}};
  std::vector<Complex> limits;
  double largest = 0;
  for (const auto &d : directions) {
    const auto at = [&](double q) { return formFactor(kernel, {q * d[0], q * d[1], q * d[2]}); };
    const Complex near = at(1e-4), nearer = at(1e-5);
    if (!std::isfinite(std::abs(nearer)) || std::abs(nearer - near) > far * std::abs(near))
      return false; // no limit along this direction: an origin is missing
    limits.push_back(nearer);
    largest = std::max(largest, std::abs(nearer));
  }
  return std::abs(limits[0] - limits[1]) > far * largest ||
         std::abs(limits[0] - limits[2]) > far * largest;
}

bool growsWithDepth(const ir::Kernel &kernel, const ir::Region &region, ir::Id phase,
                    Complex unit) {
  ir::Region alone = region;
  alone.outputs = {{"", phase}};
  for (const std::vector<std::string> &columns : places(kernel)) {
    const auto moved = [&](double damping) { // how the exponent changes as the record moves along z
      ir::Point point = ir::randomPoint(kernel, 1);
      for (Complex &component : point.q)
        component = component.real();
      point.q[2] = {point.q[2].real(), damping};
      const Complex before = ir::evaluate(kernel, alone, point)[0][0];
      for (const std::string &column : columns)
        if (const auto place = point.record.find(column); place != point.record.end())
          place->second[2] += 1;
      return unit * (ir::evaluate(kernel, alone, point)[0][0] - before);
    };
    const Complex clear = moved(0), damped = moved(0.5);
    const double least = 1e-9 * std::abs(clear);
    if (std::abs(clear.real()) <= least && std::abs(clear.imag()) > 1e-9 && damped.real() > 1e-9)
      return true; // a wave of real q that grows where im(q.z) > 0
  }
  return false;
}

} // namespace facet::frontend
