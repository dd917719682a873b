// plan.h - plan a kernel for a grid and a mesh once, execute it many times, measure its error.
#pragma once
#include "grid.h"
#include "kernel.h"
#include "mesh_stream.h"
#include "timeline.h"
#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <optional>

namespace facet::runtime {

/// The accuracies a plan takes; double itself can hardly judge less.
constexpr double leastAccuracy = 1e-2, mostAccuracy = 1e-12;

/// A mesh that does not fit the memory. The plan is made with a part of it (thinned()), and carried
/// out in blocks (decision(), evaluator()); execute() would sum the part only.
struct WholeMesh {
  std::shared_ptr<const MeshBlocks> blocks;
  MeshSummary summary;
  std::int64_t block = 0; // records that may be in memory at once
};

struct PlanOptions {
  std::optional<facet_algorithm> algorithm; // empty: the one expected to take the least time
  std::optional<facet_class> klass;         // empty: chosen by `accuracy`
  double accuracy = 1e-5; // the contract: error allowed, relative to max|F|; 1e-2 to 1e-12
  std::string target;     // empty: $FACET_TARGET, else the best there is
  int threads = 0;        // 0: as many as this process may use
  double memory = 0;      // bytes the plan may use; 0: most of what the machine has free
  std::uint64_t seed = 1; // of the error sample
  /// Values the planner expects for the parameters, in the kernel's order; empty: their defaults,
  /// else 1.
  std::vector<double> params;
  std::shared_ptr<const WholeMesh> whole; // of which the plan's mesh is a part; null: it is all
  /// The plan is carried out unit by unit (decision(), evaluator()), as facet run does: time and
  /// memory expected are those of units, and cuts are chosen for the memory. execute() still sums
  /// the whole grid, and may need more.
  bool units = false;
  std::function<void(const std::string &)> say; // gets a sentence where planning takes time
};

/// One way to run a kernel on a grid, and what is expected of it.
struct Choice {
  facet_algorithm algorithm = FACET_DIRECT;
  facet_class klass = FACET_F64;        // nufft: always f64
  facet_grid_kind grid = FACET_PRODUCT; // how it runs: a product may run as points
  bool nodes = false;                   // records are nodes of quadrature rules
  double tolerance = 0;                 // of the transforms, nufft only
  double seconds = 0, bytes = 0;        // of one execute
  double error = 0;                     // relative to max|F|, after the repair of small q
  std::int64_t repaired = 0;            // q expected to be computed again by direct sums in f64
  std::string detail;                   // "type 1, 2-D, 3 transforms"
  std::string refusal;                  // why it cannot be taken; empty: it can
};
/// "direct, f32", "nufft, 1e-07": a choice in a few words.
std::string name(const Choice &choice);

/// Bytes from "8GB", "500MB", "1e9" (powers of 1000). Throws Error.
double parseBytes(const std::string &text);
/// "1.5 GB".
std::string showBytes(double bytes);

/// F on a sample of q against the reference in plain double.
struct Measured {
  double error = 0;    // max|F - Fref| / max|F|; see banded
  double rms = 0;      // the same as a root mean square
  double bound = 0;    // rounding of the reference itself, / max|F|: by phases of |q| |r|
  double contract = 0; // what was asked for
  int samples = 0;     // q compared
  std::uint64_t seed = 0;
  double seconds = 0;
  bool banded = false;     // q.z is complex: max|F| is over the q with like Im q.z, 10%
  bool met = false;        // all finite, no difference above contract + twice the bound
  bool verifiable = false; // bound <= contract: double can judge
  std::array<std::complex<double>, 3> worst{}; // q of the largest difference, nm^-1
};

struct Decision; // runtime/plan/blocks
class Evaluator;
class Slices;
struct Sampled; // runtime/plan/errors
struct Reference;
class Extremes;

/// A kernel planned for a grid and a mesh. Make it once, then execute; parameters, mesh and
/// rotation may change in between without compiling, planning or allocating again (a mesh with more
/// triangles grows the records). Not for use by two threads at once; it has worker threads of its
/// own.
///
///   Plan plan(Kernel::load("born.so"), grid, mesh);
///   for (double kappa : {1.0, 1.1, 1.2}) use(plan.execute({kappa}));
class Plan {
public:
  /// Throws Error: no variant for this grid or CPU, a missing column, complex q where the kernel
  /// has real, an accuracy out of reach, an algorithm that is forced and impossible (with the
  /// expression that forbids it), more memory than allowed.
  Plan(Kernel kernel, const Grid &grid, const Mesh &mesh, PlanOptions options = {});
  Plan(Plan &&) noexcept;
  Plan &operator=(Plan &&) noexcept;
  ~Plan();

