// curve.cpp - the orientation-averaged curve: spheres of q, their directions, sums and errors.
#include "runtime/experiment/average/curve.h"
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

Band::Band(int order, bool half)
    : order_(order), half_(half), rule_(gaussRule(order)),
      partner_(gaussRule(order - partnerBelow)), directions_(directionsOf(order, half)),
      partners_(directionsOf(order - partnerBelow, half)) {}

Direction Band::at(std::int64_t i) const {
  return i < directions_ ? gaussDirection(rule_, half_, i)
                         : gaussDirection(partner_, half_, i - directions_);
}

std::vector<Band> bandsOf(const std::vector<double> &q, const CurveOptions &options) {
  if (!(options.radius > 0) || !std::isfinite(options.radius))
    throw Error(
        "curve", fmt::format("the particle's radius is {} nm", options.radius),
        "half the largest extent tells how many directions are needed: of records at one place "
        "take F, on [grid] qz");
  const std::vector<Size> sizes = options.sizes.empty() ? std::vector<Size>(1) : options.sizes;
  std::vector<Sphere> spheres;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(q[i] >= 0) || !std::isfinite(q[i]))
      throw Error("curve", fmt::format("|q| number {} is {}", i + 1, q[i]),
                  "lengths of q are numbers, none below 0");
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      const Size &size = sizes[s];
      const double k = q[i] * size.scale;
      if (k * options.radius > 3000)
        throw Error("curve", fmt::format("|q| R is {:.3g}", k * options.radius),
                    "an average over 1e7 directions is out of reach; see the units of q and mesh");
      const double grown = std::pow(size.scale, 2 * options.power);
      spheres.push_back({k, i, size.weight * grown, size.half * grown, s});
    }
  }
  std::ranges::stable_sort(spheres, {}, &Sphere::k);
  std::vector<Band> bands;
  for (const Sphere &sphere : spheres) {
    const int order = bandOrder(sphere.k * options.radius);
    if (bands.empty() || bands.back().order() != order)
      bands.emplace_back(order, options.realDensity);
    bands.back().spheres.push_back(sphere);
  }
  return bands;
}

SphereSums SphereSums::of(const Band &band, std::int64_t first, const double *values,
                          std::int64_t count) {
  long double rule = 0, partner = 0;
  SphereSums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    (first + i < band.directions() ? rule : partner) += band.at(first + i).weight * values[i];
    sums.largest = std::max(sums.largest, values[i]);
  }
  sums.rule = static_cast<double>(rule);
  sums.partner = static_cast<double>(partner);
  return sums;
}

Curve curveOf(const std::vector<double> &q, const std::vector<Band> &bands,
              const std::vector<std::vector<std::vector<SphereSums>>> &sums,
              const std::vector<double> &errors, double loss) {
  Curve curve;
  std::vector<double> byHalf(q.size()); // of the sizes
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
      }
      curve.intensity[sphere.at] += sphere.weight * static_cast<double>(rule);
      byHalf[sphere.at] += sphere.half * static_cast<double>(rule);
      curve.deviation[sphere.at] += sphere.weight * errorOf(rule, partner, error);
      curve.directions[sphere.at] = std::max(curve.directions[sphere.at], bands[b].directions());
    }
  }
  for (std::size_t i = 0; i < q.size(); ++i)
    curve.deviation[i] +=
        std::abs(curve.intensity[i] - byHalf[i]) + loss * std::abs(curve.intensity[i]);
  return curve;
}

} // namespace facet::runtime
