// sample.cpp - chooses the q at which a run is compared with its reference, and judges it there.
#include "runtime/engine/check/sample.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/system/round_up.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <random>
#include <tuple>
#include <unordered_map>

namespace facet::runtime {

namespace {

/// Indices of the smallest and the largest of value(i); NaN never wins against a number.
template <class Value> std::array<std::int64_t, 2> ends(std::int64_t n, const Value &value) {
  std::array<std::int64_t, 2> at{};
  double low = value(0), high = low;
  for (std::int64_t i = 1; i < n; ++i) {
    const double v = value(i);
    if (v < low || low != low) {
      low = v;
      at[0] = i;
    }
    if (v > high || high != high) {
      high = v;
      at[1] = i;
    }
  }
  return at;
}

/// Indices of the smallest and the largest |q|; of a product grid axis by axis.
std::array<std::int64_t, 2> endsOfQ(const Grid &grid) {
  const auto square = [&](std::size_t axis, std::int64_t i) {
    const Axis &a = grid.axes[axis];
    const auto k = static_cast<std::size_t>(i);
    return a.re[k] * a.re[k] + (a.isComplex() ? a.im[k] * a.im[k] : 0);
  };
  if (grid.kind == Grid::Kind::Points)
    return ends(grid.size(),
                [&](std::int64_t i) { return square(0, i) + square(1, i) + square(2, i); });
  const std::array<std::int64_t, 3> n = grid.extents();
  std::array<std::int64_t, 2> at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto own = ends(n[axis], [&](std::int64_t i) { return square(axis, i); });
    for (std::size_t k = 0; k < 2; ++k)
      at[k] = at[k] * n[axis] + own[k];
  }
  return at;
}

/// Indices of the smallest and the largest |Im q.z|.
std::array<std::int64_t, 2> endsOfDamping(const Grid &grid) {
  const std::vector<double> &im = grid.axes[2].im;
  return ends(static_cast<std::int64_t>(im.size()),
              [&](std::int64_t i) { return std::abs(im[static_cast<std::size_t>(i)]); });
}

/// The q beside the largest |F| of each output, along each axis: on a narrow peak F is steep there.
std::vector<std::int64_t> besideLargest(const Grid &grid, const Extremes &extremes) {
  const bool points = grid.kind == Grid::Kind::Points;
  const std::array<std::int64_t, 3> n =
      points ? std::array<std::int64_t, 3>{1, 1, grid.size()} : grid.extents();
  std::vector<std::int64_t> beside;
  for (std::size_t o = 0; o < FACET_MOST_OUTPUTS; ++o) {
    const std::int64_t largest = extremes.largest(o);
    std::int64_t stride = 1;
    for (std::size_t axis = 3; largest >= 0 && axis-- > 0; stride *= n[axis])
      for (const std::int64_t step : {1, -1, 8, -8})
        if (const std::int64_t at = largest / stride % n[axis] + step; at >= 0 && at < n[axis])
          beside.push_back(largest + step * stride);
  }
  return beside;
}

/// The same number for numbers of one sign within 3%: sign, exponent and five bits of the mantissa.
std::uint64_t coarse(double im) { return std::bit_cast<std::uint64_t>(im) >> 47; }

bool isFinite(const std::complex<double> &f) {
  return std::isfinite(f.real()) && std::isfinite(f.imag());
}

/// The largest |reference| in the band of q; `sizes`: |reference| of each.
double largest(const std::vector<ComparedValue> &compared, const std::vector<double> &sizes,
               const ComparedValue &at, double radius) {
  double most = 0;
  for (std::size_t i = 0; i < compared.size(); ++i)
    if (sizes[i] > most && dampedAlike(at.q[2].imag(), compared[i].q[2].imag(), radius))
      most = sizes[i];
  return most;
}

} // namespace

std::vector<std::int64_t> placesOf(const std::vector<SamplePoint> &sample) {
  std::vector<std::int64_t> at;
  std::ranges::transform(sample, std::back_inserter(at), &SamplePoint::at);
  return at;
}

std::vector<bool> judgedOf(const std::vector<SamplePoint> &sample, std::size_t n) {
  const auto end = sample.begin() + static_cast<std::ptrdiff_t>(n);
  std::vector<bool> judged;
  for (auto one = sample.begin(); one != end; ++one)
    judged.push_back(std::any_of(sample.begin(), end,
                                 [&](const SamplePoint &other) { return other.at == one->top; }));
  return judged;
}

