// pose_sums.h - sums over poses, the rows of intensities that they make, and sums of units that
// have some poses of their rows only.
#pragma once
#include "runtime/engine/plan/tree.h"
#include "runtime/scattering/scene/problem.h"

namespace facet::runtime {

/// Arrays of a Partial: intensities or amplitudes, then those of each channel, (re, im) each. Half
/// the order, amplitudes and channels only if wanted.
enum PoseArray { Intensity, Half, Re, Im, Terms };
constexpr std::size_t channelCount = 4;
/// All of them, zero where they are wanted, else empty.
Partial noPoses(const SceneProblem &problem, const SceneUnit &unit);

/// How many pixels a unit has.
std::size_t pixelsOf(const SceneProblem &problem, const SceneUnit &unit);
/// The factors that turn sums over poses into intensities, at each pixel of a unit: 1; for
/// particles with a density on a sample, what makes counts; NaN behind the sample. All times S of
/// the arrangement, but of approximations, which have it elsewhere.
std::vector<double> scalesOf(const SceneProblem &problem, const SceneUnit &unit);
/// The same without S.
std::vector<double> plainScalesOf(const SceneProblem &problem, const SceneUnit &unit);
/// Where copies are whose amplitudes are summed. A mean amplitude is of particles with their
/// middles at one place, on a sample at their height.
Pose::Level levelOf(const SceneProblem &problem, const Pose::Level &level);
/// S at each pixel of a unit of an image, of particles of a size; 1 behind the sample.
std::vector<double> structureOf(const SceneProblem &problem, const SceneUnit &unit, double size);
/// The amplitude of a pixel of the unit, from the sums over poses; 0 if intensities alone are
/// summed.
std::complex<double> amplitudeOf(const Partial &all, std::size_t pixel);
/// The rows of a unit from the sums over all poses. `scales`: scalesOf(); null: they are not known.
void fillRows(const SceneProblem &problem, const SceneUnit &unit, const Partial &all,
              UnitRows &rows, const std::vector<double> *scales = nullptr);

/// Where each unit has its sums in TiledFile::aside, and the rows that are made of them.
class PoseSums {
public:
  /// `first`: numbers before this one belong to others.
  PoseSums(const SceneProblem &problem, const std::vector<SceneUnit> &units,
           std::int64_t first = 0);
  /// Numbers in all; 0: every unit has all poses.
  std::int64_t size() const { return size_; }
  /// Whether a unit's sums are kept: it has some poses only.
  bool keeps(std::int64_t unit) const { return has(unit) > 0; }
  void write(TiledResult &result, std::int64_t unit, const Partial &sums) const;
  /// Joins rows with all their units finished, as the poses of one unit are joined: the rows are
  /// those of one unit. `to` gets the first unit of the rows.
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

/// How many blocks of poses a unit has, 0 for all, if all blocks together are expected to take
/// `seconds`. They are so few that a stop waits seconds, and threads and ranks have units to share.
/// `numbers`: how many numbers a unit keeps.
std::int64_t blocksOfUnit(double seconds, std::int64_t blocks, std::int64_t numbers);
/// How many sums a pixel has.
std::int64_t sumsOfPixel(const SceneProblem &problem);

} // namespace facet::runtime
