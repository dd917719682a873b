// compute.h - the images of a scene: tile of pixels by tile, channels, poses, averages.
#pragma once
#include "runtime/experiment/scene/form_factor.h"
#include "runtime/experiment/scene/images/images.h"
#include <complex>
#include <facet/runtime/experiment.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace facet::runtime {

/// What a scene needs of the program around it.
struct SceneHost {
  std::function<Kernel(const Grid &)> kernel; // a library for such a grid
  std::function<PlanOptions(const Kernel &)> options;
  std::function<void(double done, double total)> progress; // triangle-q-points
  std::function<void(const std::string &)> say, warn;
};

/// An image with its values by rows; NaN behind the sample.
struct SceneImage : SceneView {
  std::vector<double> intensity;
  std::vector<double> errors; // of averages: the difference to those of half the order
  std::vector<std::complex<double>> amplitude; // where asked for
};

struct SceneResult {
  std::vector<SceneImage> images;
  std::string quantity, unit; // of the intensity: "dsigma/dOmega", "nm^2"
  std::string amplitudeName, amplitudeUnit;
  Evaluations evaluations;
  /// Phi of a first pose at some pixels against the reference in double: the largest difference
  /// over the largest |Phi| of the image; and at how many pixels. Cancellation among channels is in
  /// it.
  double phiError = 0;
  std::int64_t phiPixels = 0;
  /// The largest difference to averages of half the order, over the largest intensity; < 0: there
  /// is no average.
  double averageError = -1;
  std::int64_t orientations = 0, sizes = 0, objects = 0, behind = 0; // behind: pixels
  std::int64_t triangles = 0, tiles = 0;
  std::string kernelName, remark;
  std::vector<std::string> meshes;
};

/// Throws Error.
SceneResult computeScene(const Experiment &experiment, const SceneHost &host);

} // namespace facet::runtime
