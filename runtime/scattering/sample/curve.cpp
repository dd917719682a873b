// curve.cpp - the orientation-averaged curve: spheres of q, their directions, sums and errors.
#include "runtime/scattering/sample/curve.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
namespace {

constexpr int partnerBelow = 6; // half of the 12 by which gaussOrder exceeds |q| R

/// Orders in steps of 8, doubled at 128, 256, ..: few bands, and seldom a quarter more directions.
int bandOrder(double qRadius) {
  const int order = gaussOrder(qRadius);
  int step = 8;
  for (int limit = 128; order > limit; limit *= 2)
    step *= 2;
  return (order + step - 1) / step * step;
}

/// The error of <|F|^2>: that of the rule, and what an error e of F adds. |F + e|^2 - |F|^2 is
/// within 2 |F| e + e^2, and its average within 2 sqrt(<|F|^2>) e + e^2 (Cauchy and Schwarz).
double errorOf(long double rule, long double partner, double e) {
  const auto mean = static_cast<double>(rule);
  return std::abs(static_cast<double>(rule - partner)) + e * (2 * std::sqrt(mean) + e) +
         4 * std::numeric_limits<double>::epsilon() * mean;
}

} // namespace

Band::Band(int order, const CurveOptions &options)
    : order_(order), mirrored_(options.realDensity),
      directions_(options.directions, order, order - partnerBelow, options.realDensity,
                  options.group) {}

namespace {

/// The spheres of one q: sizes from the smallest on. The largest of a wide distribution take more
/// directions than all others, and add little: for sharp bodies <|F|^2> falls as k^-4 (G. Porod,
/// Kolloid-Z. 124 (1951) 83), so that what a size adds goes as w s^2 at large k.
class SpheresOfQ {
public:
  SpheresOfQ(const CurveOptions &options, const std::vector<Size> &sizes)
      : options_(options), sizes_(sizes), fall_(std::max(0, 2 * options.power - 2)) {
    for (const Size &size : sizes)
      late_.push_back(size.weight * std::pow(size.scale, 2 * options.power - fall_));
  }
  void add(double q, std::size_t at, std::vector<Sphere> &to) const;

private:
  /// How many sizes are taken: of those left out at most 1e-5 is lost, or k R is above 1000.
  std::size_t count(double qRadius, double &lost) const;
  double gapAbout(std::size_t s) const {
    return std::max(s > 0 ? sizes_[s].scale - sizes_[s - 1].scale : 0,
                    s + 1 < sizes_.size() ? sizes_[s + 1].scale - sizes_[s].scale : 0);
  }

  const CurveOptions &options_;
  const std::vector<Size> &sizes_;
  int fall_;                 // <|F|^2> goes as k^-fall
  std::vector<double> late_; // what sizes add at large k
};

std::size_t SpheresOfQ::count(double qRadius, double &lost) const {
  constexpr double always = 40, most = 1000, little = 1e-5;
  double all = 0;
  for (const double late : late_)
    all += late;
  std::size_t n = sizes_.size();
  lost = 0;
  for (; n > 1; --n) {
    const double k = qRadius * sizes_[n - 1].scale;
    const bool far = k > std::max(most, 8 * qRadius);
    if (k <= always || (lost + late_[n - 1] > little * all && !far))
      break;
    lost += late_[n - 1];
  }
  return n;
}

void SpheresOfQ::add(double q, std::size_t at, std::vector<Sphere> &to) const {
  const double qRadius = q * options_.radius;
  double lost = 0;
  const std::size_t n = count(qRadius, lost);
  for (std::size_t s = 0; s < n; ++s) {
    const Size &size = sizes_[s];
    const double k = q * size.scale, grown = std::pow(size.scale, 2 * options_.power);
    if (k * options_.radius > 3000)
      throw Error("curve", fmt::format("|q| R is {:.3g}", k * options_.radius),
                  "an average over 1e7 directions is out of reach; see the units of q and mesh");
    Sphere &sphere = to.emplace_back(k, at, size.weight * grown, size.half * grown, s);
    sphere.amplitude = size.weight * std::pow(size.scale, options_.power);
    if (gapAbout(s) * qRadius > mostApart)
      sphere.unsure = sphere.weight;
    if (lost > 0 && size.scale > 0.25 * sizes_[n - 1].scale)
      sphere.beyond = lost * std::pow(size.scale, fall_);
  }
}

} // namespace

