// sizes.h - a distribution of sizes as a few sizes with weights, and what these leave out.
//
// By quadrature: the trapezoidal rule in a variable s in which the distribution is about Gaussian.
// It converges exponentially in the step (L. N. Trefethen, J. A. C. Weideman, SIAM Rev. 56 (2014)
// 385). Sizes go as far as x^6 f(x) does, since intensities of volumes grow so; steps follow
// |q| R, since |F(q x)|^2 oscillates in x with up to 2 |q| R. Or as sasmodels: equidistant in x.
#pragma once
#include "runtime/scattering/sample/dual.h"
#include <facet/runtime/scene.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// The options with the type's defaults in place of zeros, and a rule. Throws Error for an unknown
/// type or rule, with the nearest one, for numbers out of range, and for nsigmas other than 1 with
/// "uniform".
SizeSpread withDefaults(SizeSpread options);
/// The types, and the rules, in the order of SizeSpread.
std::vector<std::string> sizeTypes();
std::vector<std::string> sizeRules();

/// A size scales all lengths of a particle: F_s(q) = s^3 F(s q), its volume is s^3 V.
template <class Real> struct SizeOf {
  Real scale = 1;  // of all lengths, > 0
  Real weight = 1; // share of the number of particles; all sum to 1
  Real half = 1;   // the same in a rule of half the sizes, for an estimate of the error
};
using Size = SizeOf<double>;
/// How far moments of the sizes, of powers up to 6, are off those of the distribution, as a part of
/// theirs. An intensity lacks at most this much, since the largest sizes, which scatter most, are
/// left out.
double lossOf(const SizeSpread &options);
/// The sizes, ascending; those not above 0 are left out before weights are made to sum to 1.
/// `qRadius`: the largest |q| R there will be, R half the largest distance within the particle at
/// scale 1; the largest size does not depend on it. Throws Error if sizes of more than 1e6 scatter.
std::vector<Size> sizesOf(const SizeSpread &options, double qRadius);
double largestSize(const SizeSpread &options);
/// The sizes with their slopes as width and nsigmas change by so much. If the width is 0, slopes
/// are 0: all types grow alike to both sides.
std::vector<SizeOf<DualReal>> sizesAlong(const SizeSpread &options, double qRadius, double byWidth,
                                         double byNsigmas);
/// |F(q x)|^2 may turn from bright to dark and back between sizes that are as far apart, times
/// |q| R, and a rule does not see it: its period is pi.
inline constexpr double mostApart = 2;
/// How much of what scatters at large |q| R (s^2 each) is of sizes so far apart.
double shareApart(const std::vector<Size> &sizes, double qRadius);
/// Mean of s^power.
template <class Real> Real meanPower(const std::vector<SizeOf<Real>> &sizes, int power) {
  Real sum = 0;
  for (const SizeOf<Real> &size : sizes) {
    Real value = size.weight;
    for (int k = 0; k < power; ++k)
      value = value * size.scale;
    sum = sum + value;
  }
  return sum;
}
/// The mean volume of a particle over that at scale 1. An intensity per volume of particles is sum
/// of weight |F_s|^2, divided by V meanCube.
template <class Real> Real meanCube(const std::vector<SizeOf<Real>> &sizes) {
  return meanPower(sizes, 3);
}

} // namespace facet::runtime
