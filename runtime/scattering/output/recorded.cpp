// recorded.cpp - beams are summed, their sum is spread.
#include "runtime/scattering/output/recorded.h"
#include "runtime/scattering/output/scene_file.h"
#include <cmath>

namespace facet::runtime {

SharpImage recordedOf(const SceneLayout &layout, std::size_t image,
                      const std::function<SharpImage(std::size_t beam)> &read) {
  SharpImage all = read(image);
  if (layout.spreads.empty())
    return all;
  const PointSpread &spread = *layout.spreads[image];
  all.intensity = spread.of(all.intensity);
  if (!all.errors.empty())
    all.errors = spread.of(all.errors);
  return all;
}

std::vector<std::vector<double>> pullRecorded(const SceneLayout &layout, std::size_t image,
                                              const std::vector<double> &cotangent,
                                              const std::vector<double> &recorded) {
  return {layout.spreads.empty() ? cotangent : layout.spreads[image]->pull(cotangent, recorded)};
}

} // namespace facet::runtime