std::vector<Band> bandsOf(const std::vector<double> &q, const CurveOptions &options) {
  if (!(options.radius > 0) || !std::isfinite(options.radius))
    throw Error(
        "curve", fmt::format("the particle's radius is {} nm", options.radius),
        "half the largest extent tells how many directions are needed: of records at one place "
        "take F, on [grid] qz");
  const std::vector<Size> sizes = options.sizes.empty() ? std::vector<Size>(1) : options.sizes;
  const SpheresOfQ spheresOf(options, sizes);
  std::vector<Sphere> spheres;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(q[i] >= 0) || !std::isfinite(q[i]))
      throw Error("curve", fmt::format("|q| number {} is {}", i + 1, q[i]),
                  "lengths of q are numbers, none below 0");
    spheresOf.add(q[i], i, spheres);
  }
  std::ranges::stable_sort(spheres, {}, &Sphere::k);
  std::vector<Band> bands;
  for (const Sphere &sphere : spheres) {
    const int order = bandOrder(sphere.k * options.radius);
    if (bands.empty() || bands.back().order() != order)
      bands.emplace_back(order, options);
    bands.back().spheres.push_back(sphere);
  }
  return bands;
}

SphereSums SphereSums::of(const Band &band, std::int64_t first, const double *values,
                          std::int64_t count, const std::complex<double> *amplitudes) {
  long double rule = 0, partner = 0;
  SphereSums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    if (first + i < band.directions())
      rule += band.weight(first + i) * values[i];
    if (first + i < band.directions() && amplitudes != nullptr)
      sums.mean += band.weight(first + i) * amplitudes[i];
    if (const double weight = band.inPartner(first + i); weight != 0)
      partner += weight * values[i];
    sums.largest = std::max(sums.largest, values[i]);
  }
  if (band.mirrored())
    sums.mean = sums.mean.real();
  sums.rule = static_cast<double>(rule);
  sums.partner = static_cast<double>(partner);
  return sums;
}

Curve curveOf(const std::vector<double> &q, const std::vector<Band> &bands,
              const std::vector<std::vector<std::vector<SphereSums>>> &sums,
              const std::vector<double> &errors, double loss, const std::vector<double> &excess) {
  Curve curve;
  std::vector<std::complex<double>> means(q.size());
  std::vector<double> byHalf(q.size()), beyond(q.size()); // of the sizes
  curve.q = q;
  curve.intensity.assign(q.size(), 0);
  curve.deviation.assign(q.size(), 0);
  curve.directions.assign(q.size(), 0);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    double largest = 0;
    for (const auto &sphere : sums[b])
      for (const SphereSums &part : sphere)
        largest = std::max(largest, part.largest);
    const double error = errors[b] * std::sqrt(largest);
    for (std::size_t s = 0; s < bands[b].spheres.size(); ++s) {
      const Sphere &sphere = bands[b].spheres[s];
      long double rule = 0, partner = 0;
      for (const SphereSums &part : sums[b][s]) {
        rule += part.rule;
        partner += part.partner;
        means[sphere.at] += sphere.amplitude * part.mean;
      }
      curve.intensity[sphere.at] += sphere.weight * static_cast<double>(rule);
      byHalf[sphere.at] += sphere.half * static_cast<double>(rule);
      curve.deviation[sphere.at] +=
          sphere.weight * errorOf(rule, partner, error) + sphere.unsure * static_cast<double>(rule);
      beyond[sphere.at] = std::max(beyond[sphere.at], sphere.beyond * static_cast<double>(rule));
      curve.directions[sphere.at] = std::max(curve.directions[sphere.at], bands[b].directions());
    }
  }
  for (std::size_t i = 0; i < q.size(); ++i)
    curve.deviation[i] +=
        beyond[i] + std::abs(curve.intensity[i] - byHalf[i]) + loss * std::abs(curve.intensity[i]);
  for (std::size_t i = 0; i < excess.size(); ++i) {
    curve.intensity[i] += excess[i] * std::norm(means[i]);
    curve.deviation[i] *= 1 + std::abs(excess[i]); // |<F>|^2 <= <|F|^2>
  }
  return curve;
}

} // namespace facet::runtime
