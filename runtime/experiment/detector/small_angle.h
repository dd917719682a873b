// small_angle.h - a product grid of qy by columns and qz by rows in place of a detector's pixels,
// and how far off it is.
//
// On the Ewald sphere qx is about k (ai^2 - af^2 - phi^2) / 2, and neither qy nor qz belongs to one
// column or row. A product grid leaves both out. An error dq shifts the phases of an object by up
// to dq times half its extent; that times 2 is the relative error to expect of |F|^2.
#pragma once
#include "runtime/experiment/detector/geometry.h"
#include <vector>

namespace facet::runtime {

/// Of q = k_f - k_i, qx = 0 throughout. In the order of the detector's rows and columns.
struct SmallAngleGrid {
  std::vector<double> qy;     // a column each, nm^-1
  std::vector<double> qz;     // a row each, nm^-1
  std::vector<double> alphaF; // a row each, rad: qz = k (sin alphaF + sin alphaI)
  /// The largest |q(pixel) - (0, qy, qz)|, nm^-1, over all pixels of the rows with alphaF >= 0 (in
  /// transmission of all rows), and the largest of its components; dqx is what qx = 0 loses.
  double dq = 0, dqx = 0, dqy = 0, dqz = 0;
};

enum class Spacing {
  Fitted, // the middle of what a column's or row's pixels have: the smallest error there can be
  Even    // even steps, a line through these: what transforms like best
};

/// `k`: 2 pi / wavelength, nm^-1. Costs two walks over the pixels.
SmallAngleGrid smallAngleGrid(const Geometry &geometry, double k,
                              Spacing spacing = Spacing::Fitted);

} // namespace facet::runtime
