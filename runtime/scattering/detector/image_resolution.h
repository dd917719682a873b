// image_resolution.h - the resolution of images: what a detector records of images that are sharp.
//
// A beam that diverges, and is of several wavelengths, is a sum of beams; what a pixel gets is a
// sum over places in it. All are images by themselves.
//
// The point spread of a detector is a Gaussian, whose share of a pixel is its integral over the
// pixel, cut at 5 sigma. Counts go to pixels that are seen alone: a pixel shares out what it has
// among these, so that all counts stay. Pixels that are not seen, NaN, neither give nor take.
#pragma once
#include "runtime/scattering/detector/pixels.h"

namespace facet::runtime {

/// The beams of an image: Gauss-Hermite nodes along each width of the beam, Gauss-Legendre nodes in
/// the pixel, and those of rules with two nodes fewer. None, if nothing spreads.
std::vector<BeamNode> beamsOf(const Resolution &resolution);
/// The images of all beams of each image, one image after another. Throws Error: a beam that comes
/// along the surface or below it.
std::vector<SceneView> viewsBy(const std::vector<BeamNode> &beams,
                               const std::vector<SceneView> &images);

class PointSpread {
public:
  /// `sigma`: pixels, along columns of the detector (row to row) and along rows; `counts`: whether
  /// images are counts, else they are multiplied by solid angles to be. Throws Error: too wide.
  PointSpread(std::shared_ptr<const Pixels> pixels, const std::array<double, 2> &sigma,
              bool counts);
  /// The image that is recorded.
  std::vector<double> of(const std::vector<double> &sharp) const;
  /// dL by the sharp image, from that by the recorded one. `image`: either, to know what is seen.
  std::vector<double> pull(const std::vector<double> &cotangent,
                           const std::vector<double> &image) const;

private:
  std::vector<double> convolved(std::vector<double> image) const;
  /// A solid angle, or 1 of counts.
  double toCounts(std::size_t pixel) const;
  /// Which part of a pixel's counts goes to pixels that are seen.
  std::vector<double> kept(const std::vector<double> &image) const;

  std::shared_ptr<const Pixels> pixels_;
  std::array<std::vector<double>, 2> shares_; // of a pixel so many away
  bool counts_;
};

} // namespace facet::runtime
