// detector.h - a flat detector and where it stands, in pyFAI's convention.
//
// Axis 1 is up (rows), axis 2 to the right seen from the sample (columns), axis 3 along the beam.
// The PONI is the foot of the perpendicular from the sample onto the detector's plane. G. Ashiotis
// et al., J. Appl. Cryst. 48 (2015) 510; docs/experiments.md.
#pragma once
#include <facet/runtime/scene.h>
#include <string>

namespace facet::runtime {

/// Throws Error for pixels, sizes or a distance that are not positive and finite, other numbers
/// that are not finite, and an orientation outside 1 to 4.
void check(const Detector &detector, const std::string &where = "detector");

/// Reads a calibration as pyFAI writes it: versions 1 (PixelSize1, PixelSize2), 2 and 2.1 (Detector
/// and Detector_config). Rows and columns come from max_shape or the detector's name (known.def),
/// else they stay 0. Of a key that is there twice the last counts. Throws Error for a file or key
/// that is missing, a line that is no number or no JSON, another version, a detector that is not
/// flat and even, one that is unknown and has no pixel sizes.
Detector readPoni(const std::string &path);

} // namespace facet::runtime
