// form_factor.h - F of a mesh on a grid, turned and scaled again and again, within the contract.
#pragma once
#include <facet/runtime/plan.h>
#include <functional>
#include <optional>
#include <string>

namespace facet::runtime {

/// What evaluations have taken, and the worst of those that were measured.
struct Evaluations {
  std::int64_t count = 0, measured = 0, repaired = 0;
  double seconds = 0, tqp = 0;
  std::optional<Measured> worst;
  std::string how; // "direct, f32, avx2", of the last
  int threads = 1;

  /// The worst of both, and the sum of the rest.
  void add(const Evaluations &other);
  void add(const Measured &measured);
};

class FormFactor {
public:
  /// Throws Error as Plan does.
  FormFactor(const Kernel &kernel, const Grid &grid, const Mesh &mesh, const PlanOptions &options,
             Evaluations &sum, std::function<void(const std::string &)> say);
  /// F in grid order, valid until the next call; `rotation` about the origin, row-major, after
  /// all lengths were multiplied by `scale`.
  const std::vector<std::complex<double>> &at(const std::array<double, 9> &rotation, double scale);
  /// F by the reference at some points, as last turned and scaled: a sixteenth of an evaluation's
  /// time, 50 ms or `atLeast` points, whichever is most; NaN where there was no time.
  std::vector<std::complex<double>> reference(const Grid &points, std::int64_t atLeast);
  /// As Plan::setProgress.
  void setProgress(std::function<void(double, double)> progress);
  int threads() const { return plan_.threads(); }

private:
  const Mesh &mesh_;
  double scale_ = 1;
  std::array<double, 9> rotation_{};
  std::vector<double> params_;
  Evaluations &sum_;
  std::function<void(const std::string &)> say_;
  std::int64_t count_ = 0; // evaluations
  Plan plan_;
};

} // namespace facet::runtime
