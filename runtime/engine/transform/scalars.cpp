// scalars.cpp - scalars of q on a grid, and the nodes they need.
//
//   1. Records are chosen: the usual ones, and of some thousand others those whose coefficients
//      fall the least from 16 points. One record with a narrow line needs more nodes than all
//      others. Their strengths are taken at N Chebyshev points of the range, other scalars at the
//      ends and the middle of theirs: a cosine transform gives the coefficients of each.
//   2. R is the least for which twice the sum of |c_m|, m >= R, is within the tolerance times the
//      largest |f| of each record; coefficients that are only rounding are left out.
//   3. N is doubled until R is less than three quarters of it, which sees the decay.
//   4. What lies between the N points is not seen so. So the interpolation from R nodes is compared
//      with the strengths themselves at values that the grid has, the least and the largest among
//      them. Where they differ, N is doubled.
#include "runtime/engine/transform/scalars.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/transform/nufft/layout.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>
#include <set>
#include <span>

namespace facet::runtime {

namespace {

constexpr int mostNodes = 64, mostPoints = 2 * mostNodes;
/// Records of the sample beside those at which a column is the least or the largest.
constexpr std::int64_t inSteps = 48;
/// Other records of the sample. Their least smooth, judged by so many points, are looked at, too.
constexpr std::int64_t others = 4096, leastSmooth = 32;
constexpr int pointsOfOthers = 16;
/// Errors are relative to a record's own largest |f|, or to this share of the largest of all: what
/// is far less does not count.
constexpr double leastShare = 1e-6;
/// Values of a scalar at which the interpolation is compared: of the whole grid, and so many of the
/// least and the largest.
constexpr std::size_t mostCompared = 512, atEnds = 8;
/// Bytes that kept counts take in all.
constexpr double mostKept = 64e6;

/// Some of the values, each once, in order.
std::vector<double> someOf(const std::vector<double> &values) {
  std::vector<double> some(std::min(2 * atEnds, values.size()));
  std::ranges::partial_sort_copy(values, std::span(some).first(some.size() / 2));
  std::ranges::partial_sort_copy(values, std::span(some).last(some.size() / 2), std::greater<>());
  const std::size_t step = values.size() / (8 * mostCompared) + 1;
  for (std::size_t k = 0; k < values.size(); k += step)
    some.push_back(values[k]);
  std::ranges::sort(some);
  some.erase(std::ranges::unique(some).begin(), some.end());
  if (some.size() <= mostCompared)
    return some;
  std::vector<double> fewer(some.begin(), some.begin() + atEnds);
  for (std::size_t k = 0; k < mostCompared; ++k)
    fewer.push_back(some[k * some.size() / mostCompared]);
  fewer.insert(fewer.end(), some.end() - atEnds, some.end());
  return fewer;
}

/// cos(pi m (2 j + 1) / (2 points)): a row for each m, a value for each point j.
std::vector<std::vector<double>> cosines(int points) {
  const auto n = static_cast<std::size_t>(points);
  std::vector<double> cosine(4 * n);
  for (std::size_t k = 0; k < cosine.size(); ++k)
    cosine[k] = std::cos(std::numbers::pi * static_cast<double>(k) / (2.0 * points));
  std::vector<std::vector<double>> rows(n, std::vector<double>(n));
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t j = 0; j < n; ++j)
      rows[m][j] = cosine[m * (2 * j + 1) % cosine.size()];
  return rows;
}

std::vector<int> bitsOf(const facet_transforms &form, int wave) {
  std::vector<int> bits;
  for (int s = 0; s < form.scalars; ++s)
    if ((form.scalars_of[wave] >> s & 1) != 0)
      bits.push_back(s);
  return bits;
}

} // namespace

/// How many nodes the strengths of a wave need along one of its scalars.
class Decay {
public:
  Decay(const facet_transforms &form, int wave, std::size_t which,
        const std::vector<NufftScalar> &scalars, std::vector<double> params,
        const SampledRecords &sample)
      : form_(&form), wave_(wave), which_(which), scalars_(scalars), params_(std::move(params)),
        sample_(&sample) {
    NufftScalar &own = scalars_[which_];
    if (own.values && std::isfinite(own.low) && std::isfinite(own.high))
      compared_ = someOf(*own.values);
    for (NufftScalar &scalar : scalars_)
      scalar.values.reset(); // they are as many as the grid has q
  }

