// plan.h - plan a kernel for a grid and a mesh once, execute it many times, measure its error.
#pragma once
#include "grid.h"
#include "kernel.h"
#include "mesh_stream.h"
#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <optional>

namespace facet::runtime {

struct PlanRun;

/// The accuracies a plan takes; double itself can hardly judge less.
constexpr double leastAccuracy = 1e-2, mostAccuracy = 1e-12;

/// A mesh that does not fit the memory. The plan is made with a part of it (thinned()), and carried
/// out over all of it, in blocks.
struct WholeMesh {
  std::shared_ptr<const MeshBlocks> blocks;
  MeshSummary summary;
  std::int64_t block = 0; // records that may be in memory at once
};

struct PlanOptions {
  std::optional<facet_algorithm> algorithm; // empty: the one expected to take the least time
  std::optional<facet_class> klass;         // empty: chosen by `accuracy`
  double accuracy = 1e-5; // the contract: error allowed, relative to max|F|; 1e-2 to 1e-12
  std::string target;     // empty: $FACET_TARGET, else the best of this CPU; "any": devices too
  int threads = 0;        // 0: as many as this process may use
  double memory = 0;      // bytes the plan may use; 0: most of what the machine has free
  std::uint64_t seed = 1; // of the error sample
  /// Values the planner expects for the parameters, in the kernel's order; empty: their defaults,
  /// else 1.
  std::vector<double> params;
  std::shared_ptr<const WholeMesh> whole; // of which the plan's mesh is a part; null: it is all
  /// The plan is carried out unit by unit, as facet run does. Then time and memory expected are
  /// those of units, and cuts are chosen for the memory. execute() still takes the whole grid as
  /// one, and may need more.
  bool units = false;
  /// F that is not finite at q = 0 exactly, of a kernel without `origin`, is an Error too; else it
  /// is NaN there, and Executed says so.
  bool finite = false;
  /// Seconds that the reference may take in measure() however short an execution is; 16 q, and a
  /// tenth of an execution, it may always.
  double measuring = 0.05;
  std::function<void(const std::string &)> say; // gets a sentence if planning takes time
};

/// One way to run a kernel on a grid.
struct HowToSum {
  facet_algorithm algorithm = FACET_DIRECT;
  facet_class klass = FACET_F64;        // nufft: f32 or f64, of its grids
  facet_grid_kind grid = FACET_PRODUCT; // how it runs: a product may run as points
  bool nodes = false;                   // records are nodes of quadrature rules
  double tolerance = 0;                 // of the transforms, relative; nufft only
  bool operator==(const HowToSum &) const = default;
};
/// "direct, f32", "nufft, 1e-07": in a few words.
std::string name(const HowToSum &how);

/// One way to run, and what is expected of it.
struct Choice : HowToSum {
  double seconds = 0, bytes = 0; // of one execute
  double error = 0;              // relative to max|F|, after the repair of small q
  std::int64_t repaired = 0;     // q expected to be computed again by direct sums in f64
  std::string target;            // for which sums are compiled: "avx512", "opencl"
  std::string detail;            // "type 1, 2-D, 3 transforms"
  std::string refusal;           // why it cannot be taken; empty: it can
  bool lowRank = false;          // nufft of a kernel without waves: sums over records at nodes
  /// The same way to run, whatever is expected of it.
  bool operator==(const Choice &other) const {
    return HowToSum::operator==(other) && target == other.target;
  }
};
/// What is done, for people: algorithmName, or "lowrank" for transforms without waves.
std::string algorithmName(const Choice &choice);
/// The same for name: "lowrank, 1e-07".
std::string name(const Choice &choice);
/// name() in a table of `all`, with the target if they are of several: "direct, f32, opencl"; of
/// one that was refused as it stands the algorithm alone.
std::string nameAmong(const std::vector<Choice> &all, const Choice &choice);
/// Why a choice is not taken: refused, too inexact, or slower; "taken".
std::string whyNot(const Choice &choice, const Choice &taken, double accuracy);

/// Bytes from "8GB", "500MB", "1e9" (powers of 1000). Throws Error.
double parseBytes(const std::string &text);
/// "1.5 GB".
std::string showBytes(double bytes);

/// F on a sample of q against the reference in plain double. With several outputs the numbers are
/// those of the worst.
struct Measured {
  double error = 0;    // max|F - Fref| / max|F|; see banded
  double rms = 0;      // the same as a root mean square
  double bound = 0;    // rounding of the reference itself, / max|F|: by phases of |q| |r|
  double contract = 0; // the error allowed
  int samples = 0;     // q compared
  std::uint64_t seed = 0;
  double seconds = 0;
  bool banded = false;     // q.z is complex: max|F| is over the q with like Im q.z, 10%
  bool met = false;        // all finite, error <= contract, or double cannot judge
  bool verifiable = false; // double can judge: its rounding is no large part of the contract
  bool vanishes = false;   // F is 0 to the rounding of its terms; errors are relative to these
  std::array<std::complex<double>, 3> worst{}; // q of the largest difference, nm^-1
  std::string output;            // whose max|F| is meant; "" of the one that has no name
  std::vector<Measured> outputs; // of each, if there are outputs by name
};

/// What a plan would do, and why.
struct Explained {
  std::vector<Choice> choices; // every way to run, with what is expected of it
  std::size_t taken = 0;       // of them
  std::string reason;          // "0.05 s expected; separable 0.9 s"
  std::string target;
  std::string memory; // "8 GB allowed: mesh 3 MB, .., units 90 MB; 7.9 GB left"
  /// "NVIDIA H200 (cuda:0), 3 streams, 9 tiles of 1 x 334 x 1000"; "" on CPUs.
  std::string device;
  int threads = 1;
  double tqp = 0; // triangle-q-points of one execute
};

/// What the last execute was.
struct Executed {
  double seconds = 0;
  /// q that direct sums in f64 computed, since the error of the sum would have been amplified
  /// beyond the contract there.
  std::int64_t repaired = 0;
  bool keptSums = false; // those of the execute before
  std::string totals;    // sums of record-only values, "B0 = 0 (1.2e-12 of 3.4e4)"; "": none
  std::string device;    // as of Explained, and whether its memory was short
  std::string remark;    // on q = 0 where F is NaN, to be said to the user; "": there is none
};

/// A kernel planned for a grid and a mesh. Make it once, then execute; parameters, mesh and
/// rotation may change in between without compiling, planning or allocating again (a mesh with more
/// triangles grows the records). Not for use by two threads at once; it has worker threads of its
/// own.
///
///   Plan plan(Kernel::load("born.so"), grid, mesh);
///   for (double kappa : {1.0, 1.1, 1.2}) use(plan.execute({kappa}));
class Plan {
public:
  /// Throws Error: no variant for this grid or CPU; a missing column; complex q if the kernel has
  /// real; an accuracy out of reach; more memory than allowed. Also an algorithm that is forced and
  /// impossible, with the expression that forbids it.
  Plan(Kernel kernel, const Grid &grid, const Mesh &mesh, PlanOptions options = {});
  Plan(Plan &&) noexcept;
  Plan &operator=(Plan &&) noexcept;
  ~Plan();

