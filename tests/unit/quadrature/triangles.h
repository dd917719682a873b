// triangles.h - random triangles and q; how far a rule is from the exact mean, in long double.
#pragma once
#include "runtime/engine/sum/nodes/rules.h"
#include <cmath>
#include <facet/dsl.h>
#include <optional>
#include <random>

namespace facet::test {

using runtime::Vec3;
using Corners = std::array<Vec3, 3>;
using Wave = std::array<cplx, 3>; // q

struct Random {
  std::mt19937_64 bits{7};
  double operator()(double from, double to) {
    return from + (to - from) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }
  double logarithmic(double from, double to) {
    return std::exp((*this)(std::log(from), std::log(to)));
  }
};

/// Corners within 1 nm of a place up to 10 nm away; `thin` < 1 presses the third onto the edge.
inline Corners randomTriangle(Random &random, double thin = 1) {
  Corners corners;
  for (std::size_t k = 0; k < 3; ++k) {
    const double at = random(-10, 10);
    for (Vec3 &corner : corners)
      corner[k] = at + random(-1, 1);
    const double along = (corners[0][k] + corners[1][k]) / 2;
    corners[2][k] = along + thin * (corners[2][k] - along);
  }
  return corners;
}

/// One q as a shell of its own.
inline runtime::Shell shellOf(const Wave &q, double tolerance = 1) {
  runtime::Shell shell;
  real squares = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    shell.reMax[k] = static_cast<double>(abs(q[k].re));
    shell.imMax[k] = static_cast<double>(abs(q[k].im));
    squares += norm2(q[k]);
  }
  shell.normMax = static_cast<double>(std::sqrt(squares)) * (1 + 1e-15);
  shell.tolerance = tolerance;
  return shell;
}

/// A random q whose largest |q.(r - c)| over the triangle is x, with or without imaginary parts.
inline Wave randomWave(Random &random, const Corners &corners, double x, bool complex) {
  Wave q;
  for (cplx &component : q)
    component = {random(-1, 1), complex ? random(-0.4, 0.4) : 0};
  real most = 0;
  for (const Vec3 &corner : corners) {
    cplx phase = 0;
    for (std::size_t k = 0; k < 3; ++k)
      phase =
          phase + q[k] * (corner[k] - (real(corners[0][k]) + corners[1][k] + corners[2][k]) / 3);
    most = max(most, abs(phase));
  }
  for (cplx &component : q)
    component = component * (x / most);
  return q;
}

/// The exact mean of l e^{iu} with l = 1 at a corner, u = `phase` at the corners: what mean_cis
/// changes by with that phase, over i; by a difference of order 8, to 1e-15.
inline cplx meanOfLinear(std::array<cplx, 3> phase, int corner) {
  constexpr real step = 0.01;
  constexpr real weights[] = {real(4) / 5, -real(1) / 5, real(4) / 105, -real(1) / 280};
  cplx sum = 0;
  for (int k = 1; k <= 4; ++k)
    for (const int side : {1, -1}) {
      std::array<cplx, 3> moved = phase;
      moved[corner] = moved[corner] + side * k * step;
      sum = sum + side * weights[k - 1] / step * mean_cis(moved[0], moved[1], moved[2]);
    }
  return -i * sum;
}

/// |mean - rule| relative to |e^{iq.c}|; nodes: weight, then three barycentric coordinates each.
/// `corner`: of l e^{iu}, l = 1 there.
template <class Nodes>
double errorOf(const Corners &corners, const Wave &q, const Nodes &nodes,
               std::optional<int> corner = {}) {
  std::array<cplx, 3> phase;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      phase[i] = phase[i] +
                 q[k] * (corners[i][k] - (real(corners[0][k]) + corners[1][k] + corners[2][k]) / 3);
  cplx sum = 0;
  real weights = 0;
  for (const runtime::Rule::Node &node : nodes) {
    weights += node.weight;
    sum = sum + (corner ? node.at[*corner] : 1) * node.weight *
                    cis(node.at[0] * phase[0] + node.at[1] * phase[1] + node.at[2] * phase[2]);
  }
  const cplx mean = corner ? meanOfLinear(phase, *corner) : mean_cis(phase[0], phase[1], phase[2]);
  return static_cast<double>(abs(sum / weights - mean));
}

} // namespace facet::test
