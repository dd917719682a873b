// aliases.cpp - direct sums of a sample of the records at outer q, and at inner q with strengths
// that favour an edge.
#include "runtime/engine/transform/aliases.h"
#include "runtime/engine/transform/nufft/clones.h"
#include "runtime/engine/transform/nufft/layout.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace facet::runtime {
namespace {

constexpr std::int64_t mostRecords = 4096;
constexpr int outerDraws = 16;
constexpr double leastUpsampling = 1.25, mostUpsampling = 2;

/// The largest of the sums at all q of a grid, over the root of sum |b|^2: at random phases
/// sqrt(log n), and there are two aliases an axis.
constexpr double largestOfRandom = 4;
/// The largest of the sums at all q over the largest seen.
constexpr double largestOfSeen = 2;
/// How far |T|^2 of a sample at one of some q may be above sum |b|^2 by chance.
constexpr double byChance = 6;

/// Uniform draws that are the same with every standard library.
class Draw {
public:
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t n) { return random_() % n; }

private:
  std::mt19937_64 random_{1};
};

double squareOf(const std::array<double, 3> &q) {
  return std::inner_product(q.begin(), q.end(), q.begin(), 0.0);
}

constexpr std::size_t lanes = 8; // sums side by side, for vectors

/// |sum w (re + i im) e^{i phase}|^2 of n records, a multiple of `lanes`; w: 1 if null.
FACET_CLONES double squareOfSum(std::size_t n, const double *w, const double *re, const double *im,
                                const double *cosine, const double *sine) {
  std::array<double, lanes> sumRe{}, sumIm{};
  for (std::size_t i = 0; i < n; i += lanes)
    for (std::size_t j = 0; j < lanes; ++j) {
      const std::size_t t = i + j;
      const double c = w == nullptr ? cosine[t] : w[t] * cosine[t],
                   s = w == nullptr ? sine[t] : w[t] * sine[t];
      sumRe[j] += re[t] * c - im[t] * s;
      sumIm[j] += re[t] * s + im[t] * c;
    }
  const double all[] = {std::accumulate(sumRe.begin(), sumRe.end(), 0.0),
                        std::accumulate(sumIm.begin(), sumIm.end(), 0.0)};
  return all[0] * all[0] + all[1] * all[1];
}

} // namespace

Aliases::Sample::Sample(const WaveRecords &records, int wave) : transforms(records.of(wave)) {
  const NufftPoints points = records.points(wave);
  const std::int64_t count = std::min(points.n, mostRecords);
  share = static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(points.n, 1));
  Draw draw;
  std::vector<std::int64_t> taken;
  for (std::int64_t i = 0; i < count; ++i) {
    const double t = (static_cast<double>(i) + draw.unit()) / share;
    taken.push_back(share < 1 ? std::min(static_cast<std::int64_t>(t), points.n - 1) : i);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const double middle = records.middle(wave)[d], half = records.half(wave)[d];
    for (const std::int64_t t : taken) {
      const double r = points.at[d][t], x = half > 0 ? (r - middle) / half : 0;
      constexpr double steep = 4; // so weights fall from the edge
      at[d].push_back(r);
      edges[2 * d].push_back(std::pow(0.5 - 0.5 * x, steep));
      edges[2 * d + 1].push_back(std::pow(0.5 + 0.5 * x, steep));
    }
  }
  const auto fill = [](std::vector<double> &numbers) { // records of strength 0
    numbers.resize((numbers.size() + lanes - 1) / lanes * lanes);
  };
  std::ranges::for_each(at, fill);
  std::ranges::for_each(edges, fill);
  for (const int j : transforms) {
    const int parts = records.form().parts[j];
    const double *b = records.strengths(j);
    re.emplace_back(), im.emplace_back();
    for (const std::int64_t t : taken) {
      re.back().push_back(b[parts * t]);
      im.back().push_back(parts == 1 ? 0 : b[parts * t + 1]);
    }
    fill(re.back());
    fill(im.back());
  }
}

double Aliases::Sample::square(std::size_t k) const {
  return std::inner_product(re[k].begin(), re[k].end(), re[k].begin(), 0.0) +
         std::inner_product(im[k].begin(), im[k].end(), im[k].begin(), 0.0);
}

