// error_model.cpp - computes finish(q, 1) - finish(q, 0) of each sum at every q. It puts q into
// bins of about the same |q| and Im q.z, with a histogram of these amplifications. It finds sum
// |term| in each bin from a part of the records, and max|F| from a few q or from F.
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/check/references.h"
#include "runtime/engine/check/sample.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <span>

namespace facet::runtime {
namespace {

/// The octave of a number, 1 to 63, and 0 for 0. The exponent is read from the bits: ilogb, called
/// for every q of a grid, took as long as all else here.
int octave(double value) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 2047) - 1023;
  return value > 0 && exponent < 1024 ? std::clamp(exponent + 44, 1, 63) : 0;
}

// The octave of Im q.z, either sign; all values that damp a mesh by less than 10% are one group.
int groupOf(double im, double radius) {
  if (std::abs(im) * radius < 0.1)
    return 0;
  return im < 0 ? 64 + octave(-im) : octave(im);
}

int keyOf(double norm2, double im, double radius) {
  return groupOf(im, radius) * 64 + octave(std::sqrt(norm2));
}

/// The largest of each key. The last key is remembered, since neighbours have the same key.
struct LargestOfKeys {
  std::map<int, LargestQ> all;
  int lastKey = -1;
  LargestQ *last = nullptr;

  void see(int key, double norm2, std::int64_t q, float gain) {
    if (key != lastKey)
      last = &all[lastKey = key];
    if (const LargestQ one{norm2, q, last->gain, std::isnormal(gain)}; one.before(*last))
      *last = one;
    if (gain > last->gain)
      last->gain = gain;
  }
};

/// How many numbers gainsOf() needs for each q.
std::size_t gainNumbers(std::size_t outputs) { return 2 + 4 * outputs; }

/// Adds to g how far each output differs; if there are several outputs, the largest weighted one.
void addGains(const AmplificationProblem &by, std::int64_t n, double *const *ofOne,
              double *const *ofNothing, std::size_t outputs, float *g) {
  const auto off = [&](std::size_t o, std::int64_t i) {
    return std::hypot(ofOne[2 * o][i] - ofNothing[2 * o][i],
                      ofOne[2 * o + 1][i] - ofNothing[2 * o + 1][i]);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    double most = off(0, i);
    if (!by.weights.empty())
      most *= by.weights[0];
    for (std::size_t o = 1; o < outputs; ++o)
      most = std::max(most, (by.weights.empty() ? 1 : by.weights[o]) * off(o, i));
    g[i] += static_cast<float>(most);
  }
}

/// Computes g at the q of a part, added over the sums. `buffer`: gainNumbers() for each q.
void gainsOf(const AmplificationProblem &by, const GridPart &part, double *buffer, float *g) {
  const std::int64_t n = part.count;
  const std::size_t outputs = outputsOf(*by.kernel).size();
  double *one = buffer, *nothing = one + n;
  std::array<double *, std::size_t{2} * FACET_MOST_OUTPUTS> ofOne{}, ofNothing{};
  for (std::size_t k = 0; k < 2 * outputs; ++k) {
    ofOne[k] = nothing + (1 + static_cast<std::int64_t>(k)) * n;
    ofNothing[k] = ofOne[k] + static_cast<std::int64_t>(2 * outputs) * n;
  }
  std::fill_n(one, n, 1.0);
  std::fill_n(nothing, n, 0.0);
  std::fill_n(g, n, 0.0F);
  std::array<const double *, FACET_MOST_SUMS> sums;
  sums.fill(nothing);
  const auto finish = [&](double *const *f) {
    by.direct.finish(part.re, part.im, part.stride, n, by.params.data(), nullptr, sums.data(), f);
  };
  finish(ofNothing.data());
  for (int c = 0, s = 0; c < by.direct.components; s += by.direct.parts[c], ++c) {
    const auto at = static_cast<std::size_t>(s);
    sums[at] = one;
    finish(ofOne.data());
    sums[at] = nothing;
    addGains(by, n, ofOne.data(), ofNothing.data(), outputs, g);
  }
}

void keysOf(const GridPart &part, double radius, const float *g, std::uint16_t *keys,
            LargestOfKeys &largest) {
  const auto &[first, count, at, stride, re, im] = part;
  for (std::int64_t i = 0; i < count; ++i) {
    double norm2 = 0;
    for (int k = 0; k < 3; ++k) {
      const double a = re[k][i * stride[k]];
      const double b = im[k] != nullptr ? im[k][i * stride[k]] : 0;
      norm2 += a * a + b * b;
    }
    const int key = keyOf(norm2, im[2] != nullptr ? im[2][i * stride[2]] : 0, radius);
    keys[i] = static_cast<std::uint16_t>(key);
    largest.see(key, norm2, first + i, g[i]);
  }
}

