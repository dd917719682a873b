// sums_adjoint.h - the adjoint of a kernel summed directly: for each record over the q of the grid.
#pragma once
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/sum/sums.h"
#include <facet/runtime/gradient.h>

namespace facet::runtime {

/// The derivatives of a number L by each column, at some records or all.
class DirectAdjoint {
public:
  /// `adjoint`: the kernel that was made of `kernel`. Throws Error if it has no sum of the class.
  DirectAdjoint(Kernel kernel, Kernel adjoint, const Grid &grid, const std::string &target,
                facet_class klass, std::shared_ptr<Pool> pool);

  /// The columns of the kernel that derivatives are taken by.
  std::vector<std::string> columnNames() const;
  /// Whether finish is not linear: setCotangent then needs the sums over records.
  bool readsSums() const;
  /// Whether a q is 0 exactly, and `origin` sets F there.
  bool hasOrigin() const { return !zeros_.empty(); }
  /// Sets the mesh, which the caller keeps until it sets another one.
  void setMesh(const Mesh &mesh);
  /// Sets when work in hand is left: see GradientOptions::leave.
  void setLeave(const std::atomic<bool> *leave) { leave_ = leave; }
  /// Sets G and, if read, the sums, in the order of F. `originAlone`: only of q = 0 exactly, if the
  /// kernel has `origin`.
  void setCotangent(const std::vector<std::complex<double>> &g,
                    const std::vector<std::complex<double>> *sums,
                    const std::vector<double> &params, bool originAlone);
  /// The derivatives at these records; null: at all. Throws Error if one is not finite.
  ColumnGradient columns(const std::vector<std::int64_t> *places = nullptr);

  /// What the last columns() were summed on, as Algorithm::device() says it.
  const std::string &device() const { return device_; }

  /// Seconds that columns() is expected to take, by measuring a part of it; a cotangent must be
  /// set.
  double expected();

private:
  std::vector<double> columnOf(const std::string &name, const std::vector<std::complex<double>> &g,
                               const std::vector<std::complex<double>> *sums) const;
  /// Makes a list of as many points as there are records; q means nothing there.
  void take(const std::vector<std::int64_t> *places);
  Sums sums() const;
  /// Leaves these q out, and takes the others.
  void take(std::vector<std::int64_t> left);
  bool takeCounted(const std::vector<std::complex<double>> &g);
  void mustBeFinite(const std::string &name, const std::vector<double> &values) const;

  Kernel kernel_, adjoint_;
  Grid grid_, list_;
  std::shared_ptr<Pool> pool_;
  const facet_variant *variant_ = nullptr;
  std::unique_ptr<Queues> queues_; // of the device that runs the variant; null: a CPU does
  const Mesh *mesh_ = nullptr;
  Mesh qs_; // the q as records, columns of the mesh in tables
  Records records_;
  std::vector<double> params_;
  const std::atomic<bool> *leave_ = nullptr;
  std::vector<std::int64_t> atZero_, zeros_;     // q = 0 exactly; these if `origin` sets F
  std::vector<std::int64_t> left_, taken_, all_; // q without a part in the sums; others; points
  std::string device_;
  bool none_ = false; // qs_ has one q, whose cotangent is 0
};

} // namespace facet::runtime
