// along.h - what F of a body changes by along a direction: of its kernel's parameters, of q'.
#pragma once
#include <array>
#include <complex>
#include <facet/runtime/gradient.h>
#include <facet/runtime/plan.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// A kernel's file and how derivatives of it are summed.
struct KernelSource {
  std::string file;
  GradientOptions options;
};

/// A plan of what F changes by. `params`: of a direction in which it does change, by which it is
/// planned.
Plan planAlong(Kernel tangent, const KernelSource &from, const Grid &grid, const Mesh &mesh,
               std::vector<double> params);
/// Its values, within the contract. Throws Error: Exit::ContractMissed.
const std::vector<std::complex<double>> &valuesAlong(Plan &plan, const std::vector<double> &params);

/// dF / dq on a grid along some axes, of one plan. At q = 0 of a kernel with origin, where F's
/// formula divides by 0, from six q around it.
class QSlopes {
public:
  /// `axes`: "xz"; `radius`: of the mesh, nm. Throws Error: q is complex, and F is no analytic
  /// function of q.z; what Plan does.
  QSlopes(const Kernel &kernel, const KernelSource &from, const std::string &axes, const Grid &grid,
          const Mesh &mesh, double radius, const std::vector<double> &params);
  const std::string &axes() const { return axes_; }
  void setMesh(const Mesh &mesh) { plan_.setMesh(mesh); }
  /// By q'x, q'y and q'z; empty along other axes.
  std::array<std::vector<std::complex<double>>, 3> at(const std::vector<double> &params);

private:
  QSlopes(const KernelSource &from, const std::string &axes, const Grid &grid, const Mesh &mesh,
          double radius, const std::vector<double> &params, std::vector<std::int64_t> zeros);

  std::string axes_;
  std::vector<std::int64_t> zeros_;
  std::int64_t size_;
  Plan plan_;
};

} // namespace facet::runtime
