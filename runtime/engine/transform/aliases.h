// aliases.h - how large the sums are that leak into transforms through their windows.
#pragma once
#include "runtime/engine/transform/waves.h"
#include <array>
#include <vector>

namespace facet::runtime {

/// What a window adds to T(q) is T at outer q, beyond the fine grid, each times up to the window's
/// error. In transforms of type 3 and between nodes it is T at q itself, too, with other strengths:
/// those at the edge of the points' box. Waves of a smooth surface, or of many records, cancel
/// there: these sums are far below sum |b|, which bounds them. They are taken from a sample of the
/// records at some q. So they are no bound; q are real; strengths do not depend on q.
class Aliases {
public:
  /// `records` are filled. `cut`: the grid is summed by units, whose fine grids reach less far.
  Aliases(const WaveRecords &records, const Grid &grid, bool cut);

  /// About the largest |T| of each transform at q beyond the fine grid that leak to these q.
  std::vector<double> outer(std::span<const std::array<double, 3>> q) const;
  /// About the largest |T| of each transform at these q with strengths that favour an edge.
  std::vector<double> inner(std::span<const std::array<double, 3>> q) const;

private:
  /// Points and strengths of some records of a wave.
  struct Sample {
    Sample(const WaveRecords &records, int wave);
    double share = 1; // of the records
    std::array<std::vector<double>, 3> at;
    std::array<std::vector<double>, 6> edges; // favour low and high ends of x, y, z
    std::vector<int> transforms;
    std::vector<std::vector<double>> re, im; // of each transform
    /// Raises each transform's `most` to |T|^2 at q; with `edge` by its weights.
    void raise(const std::array<double, 3> &q, bool edge, std::vector<double> &most) const;
    /// sum |b|^2 of a transform.
    double square(std::size_t k) const;
  };
  using Draws = std::vector<std::array<double, 3>>;

  const WaveRecords &records_;
  bool cut_;
  std::array<double, 3> range_; // of each axis of the grid, nm^-1
  std::vector<Sample> some_;    // of each wave

  Draws outerOf(std::span<const std::array<double, 3>> q) const;
  std::vector<double> largest(const Draws &q, bool edge) const;
};

/// Whether many points of a wave lie in a plane across an axis, as on the face of a box. Windows
/// round alike there, so that errors in floats add up.
bool hasPlanes(const WaveRecords &records, int wave);

} // namespace facet::runtime
