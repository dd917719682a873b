// geometry.h - where a pixel looks: angles, q and solid angle.
//
// Lab frame: x along the beam, y to the left, z up (pyFAI's t is (z, -y, x)). Sample frame: the lab
// turned by alpha_i about y, so that z is the surface's normal.
#pragma once
#include "runtime/experiment/detector/detector.h"
#include <array>
#include <optional>

namespace facet::runtime {

struct Pixel {
  double alphaF = 0, phiF = 0; // rad: above the surface, and from the beam's plane to the left
  double twoTheta = 0;         // rad, from the direct beam
  double solidAngle = 0;       // sr
  bool behind = false;         // below the sample's horizon: no value of the DWBA
};

class Geometry {
public:
  using Vec3 = std::array<double, 3>;

  /// Transmission: the sample frame is the lab, and nothing is behind a horizon. The detector is
  /// taken as checked.
  explicit Geometry(const Detector &detector);
  /// Grazing incidence at `alphaI` rad, 0 to pi/2. Throws Error for another.
  Geometry(const Detector &detector, double alphaI);

  const Detector &detector() const { return detector_; }
  double alphaI() const { return alphaI_; }
  /// Whether there is a sample with a horizon.
  bool grazing() const { return grazing_; }

  /// Centre of pixel (row, column) as the detector's orientation counts them, pyFAI's (t1, t2, t3)
  /// from the sample, m. Fractions are places between centres.
  Vec3 position(double row, double column) const;
  /// Unit vector of k_f in the sample frame.
  Vec3 direction(double row, double column) const;
  Pixel pixel(double row, double column) const;
  /// q = k_f - k_i in the sample frame, nm^-1; `k`: 2 pi / wavelength, nm^-1. (F takes q' = -q.)
  Vec3 q(double k, double row, double column) const;

  /// The place (row, column) that looks along (alphaF, phiF), as fractions of pixels; none where
  /// the detector's plane does not meet it. The direct beam is at (-alphaI, 0), the specular one at
  /// (alphaI, 0), and the horizon is alphaF = 0.
  std::optional<std::array<double, 2>> find(double alphaF, double phiF) const;

private:
  Detector detector_;
  double alphaI_ = 0, cosI_ = 1, sinI_ = 0;
  bool grazing_ = false;
  std::array<Vec3, 3> turn_; // rows of R3 R2 R1
};

} // namespace facet::runtime
