// curve.h - the orientation-averaged curve I(|q|) of a particle: where F is needed, and what comes
// of it.
//
// I(q) = sum_s w_s s^2d <|F(s q)|^2>, <> over all orientations. Each |q| s R takes Gauss-Legendre
// directions of an order of ceil(|q| s R) + 12 or a little more. The error that is stated has three
// parts. The first is the difference to the order less 6, which has half of the margin that makes
// the rule converge. (Half the order would be off by as much as I itself wherever the order is no
// more than needed.) The second is what the error of F does to |F|^2. The third is what sizes miss:
// the difference to every second one, those left out as they are large, and all of those that are
// too far apart.
#pragma once
#include "runtime/scattering/sample/directions.h"
#include "runtime/scattering/sample/sizes.h"
#include <complex>
#include <cstdint>
#include <facet/runtime/curve.h>
#include <vector>

namespace facet::runtime {

struct CurveOptions {
  double radius = 0;       // nm: half the largest distance within the particle, at its largest
  std::vector<Size> sizes; // scales of the particle (sizesOf); empty: one size
  int power = 3;           // d of F_s(q) = s^d F(s q): 3 of volumes, 2 of surfaces, 0 of atoms
  bool realDensity = true; // F(-q) = conj F(q), so that half of the directions do
  CurveDirections directions;
  PointGroup group; // of the particle
};

/// A sphere of q: what one size adds to one value of the curve.
struct Sphere {
  double k = 0;         // its radius, nm^-1
  std::size_t at = 0;   // which value of the curve
  double weight = 0;    // of <|F|^2> in it: w_s s^2d
  double half = 0;      // the same by every second size
  std::size_t size = 0; // which of the sizes
  double unsure = 0;    // of the weight: that of sizes too far apart for |q| R (mostApart)
  double beyond = 0;    // of <|F|^2> in it: at most what sizes left out may add, where it falls
  double amplitude = 0; // of <F> in it: w_s s^d
};

/// Spheres that take the same directions: those of a rule, then those of its partner of a lower
/// order. An error relative to max|F| in a band is one relative to the F that matter there.
class Band {
public:
  Band(int order, const CurveOptions &options);
  int order() const { return order_; }
  std::int64_t directions() const { return directions_.ofRule(); } // of the rule
  std::int64_t points() const { return directions_.count(); }
  /// Direction number i < points(), with its weight in its own rule.
  Direction at(std::int64_t i) const { return directions_.at(i); }
  double weight(std::int64_t i) const { return directions_.weight(i); }
  double inPartner(std::int64_t i) const { return directions_.inPartner(i); }
  bool mirrored() const {
    return mirrored_;
  } // F(-q) = conj F(q): half of the directions stand for all

  std::vector<Sphere> spheres; // of ascending k

private:
  int order_;
  bool mirrored_;
  Directions directions_;
};

/// The bands, in ascending order. Throws Error if a q is below 0 or not finite, there is no radius,
/// or directions are too many.
std::vector<Band> bandsOf(const std::vector<double> &q, const CurveOptions &options);

/// Sums over some points of a sphere.
struct SphereSums {
  double rule = 0, partner = 0;  // of weight |F|^2, by both rules
  double largest = 0;            // |F|^2
  std::complex<double> mean = 0; // of weight F, by the rule; 0 where it is not asked for
  /// The sums over points [first, first + count) of a sphere, in their order; values: |F|^2 there;
  /// amplitudes: F; null: they are not asked for.
  static SphereSums of(const Band &band, std::int64_t first, const double *values,
                       std::int64_t count, const std::complex<double> *amplitudes = nullptr);
};

/// The curve from the sums of all spheres, band by band, each sphere in some parts. `errors`: of F,
/// relative to the largest |F| of each band; `loss`: of the sizes (lossOf). `excess`: S - 1, times
/// which |<F>|^2 is added; empty: it is not. Fills q, intensity, deviation, directions.
Curve curveOf(const std::vector<double> &q, const std::vector<Band> &bands,
              const std::vector<std::vector<std::vector<SphereSums>>> &sums,
              const std::vector<double> &errors, double loss = 0,
              const std::vector<double> &excess = {});

} // namespace facet::runtime
