// evaluator.h - the t blocks of a mesh; F of one unit, block by block, as a Decision says.
#pragma once
#include "runtime/engine/plan/decision.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/system/pool.h"
#include <atomic>
#include <complex>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace facet::runtime {

class Recorder;
class Algorithm;
class Card;
class Sums;
class WaveRecords;
struct GridGains;
struct Partial;
struct SharedBlocks;
struct SumContext;

/// One t block, turned.
struct RecordBlock {
  explicit RecordBlock(const facet_kernel_description &kernel) : records(kernel) {}
  Records records;
  std::shared_ptr<const NodeRules> rules; // null if records are no nodes
};

/// Reads t blocks and keeps them while they fit. Several threads may get blocks at once.
class RecordBlocks {
public:
  /// `memory`: bytes that the kept blocks may take.
  RecordBlocks(const Kernel &kernel, const Decision &decision,
               std::shared_ptr<const MeshBlocks> mesh, double memory);
  /// Holds one block of all records. Its owner changes the block, and then calls changed().
  RecordBlocks(const Kernel &kernel, std::shared_ptr<RecordBlock> all);

  std::int64_t count() const;
  std::int64_t records() const;
  /// Sets another rotation about the origin, row-major. Not while blocks are read.
  void setRotation(const Matrix3 &rotation);
  /// Sets another mesh. The decision may differ only in what belongs to the mesh: frame, shells,
  /// cuts. Other arguments are as in the constructor. Not while blocks are read.
  void setMesh(const Decision &decision, std::shared_ptr<const MeshBlocks> mesh, double memory,
               const Matrix3 &rotation);
  /// Block b < count(). The caller holds the pointer while it sums.
  std::shared_ptr<const RecordBlock> get(std::int64_t b);
  /// Blocks have changed, so that what was made of them is out of date. Not while blocks are read.
  void changed() { ++version_; }
  std::int64_t version() const { return version_; }

private:
  void read(std::int64_t b, RecordBlock &to) const;

  Kernel kernel_;
  Decision decision_;
  std::shared_ptr<const MeshBlocks> mesh_; // null if the owner gave the only block
  Matrix3 rotation_ = noRotation;
  std::mutex mutex_;
  std::vector<std::shared_ptr<RecordBlock>> kept_;
  std::int64_t room_ = 0; // blocks that may be kept
  std::int64_t version_ = 0;
};

/// Whether the parameters differ in one that the sum reads, not `finish` alone.
bool sumReads(const Kernel &kernel, const std::vector<double> &before,
              const std::vector<double> &after);

/// What those who sum units use and do not own; null: none.
struct Resources {
  std::shared_ptr<Pool> pool{}; // for sums inside a unit; their bits do not depend on its threads
  Queues *queues = nullptr;     // of the device that the decision's target is for
  Recorder *recorder = nullptr; // of the device's calls
  /// Gets the triangle-q-points done since its last call, about ten times a second and after each
  /// t block.
  std::function<void(double)> progress{};
  /// Once true, run() throws Abandoned at the next transform or tile, so that a stop does not wait
  /// for the work in hand.
  const std::atomic<bool> *leave = nullptr;
};

/// What outlives an evaluator and makes the next one cheaper; null: there is none.
struct EvaluatorCache {
  /// Waves of the only block there is, filled by their owner whenever its records change.
  std::shared_ptr<WaveRecords> waves{};
  GridGains *gains = nullptr; // what is known of the only grid there is
};

/// The threads of a unit of this decision: transforms have one.
std::shared_ptr<Pool> poolFor(const Decision &decision, int threads);

/// Used by one thread at a time; several evaluators may share RecordBlocks. It keeps what it made
/// for a unit until the next unit begins: a run with other parameters or rotated slices allocates
/// nothing. If only parameters that `finish` alone reads have changed, it keeps the sums too.
class Evaluator {
public:
  /// Throws Error if the library lacks the variant.
  Evaluator(const Kernel &kernel, const Decision &decision, std::shared_ptr<RecordBlocks> slices,
            Resources resources, EvaluatorCache cache = {});
  ~Evaluator();
  Evaluator(Evaluator &&) = delete;

