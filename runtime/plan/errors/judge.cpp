// judge.cpp - from differences at a sample of q to the measured error of a run.
#include "runtime/plan/errors/judge.h"
#include "runtime/plan/errors/bands.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

bool isFinite(const std::complex<double> &f) {
  return std::isfinite(f.real()) && std::isfinite(f.imag());
}

/// The largest |reference| in the band of q.
double largest(const std::vector<Compared> &compared, const Compared &at, double radius) {
  double most = 0;
  for (const Compared &c : compared)
    if (dampedAlike(at.q[2].imag(), c.q[2].imag(), radius))
      most = std::max(most, std::abs(c.reference));
  return most;
}

} // namespace

Measured judge(const std::vector<Compared> &compared, double contract, double radius) {
  Measured result;
  result.contract = contract;
  result.met = true;
  double squares = 0, squaresOfF = 0;
  for (const Compared &c : compared) {
    if (!c.judged)
      continue;
    ++result.samples;
    // Divided by, not multiplied with 1 / most: that is infinite where F is denormal.
    const double most = largest(compared, c, radius), unit = most > 0 ? most : 1;
    const double difference = std::abs(c.value - c.reference), off = difference / unit;
    squares += off * off;
    squaresOfF += std::norm(c.reference / unit);
    result.bound = std::max(result.bound, c.bound / unit);
    result.banded =
        result.banded || !dampedAlike(compared.front().q[2].imag(), c.q[2].imag(), radius);
    // Both the run and its reference round. Written so that a NaN misses.
    result.met = result.met && isFinite(c.value) && isFinite(c.reference) &&
                 difference <= contract * most + 2 * c.bound;
    if (!(off <= result.error)) {
      result.error = off;
      result.worst = c.q;
    }
  }
  result.rms = squaresOfF > 0 ? std::sqrt(squares / squaresOfF) : 0;
  result.verifiable = result.bound <= contract;
  return result;
}

} // namespace facet::runtime
