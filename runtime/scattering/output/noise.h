// noise.h - the noise of counting: numbers of photons, drawn by a seed and their place alone.
#pragma once
#include <cstdint>

namespace facet::runtime {

/// A number drawn from Poisson's distribution with this mean; NaN of NaN. Seed, image and pixel fix
/// it, whatever else is drawn.
double poisson(double mean, std::uint64_t seed, std::uint64_t image, std::uint64_t pixel);

} // namespace facet::runtime