  /// From now on run() computes F of this unit.
  void begin(Grid unit);
  /// Writes F at every q of the unit (grid order) to f, one output after the other. Throws Error if
  /// F is not finite, but for allowNaN().
  void run(const std::vector<double> &params, std::complex<double> *f);
  /// The same if `find` chooses the q to repair by F as it has been summed. For a single block
  /// only.
  using FindRepairs = std::function<std::vector<std::int64_t>(const std::complex<double> *f)>;
  void run(const std::vector<double> &params, std::complex<double> *f, const FindRepairs &find);
  void run(Grid unit, const std::vector<double> &params, std::complex<double> *f) {
    begin(std::move(unit));
    run(params, f);
  }
  /// Takes a decision with the same way to run, but other limits of repair or chunks, for records
  /// or parameters that have changed. `repaired`: the q of the unit beyond the limits, if they are
  /// known.
  void setDecision(const Decision &decision, std::optional<std::vector<std::int64_t>> repaired);
  /// From now on F that is not finite at q = 0 exactly is NaN there, if the kernel has no `origin`.
  /// To be called before begin().
  void allowNaN() { allowNaN_ = true; }
  /// From now on several evaluators sum the t blocks of a unit together. Only the one that finishes
  /// has F; the others leave `f` as it is.
  void share(const SharedBlocks *blocks) { shared_ = blocks; }
  /// How many q of the last run were computed by direct sums in f64.
  std::int64_t repaired() const { return static_cast<std::int64_t>(at_.size()); }
  /// Whether the last run kept the sums of the one before.
  bool kept() const { return kept_; }
  /// What the sums of the records alone came to in the last run, in words.
  const std::string &totals() const { return totals_; }
  /// Streams and tiles of the last run on a device; "" on CPUs.
  const std::string &device() const { return device_; }
  /// Another Resources::progress.
  void setProgress(std::function<void(double)> progress);

private:
  SumContext work(const Grid &grid, const RecordBlock &slice, std::int64_t chunks) const;
  bool sumsStand(const std::vector<double> &params) const;
  std::vector<std::int64_t> findRepairs();
  void setRepairs(std::vector<std::int64_t> at);
  bool hasOrigin() const { return kernel_->origin != nullptr && !zeros_.empty(); }
  std::vector<std::complex<double>> originOf(const RecordBlock &slice) const;
  void forget();
  void take(const std::shared_ptr<const RecordBlock> &slice);
  /// What sum() sums.
  struct Part {
    bool all, repairs; // all q of the unit; those of its q that are repaired
  };
  void setParams(const std::vector<double> &params);
  void sum(Part part);
  Partial sumBlock(std::int64_t block, Part part);
  void finish(std::complex<double> *f);
  void finishRepairs(std::complex<double> *f);
  void tell(double done);

  Kernel kernel_;
  Decision decision_;
  std::shared_ptr<RecordBlocks> slices_;
  Resources resources_;
  EvaluatorCache cache_;
  const SharedBlocks *shared_ = nullptr;
  const Card &card_;
  const facet_variant *direct_ = nullptr; // if q may be repaired
  const facet_variant *precise_;
  std::vector<double> params_;

  Grid grid_;
  bool allowNaN_ = false;
  std::vector<std::int64_t> zeros_, listZeros_; // of grid_, and of list_, as Work::zeros has them
  std::vector<std::int64_t> at_;                // the q that are repaired, as a list in:
  Grid list_;
  bool looked_ = false, known_ = false; // repairs were looked for; are known by setDecision()
  std::shared_ptr<const RecordBlock> slice_;
  std::unique_ptr<Algorithm> main_; // sums slice_; after all blocks it has the sums of all
  std::unique_ptr<Sums> again_;     // sums list_; null if that is empty
  std::vector<std::complex<double>> origin_, better_;
  bool summed_ = false; // the sums hold for params_ and the slices of `version_`
  bool kept_ = false;
  std::int64_t version_ = 0;
  bool stale_ = false; // what was packed is for other parameters

  std::string totals_, device_;
  std::function<void(double, double)> counted_, silent_; // progress of the sums in hand: done, all
  double block_ = 0, told_ = 0;                          // triangle-q-points of the block in hand
};

/// F of a unit, one output after the other, with transforms of a hundredth of the decision's
/// tolerance in f64; empty if it takes none, or if that is out of reach.
std::vector<std::complex<double>> tighterF(const Kernel &kernel, Decision decision,
                                           std::shared_ptr<RecordBlocks> slices,
                                           Resources resources, EvaluatorCache cache, Grid unit,
                                           const std::vector<double> &params);

} // namespace facet::runtime
