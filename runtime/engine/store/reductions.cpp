// reductions.cpp - quantiles by counting, totals with compensation; of datasets, piece by piece.
//
// A quantile lies between two values whose places among all in order are known. Doubles are ordered
// as their bits are, once those of negative ones are turned, so that a place is found by counting:
//   1. count the values in 2,048 equal parts of the range of bits; only parts with a wanted place
//   stay;
//   2. again in each of these, until the values in them are few enough to be held, or each is one
//   value;
//   3. hold those, in order.
// Each step is a pass over the values: three for most data, seven at most.
#include "runtime/engine/store/reductions.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/store/lay_out.h"
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/system/compensated_sum.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace facet::runtime {

namespace {
constexpr std::uint64_t signBit = 1ULL << 63;

/// A number that is ordered as values are.
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

  /// Counts in the parts of each part, and keeps those that have a place.
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
/// All values of a dataset as complex numbers.
void readBox(const TiledResult &result, int dataset, const nexus::Shape &begin,
             const nexus::Shape &end, std::vector<std::complex<double>> &to) {
  if (result.signal(dataset).element == nexus::Element::Complex)
    return result.read(dataset, begin, end, to.data());
  std::vector<double> real(to.size());
  result.read(dataset, begin, end, real.data());
  std::ranges::copy(real, to.begin());
}

/// The real parts of all values of a dataset.
EachPiece realParts(const TiledResult &result, int dataset) {
  return [&result, dataset](const auto &use) {
    std::vector<std::complex<double>> values;
    std::vector<double> real;
    nexus::eachChunk(result.signal(dataset).shape,
                     [&](const auto &begin, const auto &end, const auto &count) {
                       values.resize(static_cast<std::size_t>(nexus::elements(count)));
                       readBox(result, dataset, begin, end, values);
                       real.clear();
                       for (const std::complex<double> &value : values)
                         real.push_back(value.real());
                       use(real.data(), std::ssize(real));
                     });
  };
}

/// The factors of q in a total.
class Weights {
public:
  Weights(const std::string &file, const std::string &output, const nexus::Shape &shape)
      : data_(find(file, output)), shape_(data_.shape()), complex_(data_.isComplex()) {
    bool fits = shape_.size() == shape.size() && (complex_ || data_.isNumbers());
    for (std::size_t k = 0; fits && k < shape.size(); ++k)
      fits = shape_[k] == shape[k] || shape_[k] == 1;
    if (!fits)
      throw Error(file,
                  fmt::format("the weights of '{}' have the shape [{}], F has [{}]", output,
                              fmt::join(shape_, ", "), fmt::join(shape, ", ")),
                  "numbers of that shape, or 1 along an axis where all are alike");
  }

  /// Reads the factors of a box of F, and their steps along the axes.
  void read(nexus::Shape begin, nexus::Shape count) {
    for (std::size_t k = 0; k < shape_.size(); ++k)
      if (shape_[k] == 1)
        begin[k] = 0, count[k] = 1;
    values.resize(static_cast<std::size_t>(nexus::elements(count)));
    if (complex_) {
      data_.read(begin, count, values.data(), h5::complexType());
    } else {
      std::vector<double> real(values.size());
      data_.read(begin, count, real.data());
      std::ranges::copy(real, values.begin());
    }
    steps = stepsOf(count);
  }
  /// How far places lie apart along each axis of a box; 0 along an axis with one place.
  static nexus::Shape stepsOf(const nexus::Shape &count) {
    nexus::Shape steps(count.size());
    std::int64_t step = 1;
    for (std::size_t k = count.size(); k-- > 0; step *= count[k])
      steps[k] = count[k] > 1 ? step : 0;
    return steps;
  }

  bool isComplex() const { return complex_; }

  std::vector<std::complex<double>> values;
  nexus::Shape steps;

private:
  static h5::Object find(const std::string &file, const std::string &output) {
    const h5::Object all(file);
    for (const std::string &name : {output, std::string("weights")})
      if (all.has(name))
        return all.open(name);
    throw Error(file, fmt::format("has no dataset '{}' or 'weights'", output),
                "factors of each q: of the shape of F, or 1 along an axis where all are alike");
  }

  h5::Object data_;
  nexus::Shape shape_;
  bool complex_;
};

/// Sums over all axes but some.
class Totals {
public:
  Totals(const nexus::Shape &shape, const std::vector<int> &kept) : shape(shape.size(), 1) {
    for (const int k : kept)
      this->shape[static_cast<std::size_t>(k)] = shape[static_cast<std::size_t>(k)];
    steps_ = Weights::stepsOf(this->shape);
    sums_.resize(static_cast<std::size_t>(nexus::elements(this->shape)));
  }

  void add(const nexus::Shape &begin, const nexus::Shape &end,
           const std::vector<std::complex<double>> &f, const Weights *weights) {
    nexus::Shape at = begin;
    for (const std::complex<double> &value : f) {
      std::int64_t place = 0, weight = 0;
      for (std::size_t k = 0; k < at.size(); ++k) {
        place += at[k] * steps_[k];
        weight += weights != nullptr ? (at[k] - begin[k]) * weights->steps[k] : 0;
      }
      const std::complex<double> one =
          weights != nullptr ? value * weights->values[static_cast<std::size_t>(weight)] : value;
      sums_[static_cast<std::size_t>(place)][0].add(one.real());
      sums_[static_cast<std::size_t>(place)][1].add(one.imag());
      for (std::size_t k = at.size(); k-- > 0 && ++at[k] == end[k];)
        at[k] = begin[k];
    }
  }

  std::vector<std::complex<double>> values() const {
    std::vector<std::complex<double>> all;
    for (const auto &[re, im] : sums_)
      all.emplace_back(re.value(), im.value());
    return all;
  }

  nexus::Shape shape;

private:
  nexus::Shape steps_;
  std::vector<std::array<CompensatedSum, 2>> sums_;
};

std::string labelOf(const std::string &output, const Reductions &asked) {
  static constexpr std::array<const char *, 3> names{"qx", "qy", "qz"};
  std::vector<std::string> over, by;
  for (int k = 0; k < 3; ++k)
    (std::ranges::count(asked.kept, k) > 0 ? by : over)
        .emplace_back(names[static_cast<std::size_t>(k)]);
  const std::string of = output + (asked.weights.empty() ? "" : " times weights");
  return by.empty() ? fmt::format("sum of {} over the grid", of)
                    : fmt::format("sum of {} over {}, by {}", of, fmt::join(over, ", "),
                                  fmt::join(by, ", "));
}

void setTotal(const TiledResult &result, int dataset, const std::string &output,
              const Reductions &asked, nexus::Reduction &made) {
  const nexus::Shape &shape = result.signal(dataset).shape;
  std::optional<Weights> weights;
  if (!asked.weights.empty())
    weights.emplace(asked.weights, output, shape);
  Totals totals(shape, asked.kept);
  std::vector<std::complex<double>> f;
  nexus::eachChunk(shape, [&](const auto &begin, const auto &end, const auto &count) {
    f.resize(static_cast<std::size_t>(nexus::elements(count)));
    readBox(result, dataset, begin, end, f);
    if (weights)
      weights->read(begin, count);
    totals.add(begin, end, f, weights ? &*weights : nullptr);
  });
  made.total = totals.values();
  made.totalLabel = labelOf(output, asked);
  if (!std::ranges::all_of(made.total,
                           [](const auto &one) { return std::isfinite(std::abs(one)); }))
    throw Error(asked.weights.empty() ? "total" : asked.weights,
                fmt::format("the total of '{}' is not finite", output),
                "give finite weights; --resume goes on from what is computed");
  for (const int k : asked.kept)
    made.totalShape.push_back(totals.shape[static_cast<std::size_t>(k)]);
  made.isComplex = made.isComplex || (weights && weights->isComplex());
}
} // namespace

void checkWeights(const std::string &file, const std::string &output, const nexus::Shape &shape) {
  Weights(file, output, shape);
}

nexus::Reduction reduced(const TiledResult &result, const std::string &group, bool isComplex,
                         const Reductions &asked) {
  const int dataset = result.dataset("/entry/" + group + "/F");
  const nexus::Signal &signal = result.signal(dataset);
  nexus::Reduction made{group, signal.longName, signal.unit, isComplex, {}, {}, {}, {}, {}};
  if (asked.total)
    setTotal(result, dataset, signal.longName, asked, made);
  if (!isComplex && !asked.quantiles.empty()) {
    made.probabilities = asked.quantiles;
    made.quantiles =
        quantilesOf(realParts(result, dataset), nexus::elements(signal.shape), asked.quantiles);
  }
  return made;
}

} // namespace facet::runtime