std::size_t leastOf(const std::vector<SamplePoint> &sample, std::size_t judged) {
  std::size_t n = std::min(judged, sample.size());
  for (; n < sample.size(); ++n) {
    const std::vector<bool> some = judgedOf(sample, n);
    if (static_cast<std::size_t>(std::count(some.begin(), some.end(), true)) >= judged)
      break;
  }
  return n;
}

void Extremes::End::take(double other, std::int64_t where, bool better) {
  if (where >= 0 && (at < 0 || better || (other == size && where < at)))
    *this = {other, where};
}

void Extremes::lead(const Grid &grid, std::int64_t at, double size, Ends &ends) {
  if (size != size || isZero(grid, at))
    return;
  ends.least.take(size, at, size < ends.least.size);
  ends.most.take(size, at, size > ends.most.size);
  constexpr double rounding = 1e-14;
  ends.low = std::max(1e-280, (1 + rounding) * ends.least.size * ends.least.size);
  ends.high = std::min(1e280, (1 - rounding) * ends.most.size * ends.most.size);
}

std::vector<std::int64_t> Extremes::all() const {
  std::vector<std::int64_t> at;
  for (const auto &[least, most, low, high] : ends_) {
    at.push_back(most.at);
    at.push_back(least.at);
  }
  return at;
}

void Extremes::join(const Extremes &other) {
  for (std::size_t o = 0; o < ends_.size(); ++o) {
    const auto &[least, most, low, high] = other.ends_[o];
    ends_[o].least.take(least.size, least.at, least.size < ends_[o].least.size);
    ends_[o].most.take(most.size, most.at, most.size > ends_[o].most.size);
  }
}

std::vector<SamplePoint> chooseSample(const Grid &grid, const Layout &layout,
                                      const std::vector<std::complex<double>> &f, double radius,
                                      const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                      std::int64_t count, const std::vector<std::int64_t> &worst) {
  Extremes extremes;
  for (std::size_t i = 0; i < f.size(); ++i)
    extremes.see(grid, static_cast<std::int64_t>(i), f[i]);
  std::optional<Bands> bands;
  if (grid.axes[2].isComplex())
    bands.emplace(grid, f, radius, skip);
  return chooseSample(grid, layout, extremes, bands ? &*bands : nullptr, skip, seed, count, worst);
}

std::vector<SamplePoint> chooseSample(const Grid &grid, const Layout &layout,
                                      const Extremes &extremes, const Bands *bands,
                                      const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                      std::int64_t count, const std::vector<std::int64_t> &worst) {
  const std::int64_t n = grid.size();
  std::vector<SamplePoint> chosen;
  const auto add = [&](std::int64_t i) {
    const bool there =
        std::any_of(chosen.begin(), chosen.end(), [i](const SamplePoint &s) { return s.at == i; });
    if (!there && !std::binary_search(skip.begin(), skip.end(), i))
      chosen.push_back({i, bands == nullptr ? i : bands->top(i)});
  };
  const auto take = [&](std::int64_t i) {
    if (i < 0 || i >= n)
      return;
    if (bands != nullptr)
      add(bands->top(i));
    add(i);
  };
  for (const std::int64_t i : extremes.all())
    take(i);
  for (const std::int64_t i : endsOfQ(grid))
    take(i);
  if (bands != nullptr)
    for (const std::int64_t i : endsOfDamping(grid))
      take(i);
  const std::int64_t edge = layout.kind == FACET_PRODUCT ? layout.tile[2] : layout.tile[0];
  for (const std::int64_t i : {edge - 1, edge, n - 1})
    take(i);
  const std::vector<std::int64_t> beside = besideLargest(grid, extremes);
  // mt19937_64 and a remainder, not a distribution: distributions differ between standard
  // libraries.
  std::mt19937_64 random(seed);
  const std::int64_t most = std::min(count, n - std::ssize(skip));
  for (std::int64_t tries = 0; std::ssize(chosen) < most && tries < 100 * count; ++tries) {
    for (const std::vector<std::int64_t> *some : {&beside, &worst})
      if (tries < std::ssize(*some))
        take((*some)[static_cast<std::size_t>(tries)]);
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    take(i);
    if (bands != nullptr)
      take(bands->another(i, random));
  }
  return chosen;
}

bool dampedAlike(double im, double other, double radius) {
  constexpr double width = 0.1; // of Im q.z, and of Im q.z * radius
  const double apart = std::abs(other - im);
  return apart <= width * std::abs(im) || apart * radius <= width || apart == 0;
}