void Aliases::Sample::raise(const std::array<double, 3> &q, bool edge,
                            std::vector<double> &most) const {
  const std::size_t n = at[0].size();
  static thread_local std::vector<double> phase, cosine, sine;
  phase.resize(n), cosine.resize(n), sine.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    phase[i] = q[0] * at[0][i] + q[1] * at[1][i] + q[2] * at[2][i];
  cisOf(phase.data(), cosine.data(), sine.data(), static_cast<std::int64_t>(n));
  const auto add = [&](std::size_t k, const double *weights) {
    most[k] = std::max(
        most[k], squareOfSum(n, weights, re[k].data(), im[k].data(), cosine.data(), sine.data()));
  };
  for (std::size_t k = 0; k < transforms.size(); ++k)
    if (edge)
      for (const std::vector<double> &weights : edges)
        add(k, weights.data());
    else
      add(k, nullptr);
}

Aliases::Aliases(const WaveRecords &records, const Grid &grid, bool cut)
    : records_(records), cut_(cut) {
  for (std::size_t d = 0; d < 3; ++d)
    range_[d] = 2 * factsOf(grid.axes[d]).half();
  for (int wave = 0; wave < records.form().waves; ++wave)
    some_.emplace_back(records, wave);
}

/// The largest of all q alike, from those seen at these.
std::vector<double> Aliases::largest(const Draws &q, bool edge) const {
  std::vector<double> sizes(static_cast<std::size_t>(records_.form().transforms));
  for (const Sample &sample : some_) {
    std::vector<double> most(sample.transforms.size());
    for (const std::array<double, 3> &one : q)
      sample.raise(one, edge, most);
    for (std::size_t k = 0; k < most.size(); ++k) {
      const double square = sample.square(k), random = sample.share < 1 ? byChance * square : 0,
                   seen = std::sqrt(std::max(most[k] - random, 0.0)) / sample.share,
                   cancelled = std::sqrt(square / sample.share);
      const int j = sample.transforms[k];
      sizes[static_cast<std::size_t>(j)] =
          std::min(std::max(largestOfRandom * cancelled, largestOfSeen * seen), records_.size(j));
    }
  }
  return sizes;
}

/// Some at random, and the nearest to 0.
Aliases::Draws Aliases::outerOf(std::span<const std::array<double, 3>> q) const {
  Draw draw;
  Draws all;
  std::array<double, 3> nearest{};
  double least = HUGE_VAL;
  for (const std::array<double, 3> &one : q)
    for (std::size_t d = 0; d < 3; ++d)
      for (const double sign : {-1.0, 1.0}) {
        std::array<double, 3> alias = one;
        alias[d] += sign * leastUpsampling * range_[d];
        if (range_[d] > 0 && squareOf(alias) < least)
          least = squareOf(alias), nearest = alias;
      }
  if (least < HUGE_VAL)
    all.push_back(nearest);
  while (least < HUGE_VAL && all.size() < outerDraws) {
    std::array<double, 3> alias = q[draw.below(q.size())];
    const std::size_t d = draw.below(3);
    const double upsampling = leastUpsampling + (mostUpsampling - leastUpsampling) * draw.unit(),
                 sign = draw.unit() < 0.5 ? -1 : 1;
    alias[d] += sign * upsampling * range_[d] * (cut_ ? std::exp2(-4 * draw.unit()) : 1);
    if (range_[d] > 0)
      all.push_back(alias);
  }
  return all;
}

bool hasPlanes(const WaveRecords &records, int wave) {
  constexpr std::int64_t looks = 512;
  constexpr double many = 0.04, thickness = 1e-7; // of the points, of half the extent
  const NufftPoints points = records.points(wave);
  const std::int64_t step = std::max<std::int64_t>(points.n / looks, 1);
  std::vector<double> some;
  for (std::size_t d = 0; d < 3; ++d) {
    const double half = records.half(wave)[d];
    some.clear();
    for (std::int64_t t = 0; t < points.n; t += step)
      some.push_back(points.at[d][t]);
    std::ranges::sort(some);
    const auto run = static_cast<std::size_t>(many * static_cast<double>(some.size()));
    for (std::size_t i = 0; half > 0 && i + run < some.size(); ++i)
      if (some[i + run] - some[i] <= thickness * half)
        return true;
  }
  return false;
}

std::vector<double> Aliases::outer(std::span<const std::array<double, 3>> q) const {
  return largest(outerOf(q), false);
}

std::vector<double> Aliases::inner(std::span<const std::array<double, 3>> q) const {
  return largest({q.begin(), q.begin() + std::min<std::ptrdiff_t>(std::ssize(q), 3)}, true);
}

} // namespace facet::runtime
