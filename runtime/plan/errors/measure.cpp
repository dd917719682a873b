// measure.cpp - the measured error: a sample of q by the kernel library's own reference.
#include "runtime/plan/errors/judge.h"
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/state.h"
#include <algorithm>
#include <cfloat>
#include <chrono>
#include <limits>

namespace facet::runtime {
namespace {

constexpr std::int64_t wanted = 64;
constexpr std::size_t least = 16;

std::vector<std::int64_t> placesOf(const std::vector<Sampled> &sample) {
  std::vector<std::int64_t> at;
  at.reserve(sample.size());
  for (const Sampled &s : sample)
    at.push_back(s.at);
  return at;
}

} // namespace

Measured Plan::measure() {
  State &s = *state_;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double budget = std::max(0.1 * s.seconds, 0.05);
  const std::vector<Sampled> sample =
      chooseSample(s.grid, s.layout(), s.f, s.records.radius(), s.zeros, s.options.seed, wanted);
  const auto inMemory = [&] {
    std::vector<Reference> found(sample.size());
    std::vector<char> done(sample.size(), 0);
    s.pool.run(static_cast<std::int64_t>(sample.size()), [&](std::int64_t task, int) {
      if (task >= static_cast<std::int64_t>(least) && elapsed() > budget)
        return;
      const auto k = static_cast<std::size_t>(task);
      const auto q = s.grid.at(sample[k].at);
      const double flat[6] = {q[0].real(), q[0].imag(), q[1].real(),
                              q[1].imag(), q[2].real(), q[2].imag()};
      double value[2];
      s.kernel->reference(flat, 1, s.records.columns().data(), s.records.size(), s.params.data(),
                          value, &found[k].sumAbs, &found[k].factor);
      found[k].value = {value[0], value[1]};
      done[k] = 1;
    });
    // Up to the first that was left out: the largest of a band comes before its others.
    found.resize(static_cast<std::size_t>(std::find(done.begin(), done.end(), 0) - done.begin()));
    return found;
  };
  const std::vector<Reference> references =
      s.reference ? s.reference->at(s.grid, placesOf(sample), least, budget) : inMemory();
  std::vector<Compared> compared(references.size());
  for (std::size_t k = 0; k < references.size(); ++k) {
    const Reference &r = references[k];
    compared[k] = {s.grid.at(sample[k].at), s.f[static_cast<std::size_t>(sample[k].at)], r.value,
                   DBL_EPSILON * r.sumAbs * r.factor, sample[k].judged};
  }
  Measured result = judge(compared, s.options.accuracy, s.records.radius());
  result.seed = s.options.seed;
  result.seconds = elapsed();
  return result;
}

std::vector<std::complex<double>> Plan::reference(const Grid &points, std::int64_t atLeast,
                                                  double seconds) {
  State &s = *state_;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::complex<double>> f(static_cast<std::size_t>(points.size()), {none, none});
  s.pool.run(points.size(), [&](std::int64_t at, int) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (at >= atLeast && elapsed.count() > seconds)
      return;
    const auto q = points.at(at);
    const double flat[6] = {q[0].real(), q[0].imag(), q[1].real(),
                            q[1].imag(), q[2].real(), q[2].imag()};
    double value[2], sumAbs = 0, factor = 0;
    s.kernel->reference(flat, 1, s.records.columns().data(), s.records.size(), s.params.data(),
                        value, &sumAbs, &factor);
    f[static_cast<std::size_t>(at)] = {value[0], value[1]};
  });
  return f;
}

} // namespace facet::runtime
