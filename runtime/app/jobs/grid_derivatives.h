// grid_derivatives.h - derivatives of F on one grid, of |F|^2 beside what was observed, by boxes of
// q.
#pragma once
#include "runtime/app/jobs/derivatives.h"
#include "runtime/app/jobs/grid_units.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/plan/decision.h"
#include "runtime/engine/sum/cut.h"
#include "runtime/scattering/derive/along.h"
#include <complex>

namespace facet::cli {

class GridDerivatives final : public Derivatives {
public:
  /// What it takes from a job, all of which outlives it.
  struct Inputs {
    const runtime::Experiment &experiment;
    const runtime::Kernel &kernel;
    const runtime::Grid &grid;
    std::shared_ptr<const runtime::Mesh> mesh; // as it is summed: turned
    const std::vector<double> &params;
    const std::optional<GridUnits> &units; // of F in the result
  };
  /// Throws Error for outputs with names, a mesh not in memory, a kernel that is a library, and as
  /// Observation does.
  GridDerivatives(const JobOptions &how, Inputs of, int threads, double memory);
  /// Tries whether the kernel can be differentiated. Throws Error if not.
  void tryKernel() const { ofFew(); }
  /// From now on the target of this decision sums; if F is transformed, the CPU does.
  void take(const runtime::Decision &decision);

private:
  Sum sum(const Attempt &attempt, const std::atomic<bool> *leave) override;
  MisfitGradient make(const std::function<std::vector<double>(std::int64_t unit)> &each) override;
  std::vector<std::complex<double>> cotangent(const runtime::TiledResult &result,
                                              const runtime::Box &box,
                                              runtime::Misfit &misfit) const;

  /// The adjoint at one q for some records.
  runtime::Gradient ofFew() const;

  const Inputs of_;
  runtime::ObservedPixels pixels_; // of all q, in the order of F
  runtime::Cutter units_;
  runtime::KernelSource from_;
  runtime::GradientOptions options_; // as take() has set them
};

} // namespace facet::cli
