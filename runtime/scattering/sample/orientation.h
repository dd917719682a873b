// orientation.h - what intensities are averaged over: Gauss-Legendre nodes, directions on the
// sphere, sets of orientations of a particle, lists, about z, all, textures; with weights.
//
// |F(q)|^2 of a body on a sphere of q is a sum of spherical harmonics up to a degree of about
// 2 |q| R, R half the largest distance within the body. A rule for a higher degree is as good as
// exact; one for a lower degree is far off. docs/experiments.md has both in numbers.
#pragma once
#include "runtime/scattering/sample/point_group.h"
#include <array>
#include <cstdint>
#include <facet/runtime/scene.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Nodes in ]-1, 1[, ascending and symmetric about 0, and weights, which sum to 2. Polynomials of
/// degree 2m - 1 are integrated exactly.
struct GaussRule {
  std::vector<double> at, weight;
};
/// m nodes, in about m^2 multiply-adds. Throws Error unless m is 1 to 5000.
GaussRule gaussRule(int m);

struct Direction {
  std::array<double, 3> at; // a unit vector
  double weight = 0;        // in the average; all sum to 1
};

/// The order m that averages |F|^2 at |q| R to about 1e-9: ceil(|q| R) + 12.
int gaussOrder(double qRadius);

/// Gauss-Legendre of m nodes in cos theta by 2m equal angles phi: exact for spherical harmonics of
/// degree 2m - 1. `half`: only phi in [0, pi[, m * m directions, none of which is another's
/// negative. That is enough for values with f(-q) = f(q), such as |F|^2 of a real density.
/// directionsOf() is their number; gaussDirection() is number i of them, for a rule of m nodes.
std::int64_t directionsOf(int m, bool half);
double gaussWeight(const GaussRule &rule, bool half, std::int64_t i);
Direction gaussDirection(const GaussRule &rule, bool half, std::int64_t i);

/// The average of a value v over a set is the sum of weight * v. Its error is estimated by the sum
/// of (weight - half) * v, the difference to a rule of half the order. That rule's angles begin
/// elsewhere, so that no symmetry of the body is one of both. The estimate is the error of the
/// poorer rule: with the counts of anglesFor, the error is far smaller. Without an estimate,
/// orientations of weight 0 can be left out.
struct Orientation {
  std::array<double, 9> rotation; // row-major, as rotated() takes it
  double weight = 0;              // all sum to 1
  double half = 0;                // the weight in the rule of half the order; all sum to 1
};

/// Orientations as given: Euler angles in degrees as eulerZyz takes them. Weights of any sum, >= 0;
/// none: all equal. half = weight, since nothing is approximated. Throws Error for an empty list,
/// another number of weights, angles that are no numbers.
std::vector<Orientation> orientationList(const std::vector<std::array<double, 3>> &degrees,
                                         const std::vector<double> &weights = {});

/// How many angles average |F|^2 to about 1e-10: equal ones over a full turn, n >= 2 |q| R + 20,
/// and Gauss-Legendre in cos beta, ceil(|q| R) + 12. |q| is the largest length of q across the axis
/// of the turn. R is half the largest distance across it, nm.
struct AngleCounts {
  int turn = 0, tilt = 0;
};
AngleCounts anglesFor(double qRadius);

/// n equal angles about z: an in-plane powder. Exact for values of less than n periods a turn. Half
/// as many more are there for the half rule. `turns`: after such a part of a turn the body is the
/// same, so that the first part is enough. Throws Error for n < 2.
std::vector<Orientation> orientationsAboutZ(int n, int turns = 1);

/// All orientations alike: Rz(alpha) Ry(beta) Rz(gamma), alpha and gamma `turn` equal angles each,
/// beta Gauss-Legendre of `tilt` nodes in cos beta. Exact for degrees below turn and 2 tilt.
/// turn^2 tilt orientations, and an eighth of them for the half rule. For a body with a point group
/// `turn` alpha with each direction of its SphereRule.
std::vector<Orientation> allOrientations(const AngleCounts &counts, const PointGroup &group = {});

/// A partial texture: the particle's z axis leans by beta from z, to any side alike. Its density is
/// exp(-beta^2 / 2 sigma^2) per solid angle up to five sigmas, at most pi. The particle stands
/// turned about its own axis by any angle. `turn` is the number of equal angles, for the side and
/// for the turn about the axis; `tilt` is that of Gauss-Legendre nodes in beta. `turns`: as of
/// orientationsAboutZ. Throws Error if counts < 2 or sigma is not above 0.
std::vector<Orientation> tiltedOrientations(double sigmaDegrees, const AngleCounts &counts,
                                            int turns = 1);
/// How one of these changes with sigma, a degree^-1: its rotation, and the log of its weight, up to
/// a number that all share.
struct TiltChange {
  std::array<double, 9> rotation;
  double logWeight = 0;
};
TiltChange tiltChange(double sigmaDegrees, const std::array<double, 9> &rotation);

/// What orientations are averaged over.
struct Average {
  const char *name;
  bool aboutZ;     // turns about z alone: what lies across it decides how many angles
  const char *key; // of its density: its width, "sigma" or "kappa", or "density"; "": it has none
  /// `group`: of the body before it is turned.
  std::vector<Orientation> (*set)(const AngleCounts &counts, const Orientations &how,
                                  const PointGroup &group);
};
/// How many angles an average takes, for |q| R: sharp densities take more than anglesFor().
AngleCounts anglesFor(const Orientations &how, double qRadius);
/// The rotations of an average, about its director. `group`: of the body before they turn it.
std::vector<Orientation> orientationsOf(const Average &average, const AngleCounts &counts,
                                        const Orientations &how, const PointGroup &group);
/// The integral over u of [-1, 1] of e^{kappa u^2} (Maier-Saupe) and of e^{kappa u}
/// (von Mises-Fisher), each over its largest value; of e^{-sin^2 a / 2 sigma^2} over a turn. In
/// closed form.
double maierSaupeIntegral(double kappa);
double fisherIntegral(double kappa);
double cyclicIntegral(double sigmaDegrees);
/// How one of the rotations changes with the width of the density: as of TiltChange.
TiltChange widthChange(const Orientations &how, const PointGroup &group,
                       const std::array<double, 9> &rotation);
/// Null if there is no such average; "none" is none.
const Average *findAverage(const std::string &name);
/// "none" and the averages; `plain`: those that have no density.
std::vector<std::string> averageNames(bool plain = false);

} // namespace facet::runtime
