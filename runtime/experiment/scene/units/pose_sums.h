// pose_sums.h - sums of units that have only some poses of their rows, kept until all are there.
#pragma once
#include "runtime/experiment/scene/units/evaluate.h"

namespace facet::runtime {

/// Where each unit has its sums in TiledFile::aside, and the rows that come of them.
class PoseSums {
public:
  PoseSums(const SceneProblem &problem, const std::vector<SceneUnit> &units);
  /// Numbers in all; 0: every unit has all poses.
  std::int64_t size() const { return size_; }
  /// Whether a unit's sums are kept: it has some poses only.
  bool keeps(std::int64_t unit) const { return has(unit) > 0; }
  void write(TiledResult &result, std::int64_t unit, const Partial &sums) const;
  /// Of rows whose units are all finished, joined as the poses of one unit are: the rows are those
  /// of one. `to` gets the first unit of them.
  void join(const TiledResult &result,
            const std::function<void(const SceneUnit &, const UnitRows &)> &to) const;

private:
  std::int64_t has(std::int64_t unit) const; // numbers
  Partial read(const TiledResult &result, std::int64_t unit) const;

  const SceneProblem &problem_;
  const std::vector<SceneUnit> &units_;
  std::vector<std::int64_t> at_; // of each unit
  std::int64_t size_ = 0;
};

/// Blocks of poses of a unit, 0 for all, where all together are expected to take so many seconds:
/// so that a stop waits seconds, and threads and ranks have units to share. `numbers`: that a unit
/// keeps.
std::int64_t blocksOfUnit(double seconds, std::int64_t blocks, std::int64_t numbers);
/// Sums of a pixel.
std::int64_t sumsOfPixel(const SceneProblem &problem);

} // namespace facet::runtime
