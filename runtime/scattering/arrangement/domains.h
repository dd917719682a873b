// domains.h - a lattice whose domains are turned: the mean of S over the lattice's angle xi.
//
// Sigma of xi is that of a Gaussian, wrapped about a circle. S and the density have harmonics of xi
// up to some order each: J_m(x) of the farthest pair, x = q r, falls fast once m is above x. So
// equal steps sum both to rounding, if there are more of them than both orders together.
#pragma once
#include "runtime/scattering/arrangement/kinds.h"

namespace facet::runtime::arrangement {

template <class Real> class Domains : public StructureFactorOf<Real> {
public:
  Domains(const Arrangement &of, const ArrangementNumbers<Real> &n)
      : one_(of, n), sigma_(n.contains("xi_spread") ? pi / 180 * n.at("xi_spread")[0] : Real(0)) {}
  Real at(const std::array<Real, 3> &q) const override {
    const double sigma = plainly(sigma_);
    if (sigma == 0)
      return one_.at(q);
    const double length = std::hypot(plainly(q[0]), plainly(q[1])), x = length * one_.reach(),
                 step = pi / std::ceil((x + 12 * std::cbrt(x / 2) + 21 + far / sigma) / 2);
    const double aside = std::min(far * sigma, pi / 2);
    Real sum = 0;
    for (const auto &[first, last] : stretches(length, std::atan2(plainly(q[1]), plainly(q[0])),
                                               step, std::ceil(aside / step - 0.5)))
      for (double k = first; k <= last; ++k) {
        const double c = std::cos(k * step), s = std::sin(k * step);
        sum = sum + step * density(k * step) *
                        one_.at({c * q[0] + s * q[1], c * q[1] - s * q[0], Real(0)});
      }
    return sum;
  }

private:
  static constexpr double far = 8.5; // sigmas, beyond which there is e^-36

  /// Where there is something, as numbers of steps from -most to most, ascending and apart.
  std::vector<std::array<double, 2>> stretches(double length, double direction, double step,
                                               double most) const {
    const double turn = std::round(pi / step); // S is the same after half a turn
    most = std::min(most, turn / 2);
    const double end = 2 * most < turn ? most : turn - most - 1;
    std::vector<std::array<double, 2>> all, apart;
    for (const auto &[middle, half] : one_.arcs(length)) {
      const double from = std::ceil((direction - middle - half) / step),
                   to = std::floor((direction - middle + half) / step);
      const double low = from - turn * std::floor((from + most) / turn); // in [-most, turn - most[
      for (const double back : {0.0, turn})
        if (low - back <= end && low - back + to - from >= -most)
          all.push_back({std::max(low - back, -most), std::min(low - back + to - from, end)});
    }
    std::ranges::sort(all);
    for (const auto &[from, to] : all)
      if (const double next = apart.empty() ? from : std::max(from, apart.back()[1] + 1);
          next <= to)
        apart.push_back({next, to});
    return apart;
  }

  /// That of xi, with half a turn as its period.
  Real density(double xi) const {
    Real sum = 0;
    if (plainly(sigma_) > 1) {
      for (double m = 1; m < 5; ++m)
        sum = sum + 2 * std::cos(2 * m * xi) * exp(-2 * m * m * sigma_ * sigma_);
      return 1 / pi * (1.0 + sum);
    }
    const double reach = far * plainly(sigma_);
    for (double j = std::ceil((-reach - xi) / pi); j <= (reach - xi) / pi; ++j) {
      const Real away = Real(xi + j * pi) / sigma_;
      sum = sum + exp(-0.5 * away * away);
    }
    return sum / (std::sqrt(2 * pi) * sigma_);
  }

  Lattice<Real> one_;
  Real sigma_;
};

} // namespace facet::runtime::arrangement
