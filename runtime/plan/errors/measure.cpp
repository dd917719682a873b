// measure.cpp - the measured error: a sample of q by the kernel library's own reference.
#include "runtime/plan/errors/bands.h"
#include "runtime/plan/errors/judge.h"
#include "runtime/plan/errors/references.h"
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/state.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace facet::runtime {
namespace {
constexpr std::int64_t wanted = 64;
constexpr std::size_t atWorst = 16; // of them, where the model expects the largest errors
} // namespace

Measured Plan::measure() {
  const State &s = *state_;
  const auto start = std::chrono::steady_clock::now();
  Extremes extremes;
  for (std::size_t i = 0; i < s.f.size(); ++i)
    extremes.see(s.grid, static_cast<std::int64_t>(i), s.f[i]);
  const std::vector<Sampled> sample = this->sample(extremes);
  const std::vector<Reference> found = references(placesOf(sample), leastOf(sample), measuring());
  std::vector<std::complex<double>> f;
  f.reserve(sample.size());
  for (const Sampled &one : sample)
    f.push_back(s.f[static_cast<std::size_t>(one.at)]);
  Measured result = judged(sample, f, found);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::vector<Sampled> Plan::sample(const Extremes &extremes) {
  State &s = *state_;
  std::optional<Bands> bands;
  if (s.grid.axes[2].isComplex())
    bands.emplace(s.grid, s.f, s.records.radius(), s.zeros);
  s.updateRisk();
  const double repairs =
      mayRepair(s.taken(), s.precise, s.options) ? modelShare * s.options.accuracy : HUGE_VAL;
  const Layout tiles =
      s.taken().variant != nullptr ? tilesOf(s.grid, *s.taken().variant, s.pool->size()) : Layout();
  return chooseSample(s.grid, tiles, extremes, bands ? &*bands : nullptr, s.zeros, s.options.seed,
                      wanted, worstExpected(s.taken(), s.work, *s.risk, repairs, atWorst));
}

double Plan::measuring() const { return std::max(0.1 * state_->seconds, 0.05); }

std::vector<Reference> Plan::references(const std::vector<std::int64_t> &q, std::size_t least,
                                        double seconds) {
  State &s = *state_;
  return s.reference
             ? s.reference->at(s.grid, q, least, seconds)
             : referencesOf(s.kernel, s.records, s.params, s.grid, q, least, seconds, *s.pool);
}

Measured Plan::judged(const std::vector<Sampled> &sample,
                      const std::vector<std::complex<double>> &f,
                      const std::vector<Reference> &references) const {
  const State &s = *state_;
  const std::vector<bool> judged = judgedOf(sample, references.size());
  std::vector<Compared> compared(references.size());
  for (std::size_t k = 0; k < references.size(); ++k) {
    const auto q = s.grid.at(sample[k].at);
    compared[k] = {q, f[k], references[k].value,
                   roundingOf(references[k], q, s.records.frame().reach()), judged[k]};
  }
  Measured result = judge(compared, s.options.accuracy, s.records.radius());
  result.seed = s.options.seed;
  return result;
}

std::vector<std::complex<double>> Plan::reference(const Grid &points, std::int64_t atLeast,
                                                  double seconds) {
  State &s = *state_;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::complex<double>> f(static_cast<std::size_t>(points.size()), {none, none});
  s.pool->run(points.size(), [&](std::int64_t at, int) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (at >= atLeast && elapsed.count() > seconds)
      return;
    f[static_cast<std::size_t>(at)] =
        referenceAt(s.kernel, points, at, s.records.columns(), s.records.size(), s.params).value;
  });
  return f;
}

} // namespace facet::runtime
