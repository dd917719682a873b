// evaluate.h - the numbers of one unit of a scene, as a SceneDecision says. F and amplitudes of
// poses against the reference in double. Sums of units that have some poses of their rows only.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/plan/evaluator.h"
#include "runtime/engine/plan/tree.h"
#include "runtime/engine/system/pool.h"
#include "runtime/scattering/scene/problem.h"
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace facet::runtime {

/// What was found of one pose of a body in the images of a way: plain numbers, and F.
struct PoseNumbers {
  std::int64_t way = 0, body = 0, pose = 0;
  double radius = 0;       // of the mesh in this pose, nm
  double reach = 1;        // of the errors of F: reachOf()
  double phiError = 0;     // the largest difference of the amplitude of one copy
  double phiLargest = 0;   // the largest amplitude
  std::int64_t pixels = 0; // at which amplitudes were compared
};
struct PoseCheck : PoseNumbers {
  std::vector<ComparedValue> f;
};

/// How much is compared: the first few always, the rest while the time lasts.
struct CheckBudget {
  std::int64_t q = 16, pixels = 8; // of a curve no pixels: their amplitudes are F
  std::size_t least = 4;           // of each
  double seconds = 0.05;           // of each
  /// q' of all images, if F is compared with that of tighter transforms at every q of the tile,
  /// and the q that differ most are among those above; 0: it is not.
  double all = 0;
};

/// What a scene is summed from, beside a decision.
struct SceneContext {
  const SceneProblem &problem;
  const std::vector<Kernel> &kernels; // that the decision's parts are numbered by
  std::function<Queues *(const Kernel &, const std::string &target)> queues; // null on CPUs
  Resources resources{}; // those of a device are as `queues` gives them
};

/// What sums a body at the q of one tile.
struct BodySums {
  std::shared_ptr<RecordBlocks> slices;
  std::unique_ptr<Evaluator> evaluator;   // null until it is made
  std::shared_ptr<const MeshBlocks> mesh; // that they are of, at a scale
  double scale = 0;
};

/// A body as some rows of an image see it: F in its poses, one after another, and the errors of F.
class PosedBody {
public:
  /// `part`: the body's part of the decision; not used if all rows are behind the sample. `gains`,
  /// `sums`: for the tile's q, kept from one body to the next if that differs in mesh, size and
  /// parameters alone; null: they are not kept.
  PosedBody(const SceneContext &context, std::size_t way, std::size_t number,
            std::shared_ptr<const ImageRows> tile, const SceneDecision::BodyDecision *part,
            GridGains *gains = nullptr, std::shared_ptr<BodySums> sums = nullptr);
  std::size_t number() const { return number_; }
  const ImageRows &tile() const { return *tile_; }
  const std::shared_ptr<const ImageRows> &sharedTile() const { return tile_; }
  const Kernel &kernel() const { return context_.kernels[part_->kernel]; }
  const std::vector<double> &params() const { return params_; } // in the kernel's order
  bool seen() const { return tile_->grid().size() > 0; }
  /// F at every q of the tile, valid until the next call.
  const std::vector<std::complex<double>> &at(std::size_t pose) {
    at(pose, f_);
    return f_;
  }
  void at(std::size_t pose, std::vector<std::complex<double>> &f);
  /// Compares F of a pose, as at() gave it. The contract is on F; the four terms of Phi may cancel,
  /// or their factors be larger than 1, so that errors of Phi are looked at by themselves.
  PoseCheck check(std::size_t pose, const std::vector<std::complex<double>> &f,
                  const CheckBudget &budget) const;
  std::int64_t repaired() const { return sums_->evaluator->repaired(); }

private:
  void setScale(double scale, const Matrix3 &rotation);
  std::vector<std::int64_t> worstBesideTighter(const std::vector<std::complex<double>> &f,
                                               double radius) const;

  const SceneContext &context_;
  std::size_t way_, number_;
  const Body &body_;
  std::shared_ptr<const ImageRows> tile_;
  const SceneDecision::BodyDecision *part_;
  GridGains *gains_;
  bool kept_; // sums_ outlives this
  std::shared_ptr<BodySums> sums_;
  std::vector<double> params_;
  double scale_ = 0;
  std::vector<std::complex<double>> f_;
};

/// Checks as bytes, sent from rank to rank, and back.
std::string packed(const std::vector<PoseCheck> &checks);
std::vector<PoseCheck> unpackedChecks(const std::string &bytes);

/// What the checks of one run say together: the errors of each pose by itself, relative to the
/// largest F in all of its way.
struct SceneErrors {
  std::vector<Measured> f;       // one for each pose of a body in a way
  std::optional<Measured> worst; // of them; an error within its reference's rounding is none
  std::map<std::int64_t, double> ofWays; // the largest error of F, by way
  double phi = 0;                        // the worst, relative to the largest amplitude of its way
  std::int64_t pixels = 0;
  struct PartMiss {
    std::size_t way, body;
  };
  std::vector<PartMiss> missed; // the contract, in F or in the amplitude
};
SceneErrors judge(const std::vector<PoseCheck> &checks, double accuracy, std::uint64_t seed);

/// Which of the poses [begin, end) of a body are compared with the reference: the first, the last,
/// one between.
std::vector<std::size_t> posesChecked(std::size_t begin, std::size_t end);

/// Arrays of a Partial: intensities or amplitudes, then those of each channel, (re, im) each. Half
/// the order, amplitudes and channels only if wanted.
enum Array { Intensity, Half, Re, Im, Terms };
constexpr std::size_t channelCount = 4;
/// Which of them there are.
std::vector<bool> arraysOf(const SceneProblem &problem);

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

/// What a unit leaves for the next experiment: its rows as bodies see them, and F of their poses.
/// The next one is much like the one before, so that some of it holds.
struct UnitCache {
  /// F of a pose, and all that it depends on beside q.
  struct Values {
    std::shared_ptr<const MeshBlocks> mesh;
    Matrix3 rotation{};
    double scale = 0;
    std::string how;
    std::vector<std::complex<double>> f;
  };
  struct BodyCache {
    std::string rows;
    double height = 0;
    std::shared_ptr<ImageRows> tile;
    GridGains gains; // of its q
    std::shared_ptr<BodySums> sums;
    std::vector<Values> poses;
  };
  std::map<std::size_t, BodyCache> bodies; // a map, so that they stay where they are
  std::string scaled;
  std::vector<double> scales; // scalesOf()
};

/// What values depend on beside mesh and pose, in words that differ wherever the values do.
struct CacheKey {
  std::string rows;                          // what q' and factors of all rows depend on
  std::vector<std::vector<std::string>> how; // what F does, by way and body: decision, parameters
  bool values = true, sums = true; // whether F, and what sums it, are kept: both are large
  bool transforms = false;         // whether sums of transforms are kept, too: they are larger
};

/// Sums units. For one thread at a time.
class UnitEvaluator {
public:
  UnitEvaluator(SceneContext context, const SceneDecision &decision)
      : context_(std::move(context)), decision_(decision) {}

  /// Sums over the poses of a unit. False: another evaluator that shares the unit has the sums.
  bool run(const SceneUnit &unit, Partial &all);
  /// Calls `use` for each pose of a unit in order, of bodies that are seen, with F on the body's
  /// tile.
  using UsePose = std::function<void(const PosedBody &of, std::size_t pose,
                                     const std::vector<std::complex<double>> &f)>;
  void eachPose(const SceneUnit &unit, const UsePose &use);
  /// From now on several evaluators share a unit, and each takes some of the blocks of poses.
  void share(SharedBlocks *blocks) { shared_ = blocks; }
  /// From now on one pose of each body is checked in every unit, the `turn`-th of posesChecked() of
  /// its poses there, and the check is added to `checks`. turn < 0: none is checked.
  void check(std::int64_t turn, std::vector<PoseCheck> *checks) {
    turn_ = turn;
    checks_ = checks;
  }
  /// From now on a unit takes from `kept` what still holds, and leaves there what it makes. What is
  /// the same as when it was left is not checked again. Null: nothing is kept.
  void keep(const CacheKey *by, UnitCache *kept) {
    by_ = by;
    kept_ = kept;
  }
  /// Counts since the evaluator was made: evaluations of F, those that were kept, and q that direct
  /// sums in f64 computed.
  std::int64_t count() const { return count_; }
  std::int64_t reused() const { return reused_; }
  std::int64_t repaired() const { return repaired_; }

private:
  Partial block(const SceneUnit &unit, std::int64_t number, std::optional<PosedBody> &body);
  void eachPose(const SceneUnit &unit, const std::pair<std::size_t, std::size_t> &poses,
                std::optional<PosedBody> &body, const UsePose &use);
  PosedBody bodyOf(const SceneUnit &unit, std::size_t number);
  std::shared_ptr<const ImageRows> tileOf(const SceneUnit &unit, std::size_t number);
  const std::vector<std::complex<double>> &values(const SceneUnit &unit, PosedBody &of,
                                                  std::size_t pose);
  void pose(const SceneUnit &unit, const PosedBody &of, std::size_t pose,
            const std::vector<std::complex<double>> &f, Partial &to);
  void channel(const PosedBody &of, std::size_t pose, std::size_t number,
               const std::vector<std::complex<double>> &f, Partial &to);
  const std::vector<double> &localStructure(const SceneUnit &unit, double size);
  bool checked(const SceneUnit &unit, std::size_t body, std::size_t pose) const;

  std::shared_ptr<BodySums> keptSums(std::size_t number, const SceneDecision::BodyDecision &part);

  const SceneContext context_;
  const SceneDecision &decision_;
  std::int64_t turn_ = -1, count_ = 0, reused_ = 0, repaired_ = 0;
  const CacheKey *by_ = nullptr;
  UnitCache *kept_ = nullptr;
  UnitCache::BodyCache *keptF_ = nullptr; // of the body in hand; null: its F is not kept
  bool fresh_ = true;                     // the body's tile is not the kept one
  std::vector<PoseCheck> *checks_ = nullptr;
  SharedBlocks *shared_ = nullptr;
  std::vector<double> structure_; // of these rows and this size
  std::tuple<std::size_t, std::int64_t, std::int64_t, double> structureOf_{};
  std::vector<std::complex<double>> alone_;
};

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