  /// F in grid order (z fastest), valid until the next call. `params` in the kernel's order (see
  /// Kernel::parameters). Where only parameters have changed since the last call that `finish`
  /// alone reads, the sums are kept and finished anew. Throws Error where `finish` is not finite
  /// (count and first q).
  const std::vector<std::complex<double>> &execute(const std::vector<double> &params = {});
  const std::vector<std::complex<double>> &values() const;

  /// Compares the last result with the reference: at most max(10% of the run, 50 ms) where that
  /// allows 64 q, never fewer than 16 (or all).
  Measured measure();

  /// F by the reference in plain double at some q, of the mesh, rotation and parameters of the last
  /// execute: what measure() compares with. The first `atLeast` always, the rest while `seconds`
  /// last; NaN from there on, and where the reference itself has no value.
  std::vector<std::complex<double>> reference(const Grid &points, std::int64_t atLeast,
                                              double seconds);

  /// Another mesh with the same columns; the rotation is kept.
  void setMesh(const Mesh &mesh);
  /// The mesh as given, rotated about the origin by a 3x3 row-major matrix, with all columns that
  /// turn (rolesOf). Throws Error where the kernel's records do not.
  void setRotation(const std::array<double, 9> &matrix);

  /// Called about ten times a second from the thread in execute(): triangle-q-points done, and all.
  void setProgress(std::function<void(double done, double total)> progress);

  /// Goes to the best of the choices left that is expected to be more accurate; false where there
  /// is none, or the class was forced.
  bool useNextChoice();

  facet_algorithm algorithm() const;
  facet_class klass() const;
  /// The variant that sums; of nufft the one that repairs small q.
  const facet_variant &variant() const;
  const Kernel &kernel() const;
  int threads() const;
  /// Of sums on a device: "NVIDIA H200 (cuda:0), 3 streams, 9 tiles of 1 x 334 x 1000", and whether
  /// its memory was short; "" on CPUs.
  std::string device() const;
  /// From the next execute on keeps the times of a device's calls, which costs a wait or two each.
  void recordDevice(bool on = true);
  /// Of the last execute while they were kept; empty without, and on CPUs.
  Timeline timeline() const;
  /// Triangle-q-points of one execute.
  double tqp() const;
  /// Records of a sum: triangles, or nodes of quadrature rules; 0 for transforms.
  std::int64_t summed() const;
  /// Whether the last execute kept the sums of the one before.
  bool keptSums() const;
  /// Seconds the last execute took.
  double seconds() const;
  /// What is run, and every other way with what is expected of it; the choice taken, by index.
  const std::vector<Choice> &choices() const;
  const Choice &choice() const;
  /// The choice taken, as something to carry out unit by unit; cut as the problem asks for.
  Decision decision() const;
  /// Takes the choice that a Decision of the same problem is of; false where there is none.
  bool follow(const Decision &decision);
  /// Carries a Decision out with this plan's threads and device.
  std::unique_ptr<Evaluator> evaluator(const Decision &decision, std::shared_ptr<Slices> slices,
                                       int threads);
  /// What was computed unit by unit, as the last execute.
  struct Carried {
    double seconds = 0;
    std::int64_t repaired = 0;
    std::string totals, device;
  };
  /// F in grid order, to be written by units; until this is called, and after another choice is
  /// taken, there is none.
  std::complex<double> *place();
  void carried(const Carried &how);
  /// measure(), in parts that processes share: the q to compare, chosen by where |F| is smallest
  /// and largest (where q.z is complex by place(), too); seconds that the reference may take; the
  /// reference at some of them, as many as time allows but `least` of them; F and reference, of as
  /// many as there is a reference of.
  std::vector<Sampled> sample(const Extremes &extremes);
  double measuring() const;
  std::vector<Reference> references(const std::vector<std::int64_t> &q, std::size_t least,
                                    double seconds);
  Measured judged(const std::vector<Sampled> &sample, const std::vector<std::complex<double>> &f,
                  const std::vector<Reference> &references) const;
  /// Why this one: "0.05 s expected, separable 0.9 s".
  const std::string &reason() const;
  /// q of the last execute that direct sums in f64 computed again, since the error of the sum
  /// would have been amplified beyond the contract there.
  std::int64_t repaired() const;
  /// Of the last execute: sums of record-only values, "B0 = 0 (1.2e-12 of 3.4e4)"; empty: none.
  std::string totals() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the grid, a product, is cheaper as a list of points with this kernel: its z axis is too
/// short for the padding of the kernel's product variants.
bool prefersPoints(const Kernel &kernel, const Grid &grid);

/// Executes and measures; where the contract is missed and the class was not forced, again with
/// the next choice. `say` gets a sentence for each repeat.
Measured executeToContract(Plan &plan, const std::vector<double> &params,
                           const std::function<void(const std::string &)> &say = {});

} // namespace facet::runtime
