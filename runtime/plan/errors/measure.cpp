// measure.cpp - the measured error: a sample of q by the kernel library's own reference.
#include "runtime/plan/errors/bands.h"
#include "runtime/plan/errors/judge.h"
#include "runtime/plan/state.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace facet::runtime {
namespace {
constexpr std::int64_t wanted = 64;
constexpr std::size_t atWorst = 16; // of them, where the model expects the largest errors
} // namespace

std::vector<Sampled> Plan::State::sample(const Extremes &extremes) {
  std::optional<Bands> bands;
  if (grid.axes[2].isComplex())
    bands.emplace(grid, f, records.radius(), zeros);
  updateRisk(true);
  const double repairs =
      mayRepair(taken(), precise, options) ? modelShare * options.accuracy : HUGE_VAL;
  const Layout tiles =
      taken().variant != nullptr ? tilesOf(grid, *taken().variant, pool->size()) : Layout();
  return chooseSample(grid, tiles, extremes, bands ? &*bands : nullptr, zeros, options.seed, wanted,
                      worstExpected(taken(), work, *risk, repairs, atWorst));
}

Measured Plan::State::measure(const Extremes &extremes, const Compare &compare) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Sampled> sampled = sample(extremes);
  const std::vector<std::int64_t> q = placesOf(sampled);
  const std::vector<Reference> found = compare.references(q, leastOf(sampled), measuring());
  const std::vector<std::complex<double>> values = compare.values(q);
  const std::vector<bool> judged = judgedOf(sampled, found.size());
  std::vector<Compared> compared(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto at = grid.at(q[k]);
    compared[k] = {at, values[k], found[k].value, roundingOf(found[k], at, records.frame().reach()),
                   judged[k]};
  }
  Measured result = judge(compared, options.accuracy, records.radius());
  result.seed = options.seed;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Measured Plan::measure() {
  State &s = *state_;
  Extremes extremes;
  for (std::size_t i = 0; i < s.f.size(); ++i)
    extremes.see(s.grid, static_cast<std::int64_t>(i), s.f[i]);
  const auto values = [&](const std::vector<std::int64_t> &q) {
    std::vector<std::complex<double>> f;
    for (const std::int64_t at : q)
      f.push_back(s.f[static_cast<std::size_t>(at)]);
    return f;
  };
  return s.measure(extremes, {values, [&](const auto &q, std::size_t least, double seconds) {
                                return s.references->at(s.grid, q, least, seconds);
                              }});
}

} // namespace facet::runtime