double Bands::im(std::int64_t i) const {
  const Axis &z = grid_.axes[2];
  if (z.im.empty())
    return 0;
  return z
      .im[static_cast<std::size_t>(grid_.kind == Grid::Kind::Product ? i % grid_.extents()[2] : i)];
}

Bands::Bands(const Grid &grid, const std::vector<std::complex<double>> &f, double radius,
             const std::vector<std::int64_t> &skip)
    : grid_(grid), radius_(radius) {
  const bool product = grid.kind == Grid::Kind::Product;
  const auto rows = static_cast<std::size_t>(grid.extents()[2]);
  if (product)
    slots_.resize(rows);
  std::unordered_map<std::uint64_t, std::size_t> known;
  auto without = skip.begin();
  for (std::size_t i = 0; i < static_cast<std::size_t>(grid.size()); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (without != skip.end() && *without == index) {
      ++without;
      continue;
    }
    std::size_t slot = i % rows;
    if (!product) {
      const auto [place, added] = known.try_emplace(coarse(im(index)), slots_.size());
      if (added)
        slots_.emplace_back();
      slot = place->second;
    }
    if (const double size = magnitude(f[i]); size > slots_[slot].size)
      slots_[slot] = {size, index};
  }
  setSizes();
}

// A long axis has many slots. So the largest of each coarse Im q.z is found first, and then the
// largest of those that are damped alike.
void Bands::setSizes() {
  std::unordered_map<std::uint64_t, Slot> largest;
  for (const Slot &slot : slots_)
    if (Slot &best = largest[coarse(im(slot.best))]; slot.size > best.size)
      best = slot;
  for (const auto &[key, own] : largest) {
    double most = 0;
    for (const auto &[other, slot] : largest)
      if (slot.size > most && dampedAlike(im(own.best), im(slot.best), radius_))
        most = slot.size;
    sizes_[key] = most;
  }
}

double Bands::size(std::int64_t i) const {
  const auto found = sizes_.find(coarse(im(i)));
  return found != sizes_.end() ? found->second : 0;
}

std::int64_t Bands::top(std::int64_t i) const {
  Slot best{-1, i};
  for (const Slot &slot : slots_)
    if (slot.size > best.size && dampedAlike(im(i), im(slot.best), radius_))
      best = slot;
  return best.best;
}

std::int64_t Bands::another(std::int64_t i, std::mt19937_64 &random) const {
  constexpr int tries = 64;
  const auto n = static_cast<std::uint64_t>(grid_.size());
  for (int k = 0; k < tries; ++k) {
    auto other = static_cast<std::int64_t>(random() % n);
    if (grid_.kind == Grid::Kind::Product && k % 2 == 0) // with the same q.z
      other += i % grid_.extents()[2] - other % grid_.extents()[2];
    if (other != i && dampedAlike(im(i), im(other), radius_))
      return other;
  }
  return -1;
}

Measured joined(std::vector<Measured> outputs) {
  const auto worse = [](const Measured &a, const Measured &b) {
    return std::tuple(a.met, a.vanishes, -a.error) < std::tuple(b.met, b.vanishes, -b.error);
  };
  Measured worst = *std::ranges::min_element(outputs, worse);
  for (const Measured &one : outputs)
    if (!one.vanishes) {
      worst.bound = std::max(worst.bound, one.bound);
      worst.verifiable = worst.verifiable && one.verifiable;
    }
  if (!worst.output.empty())
    worst.outputs = std::move(outputs);
  return worst;
}

namespace {

/// Whether every value of an output is rounding of its terms: its largest |reference| is below a
/// few of its bounds.
bool vanishesIn(const std::vector<ComparedValue> &compared) {
  constexpr double few = 8;
  double most = 0, bound = 0, scale = 0;
  for (const ComparedValue &c : compared) {
    most = std::max(most, std::abs(c.reference));
    bound = std::max(bound, c.bound);
    scale = std::max(scale, c.scale);
  }
  return std::isfinite(scale) && scale > 0 && most <= few * bound && most < 1e-12 * scale;
}

/// What is said is what is judged: met at most `contract` off. Where the difference is within the
/// rounding of both, and that is no small part of the contract, double cannot tell.
bool isDoubtful(double difference, double contract, double most, double bound) {
  return difference <= contract * most + 2 * bound && 4 * bound > contract * most;
}

} // namespace

