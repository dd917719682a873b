// bodies.h - form factors in closed form, and a box's mean of |F|^2, for the tests of averages.
#pragma once
#include "runtime/experiment/average/curve.h"
#include <array>
#include <cmath>
#include <numbers>

namespace facet::test {

inline constexpr std::array<double, 3> boxSize{20, 30, 10}; // nm
inline constexpr double boxVolume = 6000;
inline const double boxRadius = 0.5 * std::sqrt(20.0 * 20 + 30 * 30 + 10 * 10);

inline double sincOf(double u) { return std::abs(u) < 1e-8 ? 1 - u * u / 6 : std::sin(u) / u; }

/// F of the box about the origin: real.
inline double boxF(const std::array<double, 3> &q) {
  double f = boxVolume;
  for (std::size_t k = 0; k < 3; ++k)
    f *= sincOf(0.5 * q[k] * boxSize[k]);
  return f;
}

/// F / V of a ball, x = q R.
inline double ballF(double x) {
  if (x < 0.05) // its series: the closed form cancels
    return 1 - x * x / 10 + x * x * x * x / 280;
  return 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}
inline double ballP(double x) { return ballF(x) * ballF(x); }

/// A function of real q as averagedCurve calls it; counts calls and q.
struct Counted {
  double (*f)(const std::array<double, 3> &q);
  double error = 0;
  int calls = 0;
  std::int64_t points = 0;
  std::vector<std::int64_t> sizes{};

  runtime::AmplitudeFunction function() {
    return [this](const runtime::Grid &grid) {
      ++calls;
      points += grid.size();
      sizes.push_back(grid.size());
      runtime::Amplitudes a;
      a.error = error;
      for (std::int64_t i = 0; i < grid.size(); ++i) {
        const auto q = grid.at(i);
        a.f.emplace_back(f({q[0].real(), q[1].real(), q[2].real()}));
      }
      return a;
    };
  }
};

/// <|F|^2> / V^2 of the box: sums good to 13 digits, with sasmodels' parallelepiped 5e-13 apart.
struct Known {
  double q, p;
};
inline constexpr Known boxAverages[] = {{0.1, 0.679375818928829},
                                        {0.5, 0.00692446196267},
                                        {1, 5.10672203133e-4},
                                        {2, 2.36768721282e-5},
                                        {5, 1.60365207059e-7}};

} // namespace facet::test
