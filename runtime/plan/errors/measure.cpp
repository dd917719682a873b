// measure.cpp - the measured error: a sample of q by the kernel library's own reference.
#include "runtime/plan/errors/judge.h"
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/state.h"
#include <algorithm>
#include <cfloat>
#include <chrono>

namespace facet::runtime {
namespace {

constexpr std::int64_t wanted = 64, least = 16;

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
  std::vector<Compared> compared(sample.size());
  std::vector<char> done(sample.size(), 0);
  s.pool.run(static_cast<std::int64_t>(sample.size()), [&](std::int64_t task, int) {
    if (task >= least && elapsed() > budget)
      return;
    const auto k = static_cast<std::size_t>(task);
    const auto q = s.grid.at(sample[k].at);
    const double flat[6] = {q[0].real(), q[0].imag(), q[1].real(),
                            q[1].imag(), q[2].real(), q[2].imag()};
    double value[2], sumAbs = 0, factor = 0;
    s.kernel->reference(flat, 1, s.records.columns().data(), s.records.size(), s.params.data(),
                        value, &sumAbs, &factor);
    const std::complex<double> f = s.f[static_cast<std::size_t>(sample[k].at)];
    compared[k] = {q, f, {value[0], value[1]}, DBL_EPSILON * sumAbs * factor, sample[k].judged};
    done[k] = 1;
  });
  // Up to the first that was left out: the largest of a band comes before its others.
  compared.resize(static_cast<std::size_t>(std::find(done.begin(), done.end(), 0) - done.begin()));
  Measured result = judge(compared, s.options.accuracy, s.records.radius());
  result.seed = s.options.seed;
  result.seconds = elapsed();
  return result;
}

} // namespace facet::runtime