constexpr std::int64_t someRecords = 96;

/// A few records that stand for all, chosen by area if the kernel reads areas.
std::vector<WeightedRecord> someOf(const Kernel &kernel, const Records &records) {
  std::vector<double> sizes(static_cast<std::size_t>(records.size()), 1.0);
  for (int c = 0; c < kernel->column_count; ++c)
    if (kernel->columns[c] == std::string_view("area"))
      std::copy_n(records.columns()[static_cast<std::size_t>(c)], sizes.size(), sizes.begin());
  return standingFor(sizes, someRecords);
}

using Outputs = std::array<std::complex<double>, FACET_MOST_OUTPUTS>;

/// The factor by which Im q enlarges a wave at most. It is strongest sum_d |Im q_d| half_d (an
/// exponent) beyond its strength at the middle; the transforms' own bound is the same.
double grownBy(const WaveRecords &waves, int wave, const double *im) {
  double grown = 0;
  for (std::size_t k = 0; k < 3; ++k)
    grown += std::abs(im[k]) * waves.half(wave)[k] - im[k] * waves.middle(wave)[k];
  return std::exp(grown);
}

/// How much each output of F at q changes if a transform is 1, times the growth of its waves; of
/// each transform.
std::vector<std::array<double, FACET_MOST_OUTPUTS>>
gainsOfWaves(const SumContext &work, const WaveRecords &waves,
             const std::array<std::complex<double>, 3> &q) {
  const facet_transforms &form = waves.form();
  double re[3], im[3];
  const double *qRe[3], *qIm[3];
  for (std::size_t k = 0; k < 3; ++k) {
    re[k] = q[k].real();
    im[k] = q[k].imag();
    qRe[k] = re + k;
    qIm[k] = form.q == FACET_COMPLEX_Q && work.kernel->complex_q[k] != 0 ? im + k : nullptr;
  }
  const std::int64_t stride[3] = {0, 0, 1};
  const std::vector<double> totals(2 * static_cast<std::size_t>(std::max(form.totals, 1)));
  const std::size_t outputs = outputsOf(*work.kernel).size();
  const auto with = [&](int one) {
    const auto sumsOfForm = static_cast<std::size_t>(form.transforms + form.rest);
    std::vector<double> values(2 * sumsOfForm);
    if (one >= 0)
      values[2 * static_cast<std::size_t>(one)] = 1;
    std::vector<const double *> sums(sumsOfForm);
    for (std::size_t j = 0; j < sums.size(); ++j)
      sums[j] = values.data() + 2 * j;
    Outputs f{};
    std::array<double *, FACET_MOST_OUTPUTS> to{};
    for (std::size_t o = 0; o < outputs; ++o)
      to[o] = reinterpret_cast<double *>(&f[o]);
    form.combine(qRe, qIm, stride, 1, work.params.data(), totals.data(), sums.data(), to.data());
    return f;
  };
  const Outputs none = with(-1);
  std::vector<std::array<double, FACET_MOST_OUTPUTS>> all(
      static_cast<std::size_t>(form.transforms));
  for (int j = 0; j < form.transforms; ++j) {
    const double grown = grownBy(waves, form.wave_of[j], im);
    const Outputs one = with(j);
    for (std::size_t o = 0; o < outputs; ++o)
      all[static_cast<std::size_t>(j)][o] = std::abs(one[o] - none[o]) * grown;
  }
  return all;
}

/// These times the sizes of the transforms, added; the largest weighted output.
double wavesAt(const std::vector<std::array<double, FACET_MOST_OUTPUTS>> &gains,
               const std::vector<double> &weights, const std::function<double(std::size_t)> &size) {
  std::array<double, FACET_MOST_OUTPUTS> all{};
  for (std::size_t j = 0; j < gains.size(); ++j)
    for (std::size_t o = 0; o < all.size(); ++o)
      all[o] += gains[j][o] * size(j) * (weights.empty() ? 1 : o < weights.size() ? weights[o] : 0);
  return *std::ranges::max_element(all);
}

double inSingle(double x) { return std::abs(x) <= FLT_MAX ? static_cast<float>(x) : x; }

