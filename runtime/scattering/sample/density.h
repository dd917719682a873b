// density.h - a table of a density of directions, and the Gauss rules that it makes.
//
// |F|^2 is a sum of spherical harmonics up to a degree of about 2 |q| R. If the density p is the
// weight of a rule, a rough p takes no more nodes than a smooth one. Gauss's m nodes of the weight
// p in u = cos theta are exact for p times polynomials of degree 2m - 1. They are made by the
// discretized Stieltjes procedure (W. Gautschi, Orthogonal Polynomials (2004), 2.2).
#pragma once
#include "runtime/scattering/sample/orientation.h"
#include <optional>

namespace facet::runtime {

/// A table of `Orientations` as a function: linear in theta and in phi between its values. If theta
/// ends at 90 degrees, directions u and -u have the same density. Angles in radians.
class DensityTable {
public:
  /// Throws Error: too few or no numbers, not ascending, out of range, below 0, 0 everywhere.
  explicit DensityTable(const Orientations &how);
  /// A steradian, up to a factor that all share.
  double at(double theta, double phi) const;
  /// Whether it depends on phi.
  bool turns() const { return phi_.size() > 1; }
  /// Where it is linear between, from 0 to pi.
  std::vector<double> tilts() const;
  /// Gauss nodes of the density at one phi, theta ascending; none if it is 0 there. They are m in
  /// u = cos theta; of a table that turns 1.6 m in theta: odd harmonics have a factor sin theta,
  /// which is no polynomial of u.
  GaussRule tiltRule(double phi, int m) const;
  /// Gauss-Legendre in phi between the values of a table that turns, for functions of less than
  /// `turn` periods a turn; `isHalf`: with half the nodes.
  GaussRule turnRule(int turn, bool isHalf) const;

private:
  bool mirrored_;
  std::vector<double> theta_, phi_, values_; // values_[theta * phi_.size() + phi]
};

/// Gauss's rule of m nodes for a measure that is a sum of points, weights 0 or more. Fewer nodes,
/// if there are fewer points. Weights sum to those of the points; nodes ascend.
GaussRule gaussRule(const GaussRule &points, int m);

/// Turns z to the director.
Matrix3 toDirector(const Orientations &how);
/// The log of the densities that have a kappa, over u = cos beta, up to a number.
double logDensity(const Orientations &how, double u);

/// Any density of orientations, for pictures: of the axis of the particle, a steradian. A
/// "cyclic-gaussian" is one of turns, a radian, drawn where they bring x, turned to the director.
class AxisDensity {
public:
  explicit AxisDensity(const Orientations &how);
  /// At a unit vector of the lab; NaN more than 3 degrees off the circle that turns go along.
  double at(const Vec3 &u) const;
  bool ofTurns() const { return how_.average == "cyclic-gaussian"; }
  /// What an orientation brings to a place of the sphere: the axis, or x.
  Vec3 seen(const Matrix3 &rotation) const;

private:
  double raw(double theta, double phi) const;
  Orientations how_;
  Matrix3 to_;
  std::optional<DensityTable> table_;
  double all_ = 1;
};

} // namespace facet::runtime
