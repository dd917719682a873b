// reductions.cpp - quantiles by counting, totals with compensation; of datasets, piece by piece.
//
// A quantile lies between two values whose places among all in order are known. Doubles are ordered as
// their bits are, once those of negative ones are turned, so that a place is found by counting:
//   1. count the values in 2,048 equal parts of the range of bits; only parts with a wanted place stay;
//   2. again in each of these, until the values in them are few enough to be held, or each is one value;
//   3. hold those, in order.
// A pass over the values each: three for most data, seven at most.
#include "runtime/output/tiled/reductions.h"
#include "runtime/output/hdf5/lay_out.h"
#include "runtime/output/tiled/tiled_result.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace facet::runtime {

namespace {
constexpr std::uint64_t signBit = 1ULL << 63;

/// Ordered as values are.
std::uint64_t orderOf(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & signBit) != 0 ? ~bits : bits | signBit;
}
double withOrder(std::uint64_t order) {
  return std::bit_cast<double>((order & signBit) != 0 ? order & ~signBit : ~order);
}

/// The values whose order is first to first + 2^bits - 1.
struct Range {
  std::uint64_t first = 0;
  int bits = 64;
  std::int64_t before = 0, count = 0; // values below it, in it
  bool isOne() const { return bits == 0; }
};

/// Finds the values at some places.
class Places {
public:
  Places(const EachPiece &each, std::int64_t count, std::vector<std::int64_t> places)
      : each_(each), places_(std::move(places)), parts_{{0, 64, 0, count}} {
    std::ranges::sort(places_);
  }

  void narrow(std::int64_t held) {
    while (true) {
      std::int64_t left = 0;
      for (const Range &part : parts_)
        left += part.isOne() ? 0 : part.count;
      if (left <= held)
        break;
      cut();
    }
    hold();
  }

  double at(std::int64_t place) const {
    const auto part =
        std::ranges::find_if(parts_, [&](const Range &p) { return place < p.before + p.count; });
    if (part->isOne())
      return withOrder(part->first);
    const auto &values = held_[static_cast<std::size_t>(part - parts_.begin())];
    return withOrder(values[static_cast<std::size_t>(place - part->before)]);
  }

private:
  static constexpr int cutBits = 11;

  /// Calls with each value's order and the number of the part it lies in.
  void eachInParts(const auto &use) const {
    each_([&](const double *values, std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k) {
        const std::uint64_t order = orderOf(values[k]);
        const auto after = std::ranges::upper_bound(parts_, order, {}, &Range::first);
        if (after == parts_.begin())
          continue;
        const Range &part = *(after - 1);
        if (part.bits == 64 || (order - part.first) >> part.bits == 0)
          use(static_cast<std::size_t>(&part - parts_.data()), order);
      }
    });
  }

  /// Counts in each part, and keeps of its parts those that have a place.
  void cut() {
    std::vector<std::vector<std::int64_t>> counts(parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i)
      counts[i].resize(1ULL << std::min(cutBits, parts_[i].bits));
    eachInParts([&](std::size_t i, std::uint64_t order) {
      const Range &part = parts_[i];
      ++counts[i][(order - part.first) >> std::max(part.bits - cutBits, 0)];
    });
    std::vector<Range> kept;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Range part{parts_[i].first, std::max(parts_[i].bits - cutBits, 0), parts_[i].before, 0};
      for (const std::int64_t count : counts[i]) {
        part.count = count;
        const auto place = std::ranges::lower_bound(places_, part.before);
        if (place != places_.end() && *place < part.before + count)
          kept.push_back(part);
        part.before += count;
        part.first += 1ULL << part.bits;
      }
    }
    parts_ = std::move(kept);
  }

  void hold() {
    held_.resize(parts_.size());
    if (std::ranges::all_of(parts_, &Range::isOne))
      return;
    eachInParts([&](std::size_t i, std::uint64_t order) {
      if (!parts_[i].isOne())
        held_[i].push_back(order);
    });
    for (std::vector<std::uint64_t> &values : held_)
      std::ranges::sort(values);
  }

  const EachPiece &each_;
  std::vector<std::int64_t> places_;
  std::vector<Range> parts_;                     // in order
  std::vector<std::vector<std::uint64_t>> held_; // of each part, as orders
};
} // namespace

std::vector<double> quantilesOf(const EachPiece &each, std::int64_t count,
                                const std::vector<double> &probabilities, std::int64_t held) {
  const auto placeOf = [&](double p) { return p * static_cast<double>(count - 1); };
  const auto below = [&](double p) { return static_cast<std::int64_t>(std::floor(placeOf(p))); };
  const auto above = [&](double p) { return std::min(below(p) + 1, count - 1); };
  std::vector<std::int64_t> places;
  for (const double p : probabilities)
    places.insert(places.end(), {below(p), above(p)});
  Places found(each, count, places);
  found.narrow(held);
  std::vector<double> quantiles;
  for (const double p : probabilities) {
    const double a = found.at(below(p)), b = found.at(above(p)),
                 along = placeOf(p) - std::floor(placeOf(p));
    // From the nearer end, so that each end is met exactly.
    quantiles.push_back(along < 0.5 ? a + (b - a) * along : b - (b - a) * (1 - along));
  }
  return quantiles;
}

namespace {
/// A. Neumaier, ZAMM 54 (1974) 39: a sum whose lost low parts are kept beside it.
struct Compensated {
  double sum = 0, lost = 0;
  void add(double x) {
    const double next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  double value() const { return sum + lost; }
};
} // namespace

double totalOf(const EachPiece &each) {
  Compensated sum;
  each([&](const double *values, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k)
      sum.add(values[k]);
  });
  return sum.value();
}

namespace {
/// All values of a dataset, of complex ones the real part or the imaginary.
EachPiece piecesOf(const TiledResult &result, int dataset, bool imaginary) {
  return [&result, dataset, imaginary](const auto &use) {
    const nexus::Signal &signal = result.signal(dataset);
    const bool isComplex = signal.element == nexus::Element::Complex;
    std::vector<double> values;
    nexus::eachPiece(signal.shape, nexus::chunkElements, [&](const auto &begin, const auto &count) {
      nexus::Shape end = begin;
      for (std::size_t k = 0; k < end.size(); ++k)
        end[k] += count[k];
      const auto n = static_cast<std::size_t>(nexus::elements(count));
      values.resize(isComplex ? 2 * n : n);
      result.read(dataset, begin, end, values.data());
      for (std::size_t k = 0; isComplex && k < n; ++k)
        values[k] = values[2 * k + (imaginary ? 1 : 0)];
      use(values.data(), static_cast<std::int64_t>(n));
    });
  };
}
} // namespace

nexus::Reduced reduced(const TiledResult &result, const std::string &group, bool isComplex,
                       const Reductions &asked) {
  const int dataset = result.dataset("/entry/" + group + "/F");
  const nexus::Signal &signal = result.signal(dataset);
  const EachPiece real = piecesOf(result, dataset, false);
  nexus::Reduced made{group, signal.longName, signal.unit, isComplex, {}, {}, {}};
  if (asked.total)
    made.total = {totalOf(real), isComplex ? totalOf(piecesOf(result, dataset, true)) : 0};
  if (!isComplex && !asked.quantiles.empty()) {
    made.probabilities = asked.quantiles;
    made.quantiles = quantilesOf(real, nexus::elements(signal.shape), asked.quantiles);
  }
  return made;
}

} // namespace facet::runtime