/// How far single precision puts terms off by rounding q and columns: waves by the size of their
/// phases, erf(q + column) by nothing where it is flat. By outputs, relative to the sum of |term|,
/// over the precision.
class Steepness {
public:
  Steepness(const SumContext &work, const std::array<std::complex<double>, 3> &largest)
      : work_(work), largest_(largest) {}

  /// `columns`: of record k of a few, which stands for so many. Each is taken at another q of the
  /// octave. None has few digits: rounding would leave it as it is, but not what comes of it.
  void add(std::size_t k, const std::vector<const double *> &columns, double stands) {
    const double turns = 0.6180339887498949 * static_cast<double>(k);
    std::array<std::complex<double>, 3> q, rounded;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      q[axis] = largest_[axis] * (1 - (turns - std::floor(turns)) / 2.0001);
      rounded[axis] = {inSingle(q[axis].real()), inSingle(q[axis].imag())};
    }
    std::vector<double> values(columns.size());
    std::vector<const double *> places(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      values[c] = inSingle(*columns[c]);
      places[c] = &values[c];
    }
    const Reference found = referenceAt(work_.kernel, q, columns, 1, work_.params),
                    off = referenceAt(work_.kernel, rounded, places, 1, work_.params);
    for (std::size_t o = 0; o < changes_.size(); ++o) {
      const double change = std::abs(off.f[o] - found.f[o]), size = scaleOf(found, o);
      jumps_ |= !(change <= 0.01 * size); // a condition on the columns, which sums decide in double
      changes_[o] += stands * change;
      sizes_[o] += stands * size;
    }
  }

  /// The largest of the outputs; infinity: not known.
  double most(std::size_t outputs) const {
    double most = jumps_ ? HUGE_VAL : 0;
    for (std::size_t o = 0; o < outputs; ++o)
      if (sizes_[o] > 0)
        most = std::max(most, changes_[o] / sizes_[o] / FLT_EPSILON);
    return most;
  }

private:
  const SumContext &work_;
  std::array<std::complex<double>, 3> largest_;
  std::array<double, FACET_MOST_OUTPUTS> changes_{}, sizes_{};
  bool jumps_ = false;
};

} // namespace

// Walks a row of a product grid or a part of the list at a time.
std::map<int, LargestQ> amplification(const AmplificationProblem &by, Pool &pool,
                                      std::vector<float> &g, std::vector<std::uint16_t> &keys) {
  const Grid &grid = by.grid;
  g.resize(static_cast<std::size_t>(grid.size()));
  keys.resize(g.size());
  std::array<std::vector<double>, 3> zero; // imaginary parts that a real axis lacks
  std::array<std::span<const double>, 3> axes, imaginary;
  for (std::size_t k = 0; k < 3; ++k) {
    axes[k] = grid.axes[k].re;
    imaginary[k] = grid.axes[k].im;
    if (by.direct.q == FACET_COMPLEX_Q && by.kernel->complex_q[k] != 0 && imaginary[k].empty())
      imaginary[k] = zero[k] = std::vector<double>(grid.axes[k].re.size());
  }
  std::map<int, LargestQ> all;
  std::mutex mutex;
  const GridParts parts(grid.kind == Grid::Kind::Product, grid.extents());
  // Several parts a task: short rows cost more to hand out than to walk.
  const std::int64_t together = std::max<std::int64_t>(1, GridParts::ofList / parts.length());
  const auto amplifyParts = [&](std::int64_t task, int) {
    LargestOfKeys mine;
    std::vector<double> buffer(gainNumbers(outputsOf(*by.kernel).size()) *
                               static_cast<std::size_t>(parts.length()));
    for (std::int64_t p = task * together; p < std::min(parts.size(), (task + 1) * together); ++p) {
      const GridPart part = parts.part(p, axes, imaginary);
      gainsOf(by, part, buffer.data(), g.data() + part.first);
      keysOf(part, by.radius, g.data() + part.first, keys.data() + part.first, mine);
    }
    const std::lock_guard lock(mutex);
    for (const auto &[key, seen] : mine.all) {
      LargestQ &best = all[key];
      const float gain = std::max(best.gain, seen.gain);
      if (seen.before(best))
        best = seen;
      best.gain = gain;
    }
  };
  pool.run((parts.size() + together - 1) / together, amplifyParts, {},
           2 * seconds::ofFinish * static_cast<double>(grid.size()));
  return all;
}

