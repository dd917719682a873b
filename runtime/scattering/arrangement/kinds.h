// kinds.h - S of each kind of arrangement, of plain numbers and of dual ones.
#pragma once
#include "runtime/scattering/arrangement/arrangement.h"
#include "runtime/scattering/sample/orientation.h"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace facet::runtime::arrangement {

using std::abs;
using std::cos;
using std::exp;
using std::expm1;
using std::sin;
using std::sqrt;
using std::numbers::pi;

inline DualReal expm1(const DualReal &x) {
  return along(x, std::expm1(x.value), std::exp(x.value));
}
inline double besselJ0(double x) { return ::j0(x); }
inline DualReal besselJ0(const DualReal &x) { return along(x, ::j0(x.value), -::j1(x.value)); }

/// The length; at q = 0 it has no slope, as S has none.
template <class Real> Real lengthOf(const Real &x, const Real &y, const Real &z) {
  return sqrt(x * x + y * y + z * z);
}
inline double plainly(double x) { return x; }
inline double plainly(const DualReal &x) { return x.value; }

/// M. S. Wertheim, Phys. Rev. Lett. 10 (1963) 321; E. Thiele, J. Chem. Phys. 39 (1963) 474: the
/// equation of Percus and Yevick has the direct correlation -(alpha + beta t + gamma t^3), t = r /
/// 2R < 1, so that 1 / S = 1 + 24 fraction times the integral of its negative t^2 sinc(2qR t).
template <class Real> class HardSpheres : public StructureFactorOf<Real> {
public:
  HardSpheres(const Arrangement &, const ArrangementNumbers<Real> &n)
      : diameter_(2.0 * n.at("radius")[0]), fraction_(n.at("fraction")[0]) {
    const Real free = 1.0 - fraction_, free4 = free * free * free * free,
               twice = 1.0 + 2.0 * fraction_, half = 1.0 + 0.5 * fraction_;
    alpha_ = twice * twice / free4;
    beta_ = -6.0 * fraction_ * half * half / free4;
    gamma_ = 0.5 * fraction_ * alpha_;
  }
  Real at(const std::array<Real, 3> &q) const override {
    const Real x = lengthOf(q[0], q[1], q[2]) * diameter_;
    const auto [second, third, fifth] = moments(x);
    return Real(1) / (1.0 + 24.0 * fraction_ * (alpha_ * second + beta_ * third + gamma_ * fifth));
  }

private:
  /// Integrals of t^n sinc(x t) from 0 to 1, n = 2, 3, 5.
  static std::array<Real, 3> moments(const Real &x) {
    const Real x2 = x * x;
    if (plainly(x) > 2) {
      const Real s = sin(x), c = cos(x), x4 = x2 * x2;
      return {(s - x * c) / (x2 * x), (2.0 * x * s + (2.0 - x2) * c - Real(2)) / x4,
              (-x4 * c + 4.0 * ((3.0 * x2 - Real(6)) * c + (x2 - Real(6)) * x * s + Real(6))) /
                  (x4 * x2)};
    }
    std::array<Real, 3> sums{};
    Real power = 1; // (-x^2)^k / (2k + 1)!
    for (int k = 0; k < 16; ++k) {
      sums = {sums[0] + power / (2.0 * k + 3), sums[1] + power / (2.0 * k + 4),
              sums[2] + power / (2.0 * k + 6)};
      power = -power * x2 / ((2.0 * k + 2) * (2.0 * k + 3));
    }
    return sums;
  }
  Real diameter_, fraction_, alpha_, beta_, gamma_;
};

