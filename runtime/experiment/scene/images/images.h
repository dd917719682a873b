// images.h - the images of a scene: one an angle of incidence, and a value of a grid's third axis.
#pragma once
#include "runtime/experiment/scene/images/pixels.h"
#include <memory>

namespace facet::runtime {

/// What is known of an image before it is computed.
struct SceneView {
  std::shared_ptr<const Pixels> pixels;
  double alphaI = 0;       // deg; 0 in transmission
  std::int64_t slice = -1; // which value of the third axis; -1: there are two axes
  std::string suffix;      // of its groups and pictures: "", "_2", "_qx_17", "_2_qx_17"
  std::string title;       // "alpha_i = 0.2 deg, qx = 0.1 1/nm"; "" of the only image of all
};

/// Angle by angle, of each the values of the third axis in their order. `k` nm^-1, 0 where no
/// wavelength is stated; `half`: nm, as Pixels has it. Throws Error as Pixels does, and where no
/// image has a pixel in front of the sample.
std::vector<SceneView> viewsOf(const Experiment &experiment, const Stack &stack, double k,
                               double half);

} // namespace facet::runtime