std::size_t ErrorModel::bucket(float g) { return std::bit_cast<std::uint32_t>(std::abs(g)) >> 21; }
double ErrorModel::bucketMiddle(std::size_t bucket) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bucket << 21) + (1U << 20));
}

ErrorModel::ErrorModel(const SumContext &work, const facet_variant &direct,
                       const facet_variant *precise, const References &references, bool inBlocks,
                       bool cut)
    : work_(work), direct_(&direct), precise_(precise), references_(references),
      inBlocks_(inBlocks), cut_(cut) {}

// binOf_ holds keys in place of bins' numbers until all keys are known.
void ErrorModel::amplify() {
  const std::map<int, LargestQ> all = runtime::amplification(
      {work_.kernel, work_.grid, work_.params, *direct_, work_.records.frame().radius, weights_},
      work_.pool, g_, binOf_);
  bins_.clear();
  std::vector<std::uint16_t> number(amplificationKeys);
  for (const auto &[key, seen] : all) {
    number[static_cast<std::size_t>(key)] = static_cast<std::uint16_t>(bins_.size());
    Bin &bin = bins_.emplace_back();
    bin.q = seen.q;
    bin.norm = std::sqrt(seen.norm2);
    bin.key = key;
    bin.group = key / 64;
    bin.histogram.resize(1024);
  }
  for (std::size_t q = 0; q < g_.size(); ++q) {
    binOf_[q] = number[binOf_[q]];
    ++bins_[binOf_[q]].histogram[bucket(g_[q]) & 1023];
  }
  for (const std::int64_t q : work_.zeros)
    --bins_[binIndex(q)].histogram[bucket(g_[static_cast<std::size_t>(q)]) & 1023];
}

/// Real parts of each bin's q, and of some others: those that a walk of the grid in long steps
/// meets.
std::vector<SomeQ> ErrorModel::someOfBins() const {
  constexpr std::size_t most = 16;
  std::vector<SomeQ> some(bins_.size());
  const auto give = [&](std::size_t b, std::int64_t i) {
    const auto q = work_.grid.at(i);
    some[b].push_back({q[0].real(), q[1].real(), q[2].real()});
  };
  for (std::size_t b = 0; b < bins_.size(); ++b)
    give(b, bins_[b].q);
  const std::int64_t n = work_.grid.size();
  constexpr std::int64_t looks = 4096;
  for (std::int64_t i = 0; i < std::min(n, looks); ++i) {
    const auto q = static_cast<std::int64_t>(
        std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1) * static_cast<double>(n));
    if (const std::size_t own = binIndex(q); some[own].size() < most)
      give(own, q);
  }
  return some;
}

/// Samples the waves at q of bins that were not met since the records have changed.
void ErrorModel::sampleWaves() {
  const auto isNew = [&](const Bin &bin) {
    return bin.group == 0 && sums_.at(bin.key).outer.empty();
  };
  if (!windows_ || waves_ == nullptr || waves_->form().scalars != 0 ||
      waves_->source().size() == 0 || std::ranges::none_of(bins_, isNew))
    return;
  const Aliases aliases(*waves_, work_.grid, cut_);
  const std::vector<SomeQ> some = someOfBins();
  const auto sample = [&](std::int64_t task, int) {
    const auto b = static_cast<std::size_t>(task);
    if (!isNew(bins_[b]))
      return;
    BinSums &sums = sums_.at(bins_[b].key);
    sums.inner = aliases.inner(some[b]);
    sums.outer = aliases.outer(some[b]);
  };
  work_.pool.run(std::ssize(bins_), sample, {},
                 seconds::ofReference * static_cast<double>(std::ssize(bins_)) *
                     static_cast<double>(std::min<std::int64_t>(work_.records.size(), 4096)));
}

void ErrorModel::update(const WaveRecords *waves, bool windows) {
  if (!amplified_)
    amplify();
  judged_ = judged_ && waves == waves_ && windows == windows_;
  waves_ = waves;
  windows_ = windows;
  if (!judged_)
    judge();
  amplified_ = judged_ = true;
}

/// Sets what the waves of a bin are, and what of them errors of windows add up to.
void ErrorModel::judgeWaves(Bin &bin, double g) const {
  const auto gains = gainsOfWaves(work_, *waves_, work_.grid.at(bin.q));
  const auto added = [&](const auto &size) {
    return work_.times * wavesAt(gains, weights_, size) / g;
  };
  bin.waves =
      std::max(added([&](std::size_t j) { return waves_->size(static_cast<int>(j)); }), bin.direct);
  bin.outer = bin.inner = 1;
  const BinSums &sums = sums_.at(bin.key);
  if (!windows_ || sums.outer.empty())
    return;
  const auto part = [&](const auto &size) { return std::min(added(size) / bin.waves, 1.0); };
  bin.outer = part([&](std::size_t j) { return sums.outer[j]; });
  bin.inner = part([&](std::size_t j) { return sums.inner[j]; });
}

