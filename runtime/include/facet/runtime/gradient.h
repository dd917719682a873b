// gradient.h - derivatives by the mesh of a number that depends on F, all of them at once; and
// along a direction.
#pragma once
#include "grid.h"
#include "kernel.h"
#include <atomic>
#include <complex>
#include <memory>
#include <optional>

namespace facet::runtime {

/// A vector for each corner of each triangle.
using Corners = std::vector<std::array<Vec3, 3>>;
/// Derivatives by the columns of a kernel's records, one a record, by the columns' names: "area",
/// "normal.x".
using ColumnGradient = std::map<std::string, std::vector<double>>;

/// From derivatives by the built-in columns of triangles to those by their corners: of area,
/// normal, centroid and edges as functions of the corners, exactly. Other columns are left out.
/// Throws Error: no triangles, a number of derivatives that is not that of the triangles.
Corners byCorners(const Mesh &mesh, const ColumnGradient &columns);
/// The same of `count` triangles from `first` on, to where they are wanted.
void byCorners(const Mesh &mesh, const ColumnGradient &columns, std::int64_t first,
               std::int64_t count, Corners::value_type *to);
/// The mesh with columns d_NAME beside each built-in column and each own one: what the column
/// changes by. The corners move by `corners`, nm, and own columns by `own` (by their names; 0 where
/// it has none; columns with an axis do not change). Records alone have no corners. For kernels of
/// `--derive=tangent`. Throws Error likewise.
Mesh changing(const Mesh &mesh, const Corners &corners, const ColumnGradient &own = {});

struct GradientOptions {
  std::string kernel;            // its name, if the file holds several
  std::string target;            // as of PlanOptions; of a device: it takes the direct sums
  facet_class klass = FACET_F64; // of direct sums over q
  int threads = 0;               // 0: as many as this process may use
  /// Direct sums or transforms; empty: the one expected to take less time.
  std::optional<facet_algorithm> algorithm;
  /// The contract for transforms: error allowed of each column, relative to the largest derivative
  /// by it; 1e-2 to 1e-12.
  double accuracy = 1e-5;
  /// How many calls of columns() are expected of all that share the kernels: those of transforms
  /// are not compiled for little.
  double calls = 1;
  /// Records times q a second that one thread is taken to sum directly when algorithms are
  /// compared; 0: measured. What is measured may choose otherwise on another machine, or in another
  /// run of the same.
  double speed = 0;
  /// Once it is true, direct sums are left at their next tile, by an exception that is no Error;
  /// null: they are not.
  const std::atomic<bool> *leave = nullptr;
};

/// What the last derivatives by columns were.
struct GradientRun {
  facet_algorithm algorithm = FACET_DIRECT;
  double tolerance = 0; // of the transforms
  /// For transforms: the largest difference of a column from direct sums, relative to its largest
  /// derivative. Compared are the records with the largest derivatives, and 8 others (128 where the
  /// tolerance is new). 0 for direct sums.
  double error = 0;
  double seconds = 0;
  std::string reason; // why this algorithm
  std::string device; // that took direct sums, its streams and tiles; empty: none did
};

/// The kernel of what F of another changes by, for plans of this grid and of meshes made by
/// `changing`: its parameters are those of the other, then what they change by. Compiles it if the
/// cache does not have it. Throws Error as compileKernel.
Kernel tangentKernel(const std::string &kernelFile, const Grid &grid,
                     const GradientOptions &options = {});

/// The kernel of what F of another changes by as q changes by a constant direction. The direction
/// is its last parameter d_q (x, y, z; nm^-1). It is for plans of this grid and of meshes as the
/// other takes them. It has no origin: where F divides by q.q it is not finite at q = 0, which
/// plans refuse. With `axes`, "z" or "xz", it has no d_q: F changes with each of these components
/// of q, outputs x, y, z if they are several. Throws Error as compileKernel.
Kernel qTangentKernel(const std::string &kernelFile, const Grid &grid,
                      const GradientOptions &options = {}, const std::string &axes = {});

/// The adjoint of a kernel on a grid, planned once: sums over q for each record, directly or by
/// transforms. The error of transforms is measured each time. They are repeated with less
/// tolerance, at last as direct sums, until it is within the contract. L, a real number, depends on
/// F through a cotangent G: dL = 2 Re sum over q and outputs of conj(G) dF, G = dL/d(conj F). For a
/// real output G is dL/dF / 2. Not for use by two threads at once; it has worker threads of its
/// own.
class Gradient {
public:
  /// Compiles what is not in the cache. Throws Error: what compileKernel and Plan throw; a kernel
  /// that cannot be differentiated by its columns.
  Gradient(const std::string &kernelFile, const Grid &grid, const Mesh &mesh,
           const GradientOptions &options = {});
  Gradient(Gradient &&) noexcept;
  Gradient &operator=(Gradient &&) noexcept;
  ~Gradient();

  /// Another mesh with the same columns.
  void setMesh(const Mesh &mesh);
  const GradientRun &last() const;

  /// dL by each column that the kernel reads. `cotangent`: G in the order of F, of several outputs
  /// one grid after the other. `params` in the kernel's order. At q = 0 of a kernel with origin it
  /// is origin that is differentiated. Throws Error: a cotangent of another size, or not finite;
  /// derivatives that are not finite.
  ColumnGradient columns(const std::vector<std::complex<double>> &cotangent,
                         const std::vector<double> &params = {});
  /// The same by the corners of each triangle, nm^-1; they are to be added up where triangles share
  /// a vertex.
  Corners corners(const std::vector<std::complex<double>> &cotangent,
                  const std::vector<double> &params = {});

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace facet::runtime