/// M. Ripoll, C. F. Tejero, Mol. Phys. 85 (1995) 423: a formula close to the direct correlation of
/// the equation of Percus and Yevick, which in two dimensions has no closed one.
template <class Real> class HardDisks : public StructureFactorOf<Real> {
public:
  HardDisks(const Arrangement &, const ArrangementNumbers<Real> &n)
      : diameter_(2.0 * n.at("radius")[0]), fraction_(n.at("fraction")[0]) {
    const double p = 7.0 / 3 - 4 * std::sqrt(3.0) / pi;
    const Real f2 = fraction_ * fraction_, free = 1.0 - fraction_,
               top = 1.0 + fraction_ + 3 * p * f2 - p * f2 * fraction_;
    zero_ = -top / (free * free * free);
    slope_ =
        0.375 * f2 * (8 * (1 - 2 * p) + (25 - 9 * p) * p * fraction_ - (7 - 3 * p) * p * f2) / top;
  }
  Real at(const std::array<Real, 3> &q) const override {
    static const GaussRule rule = gaussRule(16);
    const Real k = lengthOf(q[0], q[1], Real(0)) * diameter_;
    const int panels = 1 + static_cast<int>(plainly(k) / 10);
    Real sum = 0;
    for (int panel = 0; panel < panels; ++panel)
      for (std::size_t i = 0; i < rule.at.size(); ++i) {
        const double x = (panel + (1 + rule.at[i]) / 2) / panels, half = x / 2,
                     overlap = 2 * (std::acos(half) - half * std::sqrt(1 - half * half)) / pi;
        sum = sum + rule.weight[i] / 2 / panels * x *
                        (1.0 + 4 * (overlap - 1) * fraction_ + x * slope_) * besselJ0(x * k);
      }
    return Real(1) / (1.0 - 8.0 * fraction_ * zero_ * sum);
  }

private:
  Real diameter_, fraction_, zero_, slope_;
};

/// R. Hosemann, S. N. Bagchi, Direct Analysis of Diffraction by Matter (1962), in one dimension
/// along the radius, with f = e^{iqd} e^{-q^2 spread^2 / 2} e^{-d / damping}: S = 1 + 2 Re sum of
/// (1 - m/N) f^m.
template <class Real> class Paracrystal : public StructureFactorOf<Real> {
public:
  Paracrystal(const Arrangement &, const ArrangementNumbers<Real> &n)
      : spacing_(n.at("spacing")[0]), spread_(n.at("spread")[0]),
        damped_(n.contains("damping") ? spacing_ / n.at("damping")[0] : Real(0)),
        cells_(n.contains("cells") ? plainly(n.at("cells")[0]) : 0) {}
  Real at(const std::array<Real, 3> &q) const override {
    const Real length = lengthOf(q[0], q[1], Real(0)), turn = length * spacing_,
               log = -0.5 * length * length * spread_ * spread_ - damped_;
    return cells_ > 0 ? finite(turn, log) : endless(turn, log);
  }

private:
  /// (1 - |f|^2) / |1 - f|^2.
  Real endless(const Real &turn, const Real &log) const {
    const Real sine = sin(0.5 * turn), less = expm1(log),
               below = less * less + 4.0 * exp(log) * sine * sine;
    if (plainly(below) == 0)
      return spread_ * spread_ / (spacing_ * spacing_);
    return -expm1(2.0 * log) / below;
  }
  Real finite(const Real &turn, const Real &log) const {
    const auto f = exp(joined(log, turn));
    auto power = f;
    Real sum = 1;
    for (double m = 1; m < cells_; ++m) {
      const Real part = realOf(power);
      sum = sum + 2 * (1 - m / cells_) * part;
      power = power * f;
      if (plainly(m * log) < -45) // e^-45 is below rounding
        break;
    }
    return sum;
  }
  static double realOf(const std::complex<double> &x) { return x.real(); }
  static DualReal realOf(const Dual<std::complex<double>> &x) {
    return {x.value.real(), x.slope.real()};
  }
  Real spacing_, spread_, damped_;
  double cells_;
};