  /// F in grid order (z fastest), of several outputs (outputsOf the kernel) one grid after the
  /// other, with an imaginary part of 0 where they are real; valid until the next call. `params` in
  /// the kernel's order (see Kernel::parameters). If only parameters that `finish` alone reads have
  /// changed since the last call, the sums are kept and only finished again. Throws Error if
  /// F is not finite (count and first q), but see PlanOptions::finite.
  const std::vector<std::complex<double>> &execute(const std::vector<double> &params = {});
  const std::vector<std::complex<double>> &values() const;
  const Executed &last() const;

  /// Compares the last result with the reference at 64 q, fewer if that takes more than max(10% of
  /// the run, 50 ms), never fewer than 16 (or all). Throws Error if nothing has been executed since
  /// the plan was made, or its mesh changed or turned.
  Measured measure();

  /// Another mesh with the same columns; the rotation is kept.
  void setMesh(const Mesh &mesh);
  /// The mesh as given, rotated about the origin by a 3x3 row-major matrix, with all columns that
  /// turn (rolesOf). Throws Error if the kernel's records do not.
  void setRotation(const Matrix3 &matrix);
  /// Called about ten times a second from the thread in execute(): triangle-q-points done, and all.
  void setProgress(std::function<void(double done, double total)> progress);

  const Choice &choice() const;
  const Explained &explain() const;
  /// Goes to the best of the choices left that is expected to be more accurate, else to direct sums
  /// in f64; false if that was tried, or the class was forced.
  bool useNextChoice();
  /// All that fixes the bits of the next execute, as a text: the same gives the same bits.
  std::string decision();

  /// What facet's own programs take from a plan: runtime/engine/plan/plan_run.h.
  PlanRun &run() const { return *run_; }

private:
  std::unique_ptr<PlanRun> run_;
};

/// Executes and measures; if the contract is missed and the class was not forced, again with
/// the next choice. `say` gets a sentence for each repeat.
Measured executeToContract(Plan &plan, const std::vector<double> &params,
                           const std::function<void(const std::string &)> &say = {});

} // namespace facet::runtime
