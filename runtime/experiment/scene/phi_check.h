// phi_check.h - amplitudes at some pixels of a tile against the reference in double.
#pragma once
#include "runtime/experiment/scene/compute.h"
#include "runtime/experiment/scene/tile.h"

namespace facet::runtime {

struct PhiCheck {
  double error = 0,
         largest = 0; // max |difference| at `pixels` pixels, max |Phi| at all of the tile
  std::int64_t pixels = 0;
};

/// `f`: F in this pose on the tile's grid, the last that `factor` made. The contract is on F; the
/// four terms of Phi may cancel, or their factors be larger than 1, so that errors of Phi are
/// looked at by themselves.
PhiCheck checkPhi(const Tile &tile, const std::vector<std::complex<double>> &f, const Pose &pose,
                  FormFactor &factor);

} // namespace facet::runtime