/// Points n1 a + n2 b: N1 x N2 by the sums of M. von Laue. Without an end, pairs at a distance r
/// count e^{-(r/decay)^2/2}. They are summed in the plane, or over peaks by Poisson's formula,
/// whichever has fewer points.
template <class Real> class Lattice : public StructureFactorOf<Real> {
public:
  Lattice(const Arrangement &, const ArrangementNumbers<Real> &n) {
    setVectors(n);
    if (n.contains("cells")) {
      const auto &cells = n.at("cells");
      cells_ = {plainly(cells.front()), plainly(cells.back())};
      return;
    }
    const Real length = sqrt(a_[0] * a_[0] + a_[1] * a_[1]);
    axis_ = {a_[0] / length, a_[1] / length};
    decay_ = {n.at("decay").front(), n.at("decay").back()};
    area_ = cross(a_, b_);
    if (plainly(area_) < 0)
      area_ = -area_;
    byPeaks_ = plainly(decay_[0] * decay_[1]) > plainly(area_) / (2 * pi);
    setPoints();
  }
  Real at(const std::array<Real, 3> &q) const override {
    if (cells_[0] > 0)
      return laue(cells_[0], 0.5 * (q[0] * a_[0] + q[1] * a_[1])) *
             laue(cells_[1], 0.5 * (q[0] * b_[0] + q[1] * b_[1]));
    // The points about q, in the frame of a, or about 0; and their waves.
    const Vector at = framed({q[0], q[1]});
    Real sum = 0;
    const std::array<double, 2> centre = byPeaks_ ? nearest(at) : std::array<double, 2>{};
    for (const auto &[n, m] : points_) {
      const Vector point = pointAt(n + centre[0], m + centre[1]);
      if (byPeaks_)
        sum = sum + bell(at[0] - point[0], at[1] - point[1]);
      else
        sum = sum + bell(point[0], point[1]) * cos(point[0] * at[0] + point[1] * at[1]);
    }
    return byPeaks_ ? 2 * pi * decay_[0] * decay_[1] / area_ * sum : sum;
  }

  /// The distance, nm, of the farthest pairs that count.
  double reach() const {
    constexpr double least = 8; // e^-32
    if (cells_[0] == 0)
      return least * std::max(plainly(decay_[0]), plainly(decay_[1]));
    const double n = cells_[0] - 1, m = cells_[1] - 1;
    const auto diagonal = [&](double sign) {
      return std::hypot(n * plainly(a_[0]) + sign * m * plainly(b_[0]),
                        n * plainly(a_[1]) + sign * m * plainly(b_[1]));
    };
    return std::max(diagonal(1), diagonal(-1));
  }
  /// Directions of a q of that length where S is above 0: their middles, and half how wide. Those
  /// about opposite peaks are one.
  std::vector<std::array<double, 2>> arcs(double q) const {
    const double wide = farthest / std::min(plainly(decay_[0]), plainly(decay_[1]));
    if (!byPeaks_ || q <= wide)
      return {{0, pi / 2}};
    std::vector<std::array<double, 2>> all;
    const auto most = [&](const Vector &of) {
      return std::ceil((q + wide) * std::hypot(plainly(of[0]), plainly(of[1])) / (2 * pi));
    };
    const double turned = std::atan2(plainly(axis_[1]), plainly(axis_[0])), n = most(a_),
                 m = most(b_);
    for (double i = 0; i <= n; ++i)
      for (double j = i == 0 ? 1 : -m; j <= m; ++j) {
        const Vector peak = pointAt(i, j);
        const double x = plainly(peak[0]), y = plainly(peak[1]), g = std::hypot(x, y);
        if (std::abs(g - q) < wide)
          all.push_back({std::atan2(y, x) + turned,
                         std::acos(std::max((q * q + g * g - wide * wide) / (2 * q * g), -1.0))});
      }
    return all;
  }

private:
  using Vector = std::array<Real, 2>;
  static constexpr double farthest = 8.95; // in sigmas of bells: e^-40
  static Real cross(const Vector &a, const Vector &b) { return a[0] * b[1] - a[1] * b[0]; }

  void setVectors(const ArrangementNumbers<Real> &n) {
    if (n.at("a").size() == 2) {
      a_ = {n.at("a")[0], n.at("a")[1]};
      b_ = {n.at("b")[0], n.at("b")[1]};
      return;
    }
    const auto angle = [&](const char *key, double none) {
      return pi / 180 * (n.contains(key) ? n.at(key)[0] : Real(none));
    };
    const Real xi = angle("xi", 0), to = xi + angle("gamma", 90), a = n.at("a")[0],
               b = n.at("b")[0];
    a_ = {a * cos(xi), a * sin(xi)};
    b_ = {b * cos(to), b * sin(to)};
  }

  /// sin^2(N x) / (N sin^2 x).
  static Real laue(double n, const Real &x) {
    const double turns = std::round(plainly(x) / pi);
    const Real off = x - Real(turns * pi), off2 = off * off;
    Real ratio;
    if (const double most = n * std::abs(plainly(off)); most < 0.01)
      ratio =
          n * (1.0 - (n * n - 1) / 6 * off2 + (n * n - 1) * (3 * n * n - 7) / 360 * off2 * off2);
    else
      ratio = sin(n * off) / sin(off);
    return ratio * ratio / n;
  }

  Vector framed(const Vector &v) const {
    return {v[0] * axis_[0] + v[1] * axis_[1], v[1] * axis_[0] - v[0] * axis_[1]};
  }
  Real bell(const Real &x, const Real &y) const {
    const Real u = byPeaks_ ? x * decay_[0] : x / decay_[0],
               v = byPeaks_ ? y * decay_[1] : y / decay_[1];
    return exp(-0.5 * (u * u + v * v));
  }
  /// A point of the lattice, or of its peaks, in the frame of a.
  Vector pointAt(double n, double m) const {
    const Vector first = framed(a_), second = framed(b_);
    if (!byPeaks_)
      return {n * first[0] + m * second[0], n * first[1] + m * second[1]};
    const Real per = Real(2 * pi) / cross(first, second);
    return {per * (n * second[1] - m * first[1]), per * (m * first[0] - n * second[0])};
  }
  /// The peak of about the smallest distance: its numbers.
  std::array<double, 2> nearest(const Vector &q) const {
    const Vector first = framed(a_), second = framed(b_);
    return {std::round(plainly(q[0] * first[0] + q[1] * first[1]) / (2 * pi)),
            std::round(plainly(q[0] * second[0] + q[1] * second[1]) / (2 * pi))};
  }
  /// Those of points whose bells are above e^-40, seen from a place within a cell about 0.
  void setPoints() {
    const auto scaled = [&](const Vector &v) {
      const double x = plainly(v[0]), y = plainly(v[1]), s = plainly(decay_[0]),
                   t = plainly(decay_[1]);
      return byPeaks_ ? std::array{x * s, y * t} : std::array{x / s, y / t};
    };
    const auto a = scaled(pointAt(1, 0)), b = scaled(pointAt(0, 1));
    const double area = std::abs(a[0] * b[1] - a[1] * b[0]), within = byPeaks_ ? 0.5 : 0,
                 reach = farthest + within * (std::hypot(a[0], a[1]) + std::hypot(b[0], b[1])),
                 n = std::ceil(reach * std::hypot(b[0], b[1]) / area),
                 m = std::ceil(reach * std::hypot(a[0], a[1]) / area);
    for (double i = -n; i <= n; ++i)
      for (double j = -m; j <= m; ++j)
        if (std::hypot(i * a[0] + j * b[0], i * a[1] + j * b[1]) <= reach)
          points_.push_back({i, j});
  }

  Vector a_, b_, axis_, decay_;
  Real area_ = 0;
  std::array<double, 2> cells_{};
  bool byPeaks_ = false;
  std::vector<std::array<double, 2>> points_;
};

/// Straight lines between its values, the first and the last beyond.
template <class Real> class Table : public StructureFactorOf<Real> {
public:
  Table(const Arrangement &of, const ArrangementNumbers<Real> &) : q_(of.q), s_(of.s) {}
  Real at(const std::array<Real, 3> &q) const override {
    const Real length = lengthOf(q[0], q[1], q[2]);
    const double here = std::clamp(plainly(length), q_.front(), q_.back());
    const auto i = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
        std::ranges::upper_bound(q_, here) - q_.begin(), 1, std::ssize(q_) - 1));
    const double slope = (s_[i] - s_[i - 1]) / (q_[i] - q_[i - 1]);
    if (here != plainly(length))
      return s_[i - 1] + slope * (here - q_[i - 1]);
    return along(length, s_[i - 1] + slope * (here - q_[i - 1]), slope);
  }

private:
  std::vector<double> q_, s_;
};

} // namespace facet::runtime::arrangement