Measured judge(const std::vector<ComparedValue> &compared, double contract, double radius,
               double reach) {
  Measured result;
  result.contract = contract;
  result.met = result.verifiable = true;
  result.vanishes = vanishesIn(compared);
  double squares = 0, squaresOfF = 0;
  std::vector<double> sizes;
  for (const ComparedValue &c : compared)
    sizes.push_back(result.vanishes ? c.scale : std::abs(c.reference));
  for (const ComparedValue &c : compared) {
    if (!c.judged)
      continue;
    ++result.samples;
    // Divides by `most`: the factor 1 / most would be infinite if F is denormal.
    const double most = std::max(largest(compared, sizes, c, radius), c.least),
                 unit = most > 0 ? most : 1;
    const double found = std::abs(c.value - c.reference), difference = reach * found,
                 off = difference / unit;
    squares += (found / unit) * (found / unit);
    squaresOfF += std::norm(c.reference / unit);
    result.bound = std::max(result.bound, c.bound / unit);
    result.banded =
        result.banded || !dampedAlike(compared.front().q[2].imag(), c.q[2].imag(), radius);
    // Written so that a NaN misses.
    const bool within = off <= contract, doubtful = isDoubtful(difference, contract, most, c.bound);
    result.met = result.met && isFinite(c.value) && isFinite(c.reference) && (within || doubtful);
    result.verifiable = result.verifiable && (within || !doubtful);
    if (!(off <= result.error)) {
      result.error = off;
      result.worst = c.q;
    }
  }
  result.rms = squaresOfF > 0 ? std::sqrt(squares / squaresOfF) : 0;
  result.verifiable = result.verifiable && result.bound <= contract;
  return result;
}

namespace {

/// Every so many values of each axis.
GridSubset subsetOfProduct(const Grid &grid, std::int64_t most) {
  const std::array<std::int64_t, 3> n = grid.extents();
  std::array<std::int64_t, 3> step{1, 1, 1};
  const auto left = [&](std::size_t d) { return quotientUp(n[d], step[d]); };
  const std::size_t last = n[2] > 1 ? 2 : n[1] > 1 ? 1 : 0;
  while (left(0) * left(1) * left(2) > most) {
    std::size_t longest = last; // if there is no other
    for (std::size_t d = 0; d < last; ++d)
      if (left(d) > 1 && (longest == last || left(d) > left(longest)))
        longest = d;
    ++step[longest];
  }
  GridSubset part;
  std::array<std::vector<std::int64_t>, 3> at;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::int64_t i = 0; i < n[d]; i += step[d]) { // windows err most at the ends of an axis
      at[d].push_back(i);
      part.grid.axes[d].re.push_back(grid.axes[d].re[static_cast<std::size_t>(i)]);
      if (grid.axes[d].isComplex())
        part.grid.axes[d].im.push_back(grid.axes[d].im[static_cast<std::size_t>(i)]);
    }
  for (const std::int64_t x : at[0])
    for (const std::int64_t y : at[1])
      for (const std::int64_t z : at[2])
        part.at.push_back((x * n[1] + y) * n[2] + z);
  return part;
}

} // namespace

GridSubset subsetOf(const Grid &grid, std::int64_t most) {
  if (grid.kind == Grid::Kind::Product)
    return subsetOfProduct(grid, most);
  constexpr std::int64_t stretch = 64;
  const std::int64_t step = quotientUp(grid.size(), most) * stretch;
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < grid.size(); i += step)
    for (std::int64_t k = i; k < std::min(i + stretch, grid.size()); ++k)
      at.push_back(k);
  Grid points = pointsOf(grid, at);
  return {std::move(points), std::move(at)};
}

std::vector<std::int64_t> largestDifferences(const std::vector<std::complex<double>> &f,
                                             const std::vector<std::complex<double>> &other,
                                             std::size_t count,
                                             const std::function<double(std::int64_t)> &weight) {
  using Off = std::pair<double, std::int64_t>;
  std::vector<Off> off;
  for (std::size_t i = 0; i < std::min(f.size(), other.size()); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (const double error = weight(at) * magnitude(f[i] - other[i]); error > 0)
      off.emplace_back(-error, at);
  }
  count = std::min(count, off.size());
  std::partial_sort(off.begin(), off.begin() + static_cast<std::ptrdiff_t>(count), off.end());
  std::vector<std::int64_t> worst;
  for (std::size_t i = 0; i < count; ++i)
    worst.push_back(off[i].second);
  return worst;
}

double reachOf(double seen, double all) {
  constexpr double alike = 64; // q side by side err alike, and count as one
  return seen < all ? std::sqrt(std::log(std::max(all / alike, 2.0)) /
                                std::log(std::max(seen / alike, 2.0)))
                    : 1;
}

} // namespace facet::runtime
