// sizes.h - distributions of sizes, as SasView's sasmodels has them: scales with weights.
//
// A size scales all lengths of a particle: F_s(q) = s^3 F(s q), its volume is s^3 V.
#pragma once
#include <string>
#include <vector>

namespace facet::runtime {

/// Numbers of particles by size. Defaults are those of sasmodels 1.1.0 (weights.py).
struct SizeOptions {
  /// "gaussian", "lognormal" (its centre, 1, is the median), "schulz" (the mean), "uniform" (all
  /// within +-width).
  std::string type = "gaussian";
  double width = 0;   // sigma / centre, >= 0; 0: one size
  int points = 0;     // equidistant sizes; 0: the type's default, 35 or 80
  double nsigmas = 0; // they go so many sigmas to each side; 0: the type's default, 3 or 8
};
/// The same with the type's defaults in place of zeros. Throws Error: an unknown type, with the
/// nearest; numbers out of range; nsigmas other than 1 with "uniform".
SizeOptions withDefaults(SizeOptions options);
/// The types, in the order of SizeOptions.
std::vector<std::string> sizeTypes();

struct Size {
  double scale = 1;  // of all lengths, > 0
  double weight = 1; // share of the number of particles; all sum to 1
};
/// The sizes, ascending; those not above 0 are left out before weights are made to sum to 1.
std::vector<Size> sizesOf(const SizeOptions &options);
/// Mean of s^3: the mean volume of a particle over that at scale 1. An intensity per volume of
/// particles is sum of weight |F_s|^2, divided by V meanCube.
double meanCube(const std::vector<Size> &sizes);

} // namespace facet::runtime
