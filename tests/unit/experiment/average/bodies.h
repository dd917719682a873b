// bodies.h - form factors in closed form, and a box's mean of |F|^2, for the tests of averages.
#pragma once
#include "runtime/scattering/sample/curve.h"
#include <array>
#include <cmath>
#include <complex>
#include <facet/runtime/grid.h>
#include <functional>

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

/// F on a list of points.
struct Amplitudes {
  std::vector<std::complex<double>> f; // in the order of the points
  double error = 0;                    // largest |error| of f, in its unit
};
using AmplitudeFunction = std::function<Amplitudes(const runtime::Grid &points)>;

struct Options : runtime::CurveOptions {
  double volume = 0; // nm^3, of the particle at scale 1; 0: I is not divided by a volume
};

/// The curve by any F, a call a band, as facet run has it by units.
inline runtime::Curve averagedCurve(const std::vector<double> &q,
                                    const AmplitudeFunction &amplitude, const Options &options) {
  const std::vector<runtime::Band> bands = runtime::bandsOf(q, options);
  std::vector<std::vector<std::vector<runtime::SphereSums>>> sums;
  std::vector<double> errors;
  for (const runtime::Band &band : bands) {
    runtime::Grid points;
    points.kind = runtime::Grid::Kind::Points;
    for (const runtime::Sphere &sphere : band.spheres)
      for (std::int64_t i = 0; i < band.points(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
          points.axes[k].re.push_back(sphere.k * band.at(i).at[k]);
    const Amplitudes a = amplitude(points);
    std::vector<double> squares;
    for (const auto &f : a.f)
      squares.push_back(std::norm(f));
    double largest = 0;
    auto &of = sums.emplace_back();
    for (std::size_t s = 0; s < band.spheres.size(); ++s) { // in two parts
      const double *const values = squares.data() + static_cast<std::int64_t>(s) * band.points();
      const std::int64_t half = band.points() / 2;
      of.push_back({runtime::SphereSums::of(band, 0, values, half),
                    runtime::SphereSums::of(band, half, values + half, band.points() - half)});
      largest = std::max({largest, of[s][0].largest, of[s][1].largest});
    }
    errors.push_back(largest > 0 ? a.error / std::sqrt(largest) : 0);
  }
  runtime::Curve curve = runtime::curveOf(q, bands, sums, errors);
  const double volume = options.volume * (options.sizes.empty() ? 1 : meanCube(options.sizes));
  for (std::size_t i = 0; i < q.size() && volume > 0; ++i) {
    curve.intensity[i] /= volume;
    curve.deviation[i] /= volume;
  }
  return curve;
}

/// A function of real q as averagedCurve calls it; counts calls and q.
struct Counted {
  double (*f)(const std::array<double, 3> &q);
  double error = 0;
  int calls = 0;
  std::int64_t points = 0;
  std::vector<std::int64_t> sizes{};

  AmplitudeFunction function() {
    return [this](const runtime::Grid &grid) {
      ++calls;
      points += grid.size();
      sizes.push_back(grid.size());
      Amplitudes a;
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