/// Sets how far rounding changes the terms of a bin, and returns sum |term| of what is finished.
double ErrorModel::termsOf(Bin &bin) {
  const auto q = work_.grid.at(bin.q);
  const std::vector<const double *> all = work_.records.columnsAt(work_.grid.placesOf(bin.q));
  std::vector<const double *> columns(all.size());
  BinSums &sums = sums_.at(bin.key);
  const bool isNew = sums.sumAbs < 0;
  double sumAbs = 0, factor = 0; // factor is the same for all records
  Steepness steepness(work_, q);
  for (std::size_t k = 0; k < standing_.size(); ++k) {
    const auto &[record, stands] = standing_[k];
    std::ranges::transform(all, columns.begin(),
                           [at = record](const double *column) { return column + at; });
    if (isNew || k == 0) {
      const Reference found = referenceAt(work_.kernel, q, columns, 1, work_.params);
      sumAbs += work_.times * stands * found.sumAbs;
      for (std::size_t o = 0; o < outputs(); ++o)
        factor = std::max(factor, weight(o) * found.factors[o]);
    }
    if (k % 3 == 0) // a third will do
      steepness.add(k / 3, columns, stands);
  }
  if (isNew)
    sums.sumAbs = sumAbs;
  bin.steepness = steepness.most(outputs());
  return std::isfinite(factor) ? sums.sumAbs * factor : HUGE_VAL;
}

void ErrorModel::judge() {
  if (standing_.empty())
    standing_ = someOf(work_.kernel, work_.records);
  for (const Bin &bin : bins_)
    if (BinSums &sums = sums_[bin.key]; sums.q != bin.q)
      sums.q = bin.q, sums.sumAbs = -1;
  sampleWaves();
  const auto judgeBin = [&](std::int64_t task, int) {
    Bin &bin = bins_[static_cast<std::size_t>(task)];
    const double terms = termsOf(bin);
    // The reference's own sum may differ from the variant's by a factor that depends on q: dividing
    // by g takes it out.
    const double g = amplification(bin.q);
    const bool usable = g > 0 && std::isfinite(g);
    bin.direct = usable && std::isfinite(terms) ? terms / g : sums_.at(bin.key).sumAbs;
    bin.waves = 0;
    if (waves_ != nullptr && usable)
      judgeWaves(bin, g);
  };
  work_.pool.run(std::ssize(bins_), judgeBin, {},
                 seconds::ofReference *
                     static_cast<double>(std::ssize(standing_) * std::ssize(bins_)));
}

// q where |F| is likely to be large: the smallest |q| of each group, then q anywhere.
std::vector<std::int64_t> ErrorModel::pilotPoints() const {
  const std::int64_t n = work_.grid.size();
  const std::int64_t count = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(2e6 / (work_.times * static_cast<double>(work_.records.size()))), 8,
      48);
  std::vector<std::int64_t> chosen;
  const auto take = [&](std::int64_t q) {
    if (std::find(chosen.begin(), chosen.end(), q) == chosen.end() &&
        !std::binary_search(work_.zeros.begin(), work_.zeros.end(), q))
      chosen.push_back(q);
  };
  for (int round = 0; round < 6; ++round) { // one of each group a round: the last may not be summed
    std::map<int, int> met;                 // bins of each group so far
    for (const Bin &bin : bins_)
      if (met[bin.group]++ == round && static_cast<std::int64_t>(chosen.size()) < count)
        take(bin.q);
  }
  std::mt19937_64 random(1);
  for (int tries = 0;
       static_cast<std::int64_t>(chosen.size()) < std::min(count, n) && tries < 4 * count; ++tries)
    take(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)));
  return chosen;
}