  /// Whether the other counts the same, of the same form, parameters and sample.
  bool same(const Decay &other) const {
    const auto alike = [](const NufftScalar &a, const NufftScalar &b) {
      return a.low == b.low && a.high == b.high;
    };
    return wave_ == other.wave_ && which_ == other.which_ && compared_ == other.compared_ &&
           std::ranges::equal(scalars_, other.scalars_, alike);
  }
  /// What it may come to take, the most of it strengths at values of the grid.
  double bytes() const {
    const std::int64_t records = std::min(sample_->count, sample_->usual + leastSmooth);
    return static_cast<double>(sizeof(std::complex<double>) * compared_.size()) *
           static_cast<double>(records * form_->transforms);
  }

  /// `hides`: there is detail that mostNodes points do not see; of one request.
  int count(double low, double high, double tolerance, bool &hides) {
    const std::lock_guard lock(mutex_);
    if (chosen_.count == 0)
      choose();
    for (int points = 16; points <= mostPoints && !hides; points *= 2) {
      const std::vector<double> &tails = tailsOf(low, high, points);
      int r = 1;
      while (r <= std::min(3 * points / 4, mostNodes) &&
             2 * tails[static_cast<std::size_t>(r)] > tolerance)
        ++r;
      const bool decays = r <= std::min(3 * points / 4, mostNodes);
      if (decays && holds(low, high, r, tolerance))
        return r;
      hides = decays && points >= mostNodes;
    }
    return 0;
  }

private:
  using Strengths = std::vector<std::complex<double>>; // of all the wave's transforms and records
  const facet_transforms *form_;
  int wave_;
  std::size_t which_;
  std::vector<NufftScalar> scalars_;
  std::vector<double> params_;
  const SampledRecords *sample_;
  std::mutex mutex_;
  SampledRecords chosen_; // records chosen from the sample
  std::map<std::tuple<double, double, int>, std::vector<double>> tails_;
  std::vector<double> compared_; // values of the grid, in order
  std::vector<Strengths> there_; // and the strengths at them
  std::map<std::tuple<double, double, int>, double> worst_;

  /// The strengths at values of this scalar, those of another in the middle of its range.
  std::vector<Strengths> along(std::span<const double> values,
                               const SampledRecords &records) const {
    std::vector<double> u;
    for (const NufftScalar &scalar : scalars_)
      u.push_back(scalar.low + (scalar.high - scalar.low) / 2);
    std::vector<Strengths> f;
    for (const double value : values) {
      u[which_] = value;
      f.push_back(at(u, records));
    }
    return f;
  }

  void choose() {
    std::vector<std::int64_t> places(static_cast<std::size_t>(sample_->usual));
    std::iota(places.begin(), places.end(), std::int64_t{0});
    if (sample_->count > sample_->usual) {
      const std::vector<double> tails = tailsOfSample();
      std::vector<std::int64_t> worst(tails.size());
      std::iota(worst.begin(), worst.end(), std::int64_t{0});
      const auto end = worst.begin() + std::min<std::int64_t>(leastSmooth, std::ssize(worst));
      std::ranges::partial_sort(worst, end, [&](std::int64_t a, std::int64_t b) {
        return tails[a] != tails[b] ? tails[a] > tails[b] : a < b;
      });
      places.insert(places.end(), worst.begin(), end);
    }
    leaveOutTwins(places);
    chosen_.count = std::ssize(places);
    for (const std::vector<double> &column : sample_->columns)
      for (std::vector<double> &to = chosen_.columns.emplace_back(); const std::int64_t t : places)
        to.push_back(column[t]);
  }

  /// Records that are ends of several columns, or of a small mesh, come more than once.
  void leaveOutTwins(std::vector<std::int64_t> &places) const {
    std::vector<std::int64_t> once;
    for (const std::int64_t t : places) {
      const auto twin = [&](std::int64_t other) {
        return std::ranges::all_of(sample_->columns, [&](const std::vector<double> &column) {
          return column[t] == column[other];
        });
      };
      if (std::ranges::none_of(once, twin))
        once.push_back(t);
    }
    places = std::move(once);
  }

