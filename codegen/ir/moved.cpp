// moved.cpp - whether moving the particle multiplies the sum by a phase: found by evaluation.
//
// Equal at random points is equal everywhere for analytic functions. A term that compares positions
// (`t.centroid.x * q.x < 0.25 ? ...`) may differ at points that no trial took: Moved::Otherwise.
//
// If the sum only gains a phase, the runtime may centre the particle, so that phases stay small,
// and put the shift back exactly: the error of f32 phases grows with max|q.c|.
#include "functions.h"
#include "roles.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace facet::ir {
namespace {

constexpr int trials = 6, most = 64; // trials that prove something; trials in all
constexpr double tolerance =
    1e-9; // of sum |term|: far above rounding, far below any real difference

/// Sum of the terms over the triangles of a tetrahedron (4 faces, or only its first), and over the
/// same moved by `shift`; compared after the phase q.shift.
struct Trial {
  std::vector<Point> points; // q, parameters and own columns of each face
  std::array<Vector, 4> corners;
  Vector shift;

  /// If every term is 0 this holds but proves nothing: `told` then stays as it was.
  bool holds(const Kernel &kernel, int faces, bool &told) const {
    static constexpr int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const Vector &q = points[0].q;
    const Complex phase = dot(q, shift);
    const Complex factor = std::exp(Complex(0, 1) * phase);
    Complex here;
    Complex moved;
    double scale = 0;
    for (int k = 0; k < faces; ++k) {
      Point point = points[k];
      if (kernel.triangle)
        setTriangle(point, {corners[face[k][0]], corners[face[k][1]], corners[face[k][2]]});
      const Complex first = evaluateTerm(kernel, point);
      for (const Field &field : kernel.fields)
        for (std::size_t i = 0; i < 3 && posed(kernel, field).moves; ++i)
          point.record[field.name][i] += shift[i];
      const Complex second = evaluateTerm(kernel, point);
      here += first;
      moved += second;
      scale += std::abs(first) * std::abs(factor) + std::abs(second);
    }
    told = told || scale > 0;
    const double difference = std::abs(moved - factor * here);
    return std::isfinite(difference) && difference <= tolerance * scale;
  }
};

Trial makeTrial(const Kernel &kernel, std::uint64_t seed) {
  Trial trial;
  for (int k = 0; k < 4; ++k)
    trial.points.push_back(randomPoint(kernel, 4 * seed + k));
  for (auto &point : trial.points) { // one q and one set of parameters; own columns differ
    point.q = trial.points[0].q;
    point.params = trial.points[0].params;
  }
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> within(-3, 3);
  for (Vector &corner : trial.corners)
    corner = {within(random), within(random), within(random)};
  trial.shift = {within(random), within(random), within(random)};
  return trial;
}

/// Whether a comparison, a minimum, a maximum or a modulus depends on where the record is.
bool comparesPositions(const Kernel &kernel) {
  const auto isPosition = [&](const Value &value) {
    return value.op == Op::Field && std::ranges::any_of(kernel.fields, [&](const Field &field) {
             return field.name == value.name && posed(kernel, field).moves;
           });
  };
  std::vector<bool> ofPosition;
  for (const Value &value : kernel.term.values) {
    bool operands = false;
    for (const Id id : value.operands())
      operands = operands || ofPosition[id];
    using enum Op;
    const bool breaks = value.op == Less || value.op == LessEqual || value.op == Equal ||
                        value.op == Min || value.op == Max || value.op == Abs;
    if (operands && breaks)
      return true;
    ofPosition.push_back(operands || isPosition(value));
  }
  return false;
}

} // namespace

Moved movedBy(const Kernel &kernel) {
  if (comparesPositions(kernel))
    return Moved::Otherwise;
  bool always = true;
  bool closed = kernel.triangle;
  int telling = 0;
  for (int seed = 1; seed <= most && telling < trials && (always || closed); ++seed) {
    const Trial trial = makeTrial(kernel, static_cast<std::uint64_t>(seed));
    Kernel either = kernel; // a side that no trial takes must gain the phase too
    either.term.values = decided(either.term.values, seed);
    bool plain = false, told = false;
    always = always && trial.holds(kernel, 1, plain) && trial.holds(either, 1, told);
    closed = closed && trial.holds(kernel, 4, plain) && trial.holds(either, 4, told);
    telling += plain && told ? 1 : 0;
  }
  if (telling == 0) // the sum is 0 wherever the particle is, as far as is known
    return Moved::Otherwise;
  return always ? Moved::ByPhase : closed ? Moved::ByPhaseIfClosed : Moved::Otherwise;
}

} // namespace facet::ir
