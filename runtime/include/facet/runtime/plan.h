// plan.h - plan a kernel for a grid and a mesh once, execute it many times, measure its error.
#pragma once
#include "grid.h"
#include "kernel.h"
#include "mesh.h"
#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <optional>

namespace facet::runtime {

struct PlanOptions {
  std::optional<facet_class> klass; // empty: chosen by `accuracy`
  double accuracy = 1e-5;           // the contract: error allowed, relative to max|F|
  std::string target;               // empty: $FACET_TARGET, else the best there is
  int threads = 0;                  // 0: as many as this process may use
  std::uint64_t seed = 1;           // of the error sample
};

/// F on a sample of q against the reference in plain double.
struct Measured {
  double error = 0;    // max|F - Fref| / max|F|; see banded
  double rms = 0;      // the same as a root mean square
  double bound = 0;    // rounding of the reference itself, / max|F|
  double contract = 0; // what was asked for
  int samples = 0;     // q compared
  std::uint64_t seed = 0;
  double seconds = 0;
  bool banded = false;     // q.z is complex: max|F| is over the q with like Im q.z, 10%
  bool met = false;        // no difference above contract + bound
  bool verifiable = false; // bound <= contract: double can judge
  std::array<std::complex<double>, 3> worst{}; // q of the largest difference, nm^-1
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
  /// Throws Error: no variant for this grid or CPU, a missing column, complex q where the kernel
  /// has real.
  Plan(Kernel kernel, const Grid &grid, const Mesh &mesh, PlanOptions options = {});
  Plan(Plan &&) noexcept;
  Plan &operator=(Plan &&) noexcept;
  ~Plan();

  /// F in grid order (z fastest), valid until the next call. `params` in the kernel's order (see
  /// Kernel::parameters). Throws Error where `finish` is not finite (count and first q).
  const std::vector<std::complex<double>> &execute(const std::vector<double> &params = {});
  const std::vector<std::complex<double>> &values() const;

  /// Compares the last result with the reference: at most max(10% of the run, 50 ms) where that
  /// allows 64 q, never fewer than 16 (or all).
  Measured measure();

  /// Another mesh with the same columns; the rotation is kept.
  void setMesh(const Mesh &mesh);
  /// The mesh as given, rotated about the origin by a 3x3 row-major matrix. The built-in columns of
  /// triangles turn; columns of your own do not.
  void setRotation(const std::array<double, 9> &matrix);

  /// Called about ten times a second from the thread in execute(): triangle-q-points done, and all.
  void setProgress(std::function<void(double done, double total)> progress);

  /// Goes to the next better class (f32, f32-careful, f64); false where there is none, or the class
  /// was forced.
  bool useNextClass();

  facet_class klass() const;
  const facet_variant &variant() const;
  const Kernel &kernel() const;
  int threads() const;
  /// Triangle-q-points of one execute.
  double tqp() const;
  /// Seconds the last execute took.
  double seconds() const;
  /// Why this class: "max|q.c| 312, expected error 7e-06".
  const std::string &reason() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the grid, a product, is cheaper as a list of points with this kernel: its z axis is too
/// short for the padding of the kernel's product variants.
bool prefersPoints(const Kernel &kernel, const Grid &grid);

/// Executes and measures; where the contract is missed and the class was not forced, again in the
/// next class. `say` gets a sentence for each repeat.
Measured executeToContract(Plan &plan, const std::vector<double> &params,
                           const std::function<void(const std::string &)> &say = {});

} // namespace facet::runtime
