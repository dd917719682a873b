// curve.h - the orientation-averaged curve I(|q|) of a particle, with its error.
#pragma once
#include "runtime/experiment/average/sizes.h"
#include <complex>
#include <facet/runtime/curve.h>
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <functional>
#include <vector>

namespace facet::runtime {

/// F on a list of points.
struct Amplitudes {
  std::vector<std::complex<double>> f; // in the order of the points
  double error = 0; // largest |error| of f, in its unit: a plan's measured error times max|F|
};
/// Evaluates F on a grid of Kind::Points with real q. It is called a few times, once or more a band
/// of |q|, so that an error relative to max|F| is one relative to the F of the band.
using AmplitudeFunction = std::function<Amplitudes(const Grid &points)>;

struct CurveOptions {
  double radius = 0;       // nm: half the largest distance within the particle, halfExtent(mesh)
  std::vector<Size> sizes; // scales of the particle (sizesOf); empty: one size
  int power = 3;           // d of F_s(q) = s^d F(s q): 3 of volumes, 2 of surfaces, 0 of atoms
  double volume = 0;       // nm^3, of the particle at scale 1; 0: I is not divided by a volume
  double factor = 1;       // I is multiplied by it; absoluteFactor() makes 1/cm of nm^3
  bool realDensity = true; // F(-q) = conj F(q), so that half of the directions do
  std::int64_t batch = 1 << 20; // q of one call of F, at most
  /// Called before each call of F, and at the end: q done, and all.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

/// I(q) = factor * sum_s w_s s^2d <|F(s q)|^2> / (volume * sum_s w_s s^3), <> over all
/// orientations.
///
/// Each |q| s R takes Gauss-Legendre directions of an order of ceil(|q| s R) + 12 or a little more.
/// deviation: the difference to the order less 6, which has half of the margin that makes the rule
/// converge, plus what the error of F does to |F|^2. (Half the order would be off by as much as I
/// itself wherever the order is no more than needed.) Title, unit and provenance are
/// the caller's.
///
/// Throws Error: q below 0 or not finite, no radius, F of another length or not finite.
///
///   CurveOptions options;
///   options.radius = halfExtent(mesh);
///   options.volume = inspect(mesh).volume;
///   Curve curve = averagedCurve(q, [&](const Grid &points) {
///     Plan plan(kernel, points, mesh);
///     Amplitudes a{plan.execute(), 0};
///     double largest = 0;
///     for (auto f : a.f) largest = std::max(largest, std::abs(f));
///     a.error = plan.measure().error * largest;
///     return a;
///   }, options);
///   curve.unit = "nm^3";
///   writeNxcansas(curve, "curve.h5");
Curve averagedCurve(const std::vector<double> &q, const AmplitudeFunction &amplitude,
                    const CurveOptions &options);
/// The number of q at which averagedCurve would evaluate F.
std::int64_t curvePoints(const std::vector<double> &q, const CurveOptions &options);

/// The radius of the sphere about the middle of the bounding box that holds the mesh, nm: never
/// below half the largest distance, and equal to it for boxes and balls. Throws Error for records
/// that have no place.
double halfExtent(const Mesh &mesh);

/// What makes dSigma/dOmega in 1/cm of |F|^2 / V in nm^3: 1e7 * fraction * contrast^2, with the
/// volume fraction of the particles and the contrast of scattering length densities, nm^-2.
double absoluteFactor(double volumeFraction, double contrast);

} // namespace facet::runtime
