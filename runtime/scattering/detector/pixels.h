// pixels.h - the images of a scene, and where their pixels look: a detector's, a grid of angles, of
// q, of q in and out of the sample's plane, or of spheres of |q|.
#pragma once
#include "runtime/scattering/detector/detector.h"
#include "runtime/scattering/sample/curve.h"
#include "runtime/scattering/sample/curve_resolution.h"
#include "runtime/scattering/sample/layers.h"
#include <facet/runtime/experiment.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// Where one pixel looks.
struct PixelView {
  std::array<double, 3> q{};       // k_f - k_i in the sample frame, nm^-1
  std::array<double, 2> lateral{}; // what F takes: q'x, q'y
  double born = 0;                 // and q'z without a sample
  double sine = 0;                 // of the angle above the surface, on a sample
  double solidAngle = 0;           // sr; 0 if there is no detector
  // No value: below the sample's horizon, where the DWBA has none; no q at all; or masked.
  bool behind = false;
  bool masked = false; // by the detector's mask, and by nothing else
};

/// One axis of the image, for files and pictures.
struct ImageAxis {
  std::string name, unit; // "qy", "1/nm"; "row", "pixels"
  std::vector<double> values;
};

/// One of the beams whose intensities make an image, and a place in a pixel. The sample and the
/// detector stay where they are.
struct BeamNode {
  double alphaI = 0, phi = 0;   // rad, from the mean beam
  double wavelength = 1;        // over the mean one
  double row = 0, column = 0;   // from the middle of a pixel, pixels
  double weight = 1, fewer = 1; // in the sum, and in that of two nodes fewer
};

/// The image for one angle of incidence, and on a grid with three axes for one value of the first.
class Pixels {
public:
  /// `alphaI` rad; without a sample it is not used. `half`: nm, half the extent of the particles,
  /// for the form "auto". Throws Error for a grid that is no image.
  Pixels(const Experiment &experiment, const Stack &stack, double k, double alphaI, double half);

  /// Spheres of a curve, each a row or some rows; columns are directions. The last row of a sphere
  /// may have more pixels than there are directions: these count as behind, and so do all of the
  /// partner's without `partners`.
  Pixels(std::shared_ptr<const Band> band, bool partners);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  PixelView at(std::int64_t row, std::int64_t column) const;
  /// NaN if only q is given and there is no sample; twoTheta is 0 if there is no detector.
  double angle(double PixelAngles::*which, std::int64_t row, std::int64_t column) const;
  /// q that S of an arrangement is taken at: on a sample that along it alone.
  std::array<double, 3> arrangementQ(const PixelView &look) const {
    return {look.lateral[0], look.lateral[1], grazing_ ? 0 : look.q[2]};
  }
  /// The length of the shortest q' of a pixel, nm^-1: on a sample, of the wave that is reflected on
  /// one of its ways.
  double shortest(const PixelView &look) const;
  /// Whether q' are a product grid; then axis(row, column) are indices into x, y, z of it.
  bool product() const { return kind_ == Kind::Q || kind_ == Kind::SmallAngle; }
  /// Which of x, y, z rows and columns are if q' are a product; -1: none.
  int rowAxis() const { return rowAxis_; }
  int columnAxis() const { return columnAxis_; }
  /// The axis that rows count along, or columns.
  ImageAxis axis(bool ofRows) const;
  /// For a grid of q with three axes qx, with an image for every value; else an axis without
  /// values.
  ImageAxis thirdAxis() const;
  /// The image at one of the values of thirdAxis().
  Pixels slice(std::int64_t index) const;
  /// The same image by one of the beams that make it: of directions, not of q alone.
  Pixels by(const BeamNode &beam) const;
  const Geometry *geometry() const { return geometry_ ? &*geometry_ : nullptr; }
  const Band *band() const { return band_.get(); } // null: no spheres
  std::int64_t rowsOfSphere() const { return parts_; }
  std::int64_t pointsOfSphere() const { return points_; } // that are not behind
  bool grazing() const { return grazing_; }
  bool masks() const { return geometry_ && geometry_->detector().mask != nullptr; }
  /// Whether axes are q in and out of the sample's plane, so that q of some pixels may not exist.
  bool inFrame() const { return kind_ == Kind::Frame; }
  /// 1 if q_ip is above 0 where qy is, -1 if it is where qy is below.
  double sideways() const { return sideways_; }
  double alphaI() const { return alphaI_; }
  double k() const { return k_; }
  /// What the small-angle grid loses, or which axis has one value and is no axis of the image, in a
  /// sentence; "" for others.
  const std::string &remark() const { return remark_; }

private:
  enum class Kind { Detector, SmallAngle, Angles, Frame, Q, List, Spheres } kind_ = Kind::Q;
  void setDetector(const Detector &detector, double half, double accuracy);
  void setQ(const Experiment &experiment);
  void setAxes(const std::vector<double> &ofRows, const std::vector<double> &ofColumns);
  void remarkOne();
  /// The wavenumber in which angles are those of k_i and k_f, nm^-1: on a sample that of its top
  /// layer.
  double inTop() const { return grazing_ ? k_ * (1 - stack_.layers[0].delta) : k_; }
  PixelView ofAngles(double alphaF, double phiF) const;
  PixelView ofFrame(double outOfPlane, double inPlane) const;
  PixelView ofDirection(const std::array<double, 3> &f) const;
  PixelView ofQ(const std::array<double, 3> &q) const;
  std::array<double, 3> qAt(std::int64_t row, std::int64_t column) const;
  PixelView ofSphere(std::int64_t row, std::int64_t column) const;
  std::array<double, 3> qOf(const std::array<double, 3> &f) const;
  PixelView ofDetector(std::int64_t row, std::int64_t column) const;

