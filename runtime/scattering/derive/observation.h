// observation.h - intensities that were observed, in the file of a result of the same images, and
// how far a run's are from them.
#pragma once
#include "runtime/engine/store/nexus.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace facet::runtime {

namespace h5 {
class Object;
}

/// L = half the sum of ((I - observed) / sigma)^2 over pixels that count.
struct Misfit {
  double value = 0;
  double pixels = 0, leftOut = 0; // that count, and that do not
};

/// What was observed at some pixels. A weight is 1 / sigma^2; 0: the pixel does not count, since
/// its intensity is not finite, or it is masked, or its sigma is not above 0.
struct ObservedPixels {
  std::vector<double> intensity, weights;
  /// Adds to a misfit how far intensities of the same pixels are off; one that is not finite does
  /// not count. `slope` gets dL by each.
  void compare(const std::vector<double> &with, std::vector<double> &slope, Misfit &misfit) const;
};

/// The observed intensities of a file, read by several threads.
class Observation {
public:
  /// An image of the run: its group in the result, and what is known of its axes and pixels.
  struct Image {
    std::string group;
    nexus::Shape shape;
    std::vector<nexus::Numbers> numbers;
  };
  /// Throws Error if there is no HDF5 file, or an image is missing or has another shape or axes.
  Observation(std::string path, std::vector<Image> images);

  /// Pixels [first, first + count) of an image, whole rows or all of it.
  ObservedPixels read(std::size_t image, std::int64_t first, std::int64_t count) const;
  /// A hash of all numbers that read() gives. Throws Error if there is no pixel that may count.
  std::string hash() const;
  /// "pixels", or "values" of a curve.
  const char *noun() const { return images_[0].shape.size() == 1 ? "values" : "pixels"; }
  /// For people: "half the sum of (I - I_obs)^2".
  std::string text() const;
  /// Whether each image has its sigma: L has no unit then.
  bool weighed() const;

private:
  void check(const Image &image) const;
  void checkAxis(const Image &image, const nexus::Numbers &axis) const;
  void checkPixels(const Image &image, const nexus::Numbers &numbers) const;
  h5::Object data(const Image &image, const std::string &name) const;

  std::string path_;
  std::vector<Image> images_;
  std::shared_ptr<const h5::Object> file_;
  mutable std::mutex mutex_; // of HDF5
};

} // namespace facet::runtime
