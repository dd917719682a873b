// sizes.h - distributions of sizes, as SasView's sasmodels has them: scales with weights.
//
// A size scales all lengths of a particle: F_s(q) = s^3 F(s q), its volume is s^3 V.
#pragma once
#include <facet/runtime/scene.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// The same with the type's defaults in place of zeros. Throws Error: an unknown type, with the
/// nearest; numbers out of range; nsigmas other than 1 with "uniform".
SizeSpread withDefaults(SizeSpread options);
/// The types, in the order of SizeSpread.
std::vector<std::string> sizeTypes();

struct Size {
  double scale = 1;  // of all lengths, > 0
  double weight = 1; // share of the number of particles; all sum to 1
};
/// The sizes, ascending; those not above 0 are left out before weights are made to sum to 1.
std::vector<Size> sizesOf(const SizeSpread &options);
/// Mean of s^3: the mean volume of a particle over that at scale 1. An intensity per volume of
/// particles is sum of weight |F_s|^2, divided by V meanCube.
double meanCube(const std::vector<Size> &sizes);

} // namespace facet::runtime