  /// For each record of the sample, the share of a strength in the last quarter of its
  /// coefficients. The strength with the largest share counts.
  std::vector<double> tailsOfSample() const {
    const NufftScalar &u = scalars_[which_];
    const Chebyshev chebyshev(u.low, u.high, pointsOfOthers);
    const std::vector<Strengths> f = along(chebyshev.nodes, *sample_);
    const std::vector<std::vector<double>> cosine = cosines(pointsOfOthers);
    const std::vector<double> largest = largestOf(f);
    const double most = *std::ranges::max_element(largest);
    std::vector<double> sums(largest.size()), tails(static_cast<std::size_t>(sample_->count));
    for (std::size_t m = 3 * pointsOfOthers / 4; m < pointsOfOthers; ++m)
      std::ranges::transform(sums, coefficients(f, cosine[m]), sums.begin(), std::plus<>());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double size = std::max(largest[i], leastShare * most);
      const double tail = size > 0 ? sums[i] / size : 0;
      double &own = tails[i % tails.size()];
      own = std::isfinite(tail) ? std::max(own, tail) : HUGE_VAL;
    }
    return tails;
  }

  /// |c_m| of each strength, from their values at the points and the row of m.
  static std::vector<double> coefficients(const std::vector<Strengths> &f,
                                          const std::vector<double> &row) {
    Strengths sums(f[0].size());
    for (std::size_t j = 0; j < f.size(); ++j)
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += f[j][i] * row[j];
    std::vector<double> sizes(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
      sizes[i] = 2 * std::abs(sums[i]) / static_cast<double>(f.size());
    return sizes;
  }
  /// The largest modulus of each strength; infinite if a value is not finite.
  static std::vector<double> largestOf(const std::vector<Strengths> &f) {
    std::vector<double> largest(f[0].size());
    for (const Strengths &values : f)
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double size = std::abs(values[i]);
        largest[i] = std::isfinite(size) ? std::max(largest[i], size) : HUGE_VAL;
      }
    return largest;
  }

  /// Whether the strengths are what `count` nodes interpolate, at values of the grid.
  bool holds(double low, double high, int count, double tolerance) {
    const auto [found, fresh] = worst_.try_emplace({low, high, count}, 0);
    if (fresh)
      found->second = worst(low, high, count);
    return found->second <= 2 * tolerance + 64 * DBL_EPSILON;
  }

  /// How far strengths are from that at most, relative to the largest one of each record there.
  double worst(double low, double high, int count) {
    if (there_.empty())
      there_ = along(compared_, chosen_);
    const auto begin = std::ranges::lower_bound(compared_, low) - compared_.begin(),
               end = std::ranges::upper_bound(compared_, high) - compared_.begin();
    const std::span within(there_.begin() + begin, there_.begin() + std::max(begin, end));
    const Chebyshev chebyshev(low, high, count);
    const std::vector<Strengths> nodes = along(chebyshev.nodes, chosen_);
    std::vector<double> largest(nodes[0].size()), lagrange(nodes.size()); // squares
    for (const std::span<const Strengths> all :
         {std::span<const Strengths>(nodes), std::span<const Strengths>(within)})
      for (const Strengths &f : all)
        for (std::size_t i = 0; i < f.size(); ++i)
          if (const double square = std::norm(f[i]); std::isfinite(square))
            largest[i] = std::max(largest[i], square);
    const double least = leastShare * leastShare * *std::ranges::max_element(largest);
    double most = 0;
    for (auto k = begin; k < end; ++k) {
      chebyshev.lagrange(compared_[k], lagrange.data());
      for (std::size_t i = 0; i < largest.size(); ++i) {
        std::complex<double> rest = there_[k][i];
        for (std::size_t r = 0; r < nodes.size(); ++r)
          rest -= lagrange[r] * nodes[r][i];
        if (const double size = std::max(largest[i], least); size > 0)
          most = std::max(most, std::norm(rest) / size);
      }
    }
    return std::sqrt(most);
  }

  Strengths at(std::span<const double> u, const SampledRecords &records) const {
    const std::vector<double> params = withScalars(*form_, wave_, params_, u);
    const auto n = static_cast<std::size_t>(records.count);
    const auto transforms = static_cast<std::size_t>(form_->transforms);
    std::vector<double> room(2 * transforms * n);
    std::vector<double *> strengths;
    for (std::size_t j = 0; j < transforms; ++j)
      strengths.push_back(room.data() + 2 * j * n);
    std::vector<const double *> columns;
    for (const std::vector<double> &column : records.columns)
      columns.push_back(column.data());
    form_->refill[wave_](columns.data(), records.count, params.data(), nullptr, strengths.data());
    Strengths found;
    for (std::size_t j = 0; j < transforms; ++j)
      for (std::size_t t = 0; t < n && form_->wave_of[j] == wave_; ++t)
        found.push_back(form_->parts[j] == 1
                            ? strengths[j][t]
                            : std::complex(strengths[j][2 * t], strengths[j][2 * t + 1]));
    return found;
  }

  /// tails[R] = sum of |c_m|, m >= R, relative to the largest |f|: the largest of all strengths.
  const std::vector<double> &tailsOf(double low, double high, int points) {
    std::vector<double> &tails = tails_[{low, high, points}];
    if (!tails.empty())
      return tails;
    tails.assign(static_cast<std::size_t>(points) + 1, 0);
    std::vector<double> u;
    for (const NufftScalar &scalar : scalars_)
      u.push_back(scalar.low);
    if (scalars_.size() == 1)
      addTails(u, low, high, points, tails);
    else
      for (const double part : {0.0, 0.5, 1.0}) {
        const NufftScalar &other = scalars_[1 - which_];
        u[1 - which_] = other.low + part * (other.high - other.low);
        addTails(u, low, high, points, tails);
      }
    return tails;
  }

  void addTails(std::vector<double> u, double low, double high, int points,
                std::vector<double> &tails) const {
    const auto n = static_cast<std::size_t>(points);
    const Chebyshev chebyshev(low, high, points);
    std::vector<Strengths> f;
    for (const double node : chebyshev.nodes) {
      u[which_] = node;
      f.push_back(at(u, chosen_));
    }
    const std::vector<std::vector<double>> cosine = cosines(points);
    const std::vector<double> largest = largestOf(f);
    const double most = *std::ranges::max_element(largest);
    if (!std::isfinite(most)) {
      std::ranges::fill(tails, HUGE_VAL);
      return;
    }
    std::vector<double> tail(largest.size());
    for (std::size_t m = n; m-- > 0;) {
      const std::vector<double> c = coefficients(f, cosine[m]);
      for (std::size_t i = 0; i < tail.size(); ++i)
        if (const double size = std::max(largest[i], leastShare * most); size > 0) {
          tail[i] += c[i] > 4 * DBL_EPSILON * size ? c[i] / size : 0;
          tails[m] = std::max(tails[m], tail[i]);
        }
    }
  }
};