  Stack stack_;
  double k_ = 0, alphaI_ = 0, sinI_ = 0;
  double sideways_ = -1;
  BeamNode beam_;
  std::shared_ptr<const Pixels> mean_; // of the mean beam, where this is another; of directions
  bool grazing_ = false;
  std::shared_ptr<const Band> band_;
  std::int64_t parts_ = 1, points_ = 0; // rows of a sphere; directions that are asked for
  std::int64_t rows_ = 1, columns_ = 1;
  int rowAxis_ = -1, columnAxis_ = -1;
  std::optional<Geometry> geometry_;
  SmallAngleGrid small_;
  std::vector<double> alphaF_, phiF_;        // rad
  std::vector<double> outOfPlane_, inPlane_; // nm^-1
  std::shared_ptr<const Grid> grid_;         // one for all slices
  std::int64_t slice_ = 0;                   // of the third axis, if there is one
  std::string remark_;
};

/// What is known of an image before it is computed.
struct SceneView {
  std::shared_ptr<const Pixels> pixels;
  double alphaI = 0;       // deg; 0 in transmission
  std::size_t angle = 0;   // which of the beam's angles that is: two may be equal
  std::int64_t slice = -1; // which value of the third axis; -1: there are two axes
  std::string suffix;      // of its groups and pictures: "", "_2", "_qx_17", "_2_qx_17"
  std::string title;       // "alpha_i = 0.2 deg, qx = 0.1 1/nm"; "" for an only image
  std::size_t beam = 0;    // which of the beams of an image
};

/// The images angle by angle, each with the values of the third axis in their order. `k` nm^-1, 0
/// if no wavelength is stated; `half`: nm, as Pixels has it. Throws Error as Pixels does, and if no
/// image has a pixel in front of the sample.
std::vector<SceneView> viewsOf(const Experiment &experiment, const Stack &stack, double k,
                               double half);

/// A curve over |q|: its spheres in place of images.
struct Spheres {
  std::vector<double> q;                           // of the curve
  std::shared_ptr<const CurveResolution> smearing; // null: none
  std::vector<Band> bands;
  std::optional<int> power; // d of F_s(q) = s^d F(s q), if the particle's sizes became those of q
  double loss = 0;          // of the sizes (lossOf)
  bool partners = true;     // whether F is asked for at the directions of partners
  std::vector<double> structure{}; // S at q; empty: there is none
  std::vector<double> excess{};    // S - 1 at at(), of the decoupling approximation
  /// The q that spheres count in.
  const std::vector<double> &at() const { return smearing != nullptr ? smearing->at() : q; }
};
/// The curve as curveOf() makes it of sums, smeared.
Curve curveOf(const Spheres &spheres, const std::vector<std::vector<std::vector<SphereSums>>> &sums,
              const std::vector<double> &errors);
/// "50 q", "50 q, smeared, of 214".
std::string textOf(const Spheres &spheres);
/// One view for each band.
std::vector<SceneView> viewsOf(const std::shared_ptr<const Spheres> &spheres);

} // namespace facet::runtime
