// evaluate.h - the numbers of one unit of a scene, as a SceneDecision says. F and amplitudes of
// poses against the reference in double.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/plan/evaluator.h"
#include "runtime/engine/system/pool.h"
#include "runtime/scattering/scene/pose_sums.h"
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace facet::runtime {

/// What was found of one pose of a body in the images of a way: plain numbers, and F.
struct PoseNumbers {
  std::int64_t way = 0, body = 0, pose = 0;
  std::int64_t first = 0;  // part of the particle
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

/// The mesh of a body in a pose, but for turns.
struct SizedMesh {
  std::shared_ptr<const MeshBlocks> mesh;
  double scale = 0;
  std::optional<Slab> slab; // of a part
  bool operator==(const SizedMesh &) const = default;
};
SizedMesh sizedMesh(const Body &body, const Pose &pose);

/// What sums a body at the q of one tile.
struct BodySums {
  std::shared_ptr<RecordBlocks> slices;
  std::unique_ptr<Evaluator> evaluator; // null until it is made
  SizedMesh of;                         // that they are of
  Frame frame;                          // of its records
  bool empty = false;                   // there are none: F is 0
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
  /// None if nothing of a part lies in its layer.
  std::optional<PoseCheck> check(std::size_t pose, const std::vector<std::complex<double>> &f,
                                 const CheckBudget &budget) const;
  std::int64_t repaired() const { return sums_->empty ? 0 : sums_->evaluator->repaired(); }

private:
  void setMesh(const Pose &pose);
  Decision decisionAt(double scale, const Frame &frame) const;
  std::vector<std::int64_t> worstBesideTighter(const std::vector<std::complex<double>> &f,
                                               double scale) const;

  const SceneContext &context_;
  std::size_t way_, number_;
  const Body &body_;
  std::shared_ptr<const ImageRows> tile_;
  const SceneDecision::BodyDecision *part_;
  GridGains *gains_;
  bool kept_; // sums_ outlives this
  std::shared_ptr<BodySums> sums_;
  std::vector<double> params_;
  std::vector<std::complex<double>> f_;
};

/// Checks as bytes, sent from rank to rank, and back.
std::string packed(const std::vector<PoseCheck> &checks);
std::vector<PoseCheck> unpackedChecks(const std::string &bytes);

/// What the checks of one run say together: the errors of each pose by itself, relative to the
/// largest F in all of its way. Parts of a particle are judged together.
struct SceneErrors {
  std::vector<Measured> f;       // one for each pose of a particle in a way
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
/// The same of all poses of a body, of a part those that reach its layer.
std::vector<std::size_t> posesChecked(const Body &body);

/// What a unit leaves for the next experiment: its rows as bodies see them, and F of their poses.
/// The next one is much like the one before, so that some of it holds.
struct UnitCache {
  /// F of a pose, and all that it depends on beside q.
  struct Values {
    SizedMesh of; // no mesh: there are none
    Matrix3 rotation{};
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

/// A body's pose in a unit, and F there.
struct PoseInUnit {
  const SceneUnit &unit;
  const PosedBody &of;
  const Body &body;
  std::size_t number; // of the pose
  const Pose &pose;
  const std::vector<std::complex<double>> &f;
};
/// The parts of a particle that is cut; else the particle alone.
using PartsInUnit = std::vector<PoseInUnit>;

/// Sums units. For one thread at a time.
class UnitEvaluator {
public:
  UnitEvaluator(SceneContext context, const SceneDecision &decision)
      : context_(std::move(context)), decision_(decision) {}

  /// Sums over the poses of a unit. False: another evaluator that shares the unit has the sums.
  bool run(const SceneUnit &unit, Partial &all);
  /// Calls `use` for each pose of a unit in order, of bodies that are seen.
  using UsePose = std::function<void(const PartsInUnit &parts)>;
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
  /// A body of the unit, and its values of before; null: none are kept.
  struct BodyInUnit {
    PosedBody of;
    UnitCache::BodyCache *kept;
    bool fresh; // its tile is not the kept one
  };
  using BodiesInUnit = std::vector<BodyInUnit>; // the parts of one particle
  Partial block(const SceneUnit &unit, std::int64_t number, BodiesInUnit &bodies);
  void eachPose(const SceneUnit &unit, const std::pair<std::size_t, std::size_t> &poses,
                BodiesInUnit &bodies, const UsePose &use);
  BodyInUnit bodyOf(const SceneUnit &unit, std::size_t number);
  const std::vector<std::complex<double>> &values(const SceneUnit &unit, BodyInUnit &of,
                                                  std::size_t pose);
  void pose(const PartsInUnit &parts, Partial &to);
  void channel(const PoseInUnit &part, std::size_t number, Partial &to);
  void addSquares(const PoseInUnit &of, const Pose::Level &level, Partial &to);
  const std::vector<double> &localStructure(const SceneUnit &unit, double size);
  bool checked(const SceneUnit &unit, std::size_t body, std::size_t pose) const;

  std::shared_ptr<BodySums> keptSums(std::size_t number, const SceneDecision::BodyDecision &part);

  const SceneContext context_;
  const SceneDecision &decision_;
  std::int64_t turn_ = -1, count_ = 0, reused_ = 0, repaired_ = 0;
  const CacheKey *by_ = nullptr;
  UnitCache *kept_ = nullptr;
  std::vector<PoseCheck> *checks_ = nullptr;
  SharedBlocks *shared_ = nullptr;
  std::vector<double> structure_; // of these rows and this size
  std::tuple<std::size_t, std::int64_t, std::int64_t, double> structureOf_{};
  std::vector<std::complex<double>> alone_, channel_;
};

} // namespace facet::runtime
