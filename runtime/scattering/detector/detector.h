// detector.h - a flat detector and where it stands, in pyFAI's convention. Where a pixel looks:
// angles, q and solid angle. Also a product grid of qy by columns and qz by rows that stands for
// the pixels, with how far off it is.
//
// Axis 1 is up (rows), axis 2 to the right seen from the sample (columns), axis 3 along the beam.
// The PONI is the foot of the perpendicular from the sample onto the detector's plane. G. Ashiotis
// et al., J. Appl. Cryst. 48 (2015) 510; docs/experiments.md.
//
// Lab frame: x along the beam, y to the left, z up (pyFAI's t is (z, -y, x)). Sample frame: the lab
// turned by alpha_i about y, so that z is the surface's normal.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <facet/runtime/scene.h>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// Throws Error for pixels, sizes or a distance that are not positive and finite, other numbers
/// that are not finite, and an orientation outside 1 to 4.
void check(const Detector &detector, const std::string &where = "detector");

/// Reads a calibration as pyFAI writes it: versions 1 (PixelSize1, PixelSize2), 2 and 2.1 (Detector
/// and Detector_config). Rows and columns come from max_shape or the detector's name (known.def),
/// else they stay 0. If a key is there twice, the last one counts. Throws Error for a file or key
/// that is missing, a line that is no number or no JSON, or another version. Also for a detector
/// that is not flat and even, or one that is unknown and has no pixel sizes.
Detector readPoni(const std::string &path);

/// Orientations of pyFAI: 1 and 2 count rows from the top, 1 and 4 columns from the right (seen
/// from the sample).
inline bool rowsFlip(const Detector &d) { return d.orientation == 1 || d.orientation == 2; }
inline bool columnsFlip(const Detector &d) { return d.orientation == 1 || d.orientation == 4; }

constexpr double degree = std::numbers::pi / 180; // rad

/// The least and the largest of some values.
struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct PixelAngles {
  double alphaF = 0, phiF = 0; // rad: above the surface, and from the beam's plane to the left
  double twoTheta = 0;         // rad, from the direct beam
};
struct Pixel : PixelAngles {
  double solidAngle = 0; // sr
  bool behind = false;   // below the sample's horizon: no value of the DWBA
};
/// Where a pixel looks, without an angle: these take longer than all else.
struct PixelDirection {
  std::array<double, 3> f; // the unit vector of k_f in the sample frame
  double solidAngle;       // sr
};

class Geometry {
public:
  using Vec3 = std::array<double, 3>;

  /// Transmission: the sample frame is the lab, and nothing is behind a horizon. The detector is
  /// taken as checked.
  explicit Geometry(const Detector &detector);
  /// Grazing incidence at `alphaI` rad, 0 to pi/2. Throws Error for another angle.
  Geometry(const Detector &detector, double alphaI);

  const Detector &detector() const { return detector_; }
  double alphaI() const { return alphaI_; }
  /// Whether there is a sample with a horizon.
  bool grazing() const { return grazing_; }

  /// Centre of pixel (row, column) as the detector's orientation counts them, pyFAI's (t1, t2, t3)
  /// from the sample, m. Fractions are places between centres.
  Vec3 position(double row, double column) const;
  PixelDirection direction(double row, double column) const;
  /// One of the angles alone: each takes longer than all that is no angle.
  double angle(double PixelAngles::*which, double row, double column) const;
  Pixel pixel(double row, double column) const;
  /// q = k_f - k_i in the sample frame, nm^-1, of a pixel that looks along f; `k`: 2 pi /
  /// wavelength, nm^-1. (F takes q' = -q.)
  Vec3 q(double k, const Vec3 &f) const;
  Vec3 q(double k, double row, double column) const { return q(k, direction(row, column).f); }

  /// The place (row, column) that looks along (alphaF, phiF), as fractions of pixels; none if
  /// the detector's plane does not meet it. The direct beam is at (-alphaI, 0), the specular one at
  /// (alphaI, 0), and the horizon is alphaF = 0.
  std::optional<std::array<double, 2>> find(double alphaF, double phiF) const;

private:
  /// Where the pixel is in the detector's own axes, m.
  Vec3 inPlane(double row, double column) const;

  Detector detector_;
  double alphaI_ = 0, cosI_ = 1, sinI_ = 0;
  bool grazing_ = false;
  std::array<Vec3, 3> turn_;   // rows of R3 R2 R1
  std::array<Vec3, 3> toward_; // from inPlane() to the sample frame, in units of a length
  double fill_ = 0;            // solid angle of a pixel, times the cube of how far it is, in these
};

/// On the Ewald sphere qx is about k (ai^2 - af^2 - phi^2) / 2, and neither qy nor qz belongs to
/// one column or row. A product grid leaves both out. An error dq shifts the phases of an object by
/// up to dq times half its extent; that times 2 is the relative error to expect of |F|^2.
///
/// Values of q = k_f - k_i, with qx = 0 throughout, ordered as the detector's rows and columns.
struct SmallAngleGrid {
  std::vector<double> qy;     // a column each, nm^-1
  std::vector<double> qz;     // a row each, nm^-1
  std::vector<double> alphaF; // a row each, rad: qz = k (sin alphaF + sin alphaI)
  /// The largest |q(pixel) - (0, qy, qz)|, nm^-1, over all pixels of the rows with alphaF >= 0 (in
  /// transmission of all rows), and the largest of its components; dqx is what qx = 0 loses.
  double dq = 0, dqx = 0, dqy = 0, dqz = 0;
};

/// Takes the middle of what the pixels of a column or row have, which makes the error the smallest
/// there can be. `k`: 2 pi / wavelength, nm^-1. Costs two walks over the pixels.
SmallAngleGrid smallAngleGrid(const Geometry &geometry, double k);

} // namespace facet::runtime