std::shared_ptr<Decay> CountCache::like(std::shared_ptr<Decay> decay) {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Decay> &one : kept_)
    if (one->same(*decay))
      return one;
  double bytes = decay->bytes();
  for (const std::shared_ptr<Decay> &one : kept_)
    bytes += one->bytes();
  auto left = kept_.begin();
  for (; left != kept_.end() && bytes > mostKept; ++left)
    bytes -= (*left)->bytes();
  kept_.erase(kept_.begin(), left);
  kept_.push_back(decay);
  return decay;
}

void CountCache::clear() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
}

namespace {

std::vector<double> recordAt(const Source::Part &part, std::int64_t t) {
  std::vector<double> record;
  for (const double *column : part.columns)
    record.push_back(column[t]);
  return record;
}

void take(SampledRecords &to, const std::vector<double> &record) {
  to.columns.resize(record.size());
  for (std::size_t c = 0; c < record.size(); ++c)
    to.columns[c].push_back(record[c]);
  ++to.count;
}

/// The records at which a column is the least and the largest.
class ColumnEnds {
public:
  void see(const Source::Part &part) {
    of_.resize(part.columns.size(), {End{HUGE_VAL, {}}, End{-HUGE_VAL, {}}});
    for (std::size_t c = 0; c < of_.size(); ++c) {
      const double *column = part.columns[c];
      const auto [low, high] = std::minmax_element(column, column + part.count);
      if (*low < of_[c][0].value)
        of_[c][0] = {*low, recordAt(part, low - column)};
      if (*high > of_[c][1].value)
        of_[c][1] = {*high, recordAt(part, high - column)};
    }
  }
  void putInto(SampledRecords &sample) const {
    for (const auto &ends : of_)
      for (const End &end : ends)
        if (!end.record.empty())
          take(sample, end.record);
  }

private:
  struct End {
    double value;
    std::vector<double> record;
  };
  std::vector<std::array<End, 2>> of_;
};

} // namespace

