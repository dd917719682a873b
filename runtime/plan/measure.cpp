// measure.cpp - the measured error: a sample of q by the kernel library's own reference.
#include "runtime/plan/sample.h"
#include "runtime/plan/state.h"
#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr std::int64_t wanted = 64, least = 16;

struct Compared {
  std::complex<double> reference;
  double difference = 0, bound = 0;
  bool done = false;
};

} // namespace

Measured Plan::measure() {
  State &s = *state_;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double budget = std::max(0.1 * s.seconds, 0.05);
  const std::vector<std::int64_t> sample =
      chooseSample(s.grid, s.layout, s.f, s.zeros, s.options.seed, wanted);
  std::vector<Compared> compared(sample.size());
  s.pool.run(static_cast<std::int64_t>(sample.size()), [&](std::int64_t task, int) {
    if (task >= least && elapsed() > budget)
      return;
    const auto k = static_cast<std::size_t>(task);
    const auto q = s.grid.at(sample[k]);
    const double flat[6] = {q[0].real(), q[0].imag(), q[1].real(),
                            q[1].imag(), q[2].real(), q[2].imag()};
    double value[2], sumAbs = 0, factor = 0;
    s.kernel->reference(flat, 1, s.records.columns().data(), s.records.size(), s.params.data(),
                        value, &sumAbs, &factor);
    Compared &c = compared[k];
    c.reference = {value[0], value[1]};
    c.difference = std::abs(s.f[static_cast<std::size_t>(sample[k])] - c.reference);
    c.bound = DBL_EPSILON * sumAbs * factor;
    c.done = true;
  });

  Measured result;
  result.contract = s.options.accuracy;
  result.seed = s.options.seed;
  double most = 0, squares = 0, squaresOfF = 0;
  for (const Compared &c : compared)
    most = std::max(most, c.done ? std::abs(c.reference) : 0.0);
  const double scale = most > 0 ? 1 / most : 1;
  result.met = true;
  for (std::size_t k = 0; k < compared.size(); ++k) {
    const Compared &c = compared[k];
    if (!c.done)
      continue;
    ++result.samples;
    squares += c.difference * c.difference;
    squaresOfF += std::norm(c.reference);
    result.bound = std::max(result.bound, c.bound * scale);
    // Written so that a NaN misses.
    result.met = result.met && c.difference <= result.contract * most + c.bound;
    if (!(c.difference * scale <= result.error)) {
      result.error = c.difference * scale;
      result.worst = s.grid.at(sample[k]);
    }
  }
  result.rms = squaresOfF > 0 ? std::sqrt(squares / squaresOfF) : 0;
  result.verifiable = result.bound <= result.contract;
  result.seconds = elapsed();
  return result;
}

Measured executeToContract(Plan &plan, const std::vector<double> &params,
                           const std::function<void(const std::string &)> &say) {
  while (true) {
    plan.execute(params);
    const Measured measured = plan.measure();
    const std::string before = className(plan.klass());
    if (measured.met || !plan.useNextClass())
      return measured;
    if (say)
      say(fmt::format(
          "{} missed the contract ({:.1e} of max|F|, asked {:.0e}): running again in {}", before,
          measured.error, measured.contract, className(plan.klass())));
  }
}

} // namespace facet::runtime
