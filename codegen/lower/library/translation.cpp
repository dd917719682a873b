// translation.cpp - whether moving the mesh multiplies the sum by a phase: found by evaluation.
//
// Equal at random points is equal everywhere for analytic functions; a term that compares positions
// (`t.centroid.x * q.x < 0.25 ? ...`) may differ where no trial looked, and is left where it is.
//
// A kernel for which it does lets the runtime centre the mesh, so that phases stay small, and put
// the shift back exactly (trap 3 of the design: the error of f32 phases grows with max|q.c|).
#include "codegen/ir/evaluate.h"
#include "codegen/lower/library.h"
#include "dsl/facet/abi.h"
#include <cmath>
#include <random>

namespace facet::lower {
namespace {

using ir::Complex;
using Corner = std::array<double, 3>;
constexpr int trials = 6;
constexpr double tolerance =
    1e-9; // of sum |term|: far above rounding, far below any real difference

Corner operator-(const Corner &a, const Corner &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Corner operator+(const Corner &a, const Corner &b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
ir::Vector vector(const Corner &a) { return {a[0], a[1], a[2]}; }

/// The built-in columns of the triangle a b c; columns of its own stay as `extra` has them.
void setTriangle(ir::Point &point, const Corner &a, const Corner &b, const Corner &c) {
  const Corner u = b - a;
  const Corner v = c - a;
  const Corner n = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0]};
  const double twice = std::hypot(n[0], n[1], n[2]);
  const Corner sum = a + b + c;
  point.record["area"] = {twice / 2};
  point.record["normal"] = {n[0] / twice, n[1] / twice, n[2] / twice};
  point.record["centroid"] = {sum[0] / 3, sum[1] / 3, sum[2] / 3};
  point.record["vertex0"] = vector(a);
  point.record["vertex1"] = vector(b);
  point.record["vertex2"] = vector(c);
  point.record["edge1"] = vector(u);
  point.record["edge2"] = vector(v);
}

/// Sum of the terms over the triangles of a tetrahedron (4 faces, or only its first), and over the
/// same moved by `shift`; compared after the phase q.shift.
struct Trial {
  std::vector<ir::Point> points; // q, parameters and own columns of each face
  std::array<Corner, 4> corners;
  Corner shift;

  bool holds(const ir::Kernel &kernel, int faces) const {
    static constexpr int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const ir::Vector &q = points[0].q;
    const Complex phase = q[0] * shift[0] + q[1] * shift[1] + q[2] * shift[2];
    const Complex factor = std::exp(Complex(0, 1) * phase);
    Complex here;
    Complex moved;
    double scale = 0;
    for (int k = 0; k < faces; ++k) {
      const Corner &a = corners[face[k][0]];
      const Corner &b = corners[face[k][1]];
      const Corner &c = corners[face[k][2]];
      ir::Point point = points[k];
      setTriangle(point, a, b, c);
      const Complex first = ir::evaluateTerm(kernel, point);
      setTriangle(point, a + shift, b + shift, c + shift);
      const Complex second = ir::evaluateTerm(kernel, point);
      here += first;
      moved += second;
      scale += std::abs(first) * std::abs(factor) + std::abs(second);
    }
    const double difference = std::abs(moved - factor * here);
    return std::isfinite(difference) && difference <= tolerance * scale;
  }
};

Trial makeTrial(const ir::Kernel &kernel, std::uint64_t seed) {
  Trial trial;
  for (int k = 0; k < 4; ++k)
    trial.points.push_back(ir::randomPoint(kernel, 4 * seed + k));
  for (auto &point : trial.points) { // one q and one set of parameters; own columns differ
    point.q = trial.points[0].q;
    point.params = trial.points[0].params;
  }
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> within(-3, 3);
  for (Corner &corner : trial.corners)
    corner = {within(random), within(random), within(random)};
  trial.shift = {within(random), within(random), within(random)};
  return trial;
}

/// Whether a test, a smaller or larger value or a modulus looks at where the record is.
bool comparesPositions(const ir::Kernel &kernel) {
  std::vector<bool> ofPosition;
  for (const ir::Value &value : kernel.term.values) {
    bool operands = false;
    for (int k = 0; k < ir::info(value.op).arity; ++k)
      operands = operands || ofPosition[static_cast<std::size_t>(value.args[k])];
    using enum ir::Op;
    const bool breaks = value.op == Less || value.op == LessEqual || value.op == Equal ||
                        value.op == Min || value.op == Max || value.op == Abs;
    if (operands && breaks)
      return true;
    ofPosition.push_back(operands || (value.op == Field && (value.name == "centroid" ||
                                                            value.name.starts_with("vertex"))));
  }
  return false;
}

} // namespace

int translationOf(const ir::Kernel &kernel) {
  if (!kernel.triangle || comparesPositions(kernel))
    return FACET_TRANSLATE_NO;
  bool always = true;
  bool closed = true;
  for (std::uint64_t seed = 1; seed <= trials && closed; ++seed) {
    const Trial trial = makeTrial(kernel, seed);
    always = always && trial.holds(kernel, 1);
    closed = closed && trial.holds(kernel, 4);
  }
  return always ? FACET_TRANSLATE_ALWAYS : closed ? FACET_TRANSLATE_CLOSED : FACET_TRANSLATE_NO;
}

} // namespace facet::lower