SampledRecords sampledRecords(const Source &source) {
  SampledRecords sample, more;
  ColumnEnds extremes;
  const auto takeSome = [&](const Source::Part &part, std::int64_t steps, SampledRecords &to) {
    const std::int64_t step = std::max<std::int64_t>(1, source.size() / steps);
    for (std::int64_t t = (step - part.first % step) % step; t < part.count; t += step)
      take(to, recordAt(part, t));
  };
  for (std::int64_t number = 0; number < source.parts(); ++number) {
    Source::Part part;
    source.read(number, false, part);
    extremes.see(part);
    takeSome(part, inSteps, sample);
    if (source.size() > inSteps)
      takeSome(part, others, more);
  }
  extremes.putInto(sample);
  sample.usual = sample.count;
  sample.count += more.count;
  for (std::size_t c = 0; c < more.columns.size(); ++c)
    sample.columns[c].insert(sample.columns[c].end(), more.columns[c].begin(),
                             more.columns[c].end());
  return sample;
}

std::vector<NufftScalar> scalarsOf(const facet_transforms &form, const Grid &grid,
                                   const std::vector<double> &params, Pool &pool) {
  std::vector<NufftScalar> scalars;
  if (form.scalars == 0)
    return scalars;
  const auto n = static_cast<std::size_t>(grid.size());
  std::vector<std::vector<double>> values(static_cast<std::size_t>(form.scalars),
                                          std::vector<double>(n));
  const GridParts parts(grid.kind == Grid::Kind::Product, grid.extents());
  std::array<std::span<const double>, 3> re, im;
  for (std::size_t k = 0; k < 3; ++k) {
    re[k] = grid.axes[k].re;
    im[k] = grid.axes[k].im;
  }
  const auto evaluate = [&](std::int64_t k, int) {
    const GridPart part = parts.part(k, re, im);
    std::vector<double *> to;
    for (std::vector<double> &u : values)
      to.push_back(u.data() + part.first);
    form.scalars_fn(part.re, part.im, part.stride, part.count, params.data(), to.data());
  };
  pool.run(parts.size(), evaluate, {}, seconds::ofFinish * static_cast<double>(n));
  for (int s = 0; s < form.scalars; ++s) {
    NufftScalar &u = scalars.emplace_back();
    u.name = form.scalar_names[s];
    auto made =
        std::make_shared<std::vector<double>>(std::move(values[static_cast<std::size_t>(s)]));
    const auto [low, high] = std::ranges::minmax(*made);
    const bool finite =
        std::ranges::all_of(*made, [](double value) { return std::isfinite(value); });
    u.low = finite ? low : -HUGE_VAL; // no nodes then
    u.high = finite ? high : HUGE_VAL;
    u.values = std::move(made);
  }
  return scalars;
}

std::vector<NufftScalar> countedScalars(const facet_transforms &form, int wave,
                                        const std::vector<NufftScalar> &all,
                                        const std::vector<double> &params,
                                        const SampledRecords &sample, CountCache *kept) {
  std::vector<NufftScalar> own;
  for (const int s : bitsOf(form, wave))
    own.push_back(all[static_cast<std::size_t>(s)]);
  const std::vector<NufftScalar> known = own;
  for (std::size_t s = 0; s < own.size(); ++s) {
    auto decay = std::make_shared<Decay>(form, wave, s, known, params, sample);
    if (kept != nullptr)
      decay = kept->like(std::move(decay));
    const auto hides = std::make_shared<bool>(false);
    own[s].count = [decay, hides](double low, double high, double tolerance) {
      return decay->count(low, high, tolerance, *hides);
    };
  }
  return own;
}

std::vector<double> withScalars(const facet_transforms &form, int wave, std::vector<double> params,
                                std::span<const double> u) {
  const std::size_t first = params.size();
  params.resize(first + static_cast<std::size_t>(form.scalars));
  const std::vector<int> bits = bitsOf(form, wave);
  for (std::size_t s = 0; s < bits.size(); ++s)
    params[first + static_cast<std::size_t>(bits[s])] = u[s];
  return params;
}

} // namespace facet::runtime
