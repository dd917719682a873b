// recorded.h - the images that a detector records of those that are computed: of the beams of each,
// and its point spread.
#pragma once
#include "runtime/scattering/detector/image_resolution.h"
#include <functional>

namespace facet::runtime {

struct SceneLayout;

/// Intensities, and their errors where there are some.
struct SharpImage {
  std::vector<double> intensity, errors;
};
/// The image number `image` of SceneLayout::seen(), of the images of its beams, which `read` gives.
SharpImage recordedOf(const SceneLayout &layout, std::size_t image,
                      const std::function<SharpImage(std::size_t beam)> &read);
/// All of them, of intensities or slopes.
std::vector<std::vector<double>> recordedOf(const SceneLayout &layout,
                                            const std::vector<std::vector<double>> &computed);
/// dL by each computed image, from that by one of those that are recorded. `recorded`: that image.
std::vector<std::vector<double>> pullRecorded(const SceneLayout &layout, std::size_t image,
                                              const std::vector<double> &cotangent,
                                              const std::vector<double> &recorded);

} // namespace facet::runtime