// A part of a surface does not stand for the whole: it has edges, and F of its own.
std::vector<std::complex<double>>
ErrorModel::pilotValues(const std::vector<std::int64_t> &points) const {
  std::vector<std::complex<double>> f(outputs() * points.size(),
                                      std::numeric_limits<double>::quiet_NaN());
  if (points.empty()) // every q is 0, and F there is `origin`: nothing is summed
    return f;
  if (inBlocks_ || precise_ == nullptr) { // slow: the first eight alone
    const std::vector<Reference> found = references_.at(work_.grid, points, 8, 0);
    for (std::size_t o = 0; o < outputs(); ++o)
      for (std::size_t i = 0; i < found.size(); ++i)
        f[o * points.size() + i] = found[i].f[o];
    return f;
  }
  const Grid list = pointsOf(work_.grid, points);
  try {
    Sums sums(work_.on(list), *precise_);
    sums.sum();
    sums.finish(f.data());
  } catch (const Error &) { // sums that fail, F not finite: the run will say so
  }
  return f;
}

void ErrorModel::pilot() {
  if (scaled_)
    return;
  const std::vector<std::int64_t> points = pilotPoints();
  const std::vector<std::complex<double>> f = pilotValues(points);
  const auto size = [&](std::size_t o, std::size_t i) { // 0 if it is not known
    const double found = std::abs(f[o * points.size() + i]);
    return std::isfinite(found) ? found : 0;
  };
  if (outputs() > 1) {
    std::vector<double> most(outputs());
    for (std::size_t o = 0; o < outputs(); ++o)
      for (std::size_t i = 0; i < points.size(); ++i)
        most[o] = std::max(most[o], size(o, i));
    weigh(most);
  }
  std::map<int, double> largest;
  for (std::size_t o = 0; o < outputs(); ++o)
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const double found = weight(o) * size(o, i);
          std::isfinite(std::abs(f[o * points.size() + i])))
        largest[bin(points[i]).group] = std::max(largest[bin(points[i]).group], found);
  setScales(largest);
  seen_ = false;
}

// An output that is 0 wherever it was looked at counts for nothing.
void ErrorModel::weigh(const std::vector<double> &largest) {
  const double most = *std::ranges::max_element(largest);
  weights_.clear();
  for (const double own : largest)
    weights_.push_back(own > 0 ? most / own : 0);
  if (most == 0)
    weights_.clear();
  amplify();
  judge();
}

/// The largest |weight F| of each bin.
std::vector<double> ErrorModel::sizesOf(const std::complex<double> *f, double weight,
                                        const std::vector<double> &errors) const {
  std::vector<double> sizes(bins_.size());
  for (std::size_t q = 0; q < g_.size(); ++q) {
    double &most = sizes[binOf_[q]];
    const double size = magnitude(weight * f[q]); // a NaN never wins
    if (!(size > most))
      continue;
    const double error = errors[binOf_[q]] * g_[q];
    if (2 * error <= size && std::isfinite(size) &&
        !std::binary_search(work_.zeros.begin(), work_.zeros.end(), static_cast<std::int64_t>(q)))
      most = size;
  }
  return sizes;
}

void ErrorModel::see(const std::complex<double> *f,
                     const std::function<std::vector<double>()> &errors) {
  const auto known = [&](std::size_t o) { return weight(o) > 0 ? weight(o) : 1; }; // 0 before
  const auto ofOutput = [&](std::size_t o) {
    return sizesOf(f + o * g_.size(), known(o), errors());
  };
  if (outputs() > 1) {
    std::vector<double> most;
    for (std::size_t o = 0; o < outputs(); ++o)
      most.push_back(std::ranges::max(ofOutput(o)) / known(o));
    weigh(most);
  }
  std::vector<double> sizes(bins_.size());
  for (std::size_t o = 0; o < outputs(); ++o)
    std::ranges::transform(sizes, ofOutput(o), sizes.begin(),
                           [](double a, double b) { return std::max(a, b); });
  std::map<int, double> largest;
  for (std::size_t b = 0; b < bins_.size(); ++b)
    if (sizes[b] > 0)
      largest[bins_[b].group] = std::max(largest[bins_[b].group], sizes[b]);
  setScales(largest);
  seen_ = true;
}

// A group without a known |F| has the scale of the next group.
void ErrorModel::setScales(const std::map<int, double> &largest) {
  for (Bin &bin : bins_) {
    double least = 0; // what rounding leaves of an F that vanishes
    if (const double g = amplification(bin.q); std::isfinite(g))
      least = DBL_EPSILON * bin.direct * g;
    auto found = largest.lower_bound(bin.group);
    if (found == largest.end() && !largest.empty())
      found = std::prev(found);
    bin.scale = found != largest.end() ? std::max(least, found->second) : least;
  }
  scaled_ = true;
}

} // namespace facet::runtime
