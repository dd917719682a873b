// waves.cpp - nufft: points and strengths of the kernel's waves, their transforms, F from these.
#include "runtime/engine/transform/waves.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/transform/related.h"
#include "runtime/engine/transform/scalars.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <numeric>

namespace facet::runtime {

Waves::Waves(const SumContext &work, std::shared_ptr<WaveRecords> records,
             const TransformOptions &how)
    : Algorithm(work), records_(std::move(records)), how_(how) {
  for (std::size_t k = 0; k < 3; ++k) {
    re_[k] = work_.grid.axes[k].re;
    im_[k] = work_.grid.axes[k].im;
    if (im_[k].empty() && records_->form().q == FACET_COMPLEX_Q && work_.kernel->complex_q[k] != 0)
      im_[k].assign(re_[k].size(), 0);
  }
}

void Waves::resized(std::shared_ptr<const NodeRules> rules) {
  if (!how_.lent)
    records_->setRules(std::move(rules));
}

void Waves::combine(const GridPart &part, std::complex<double> *f) {
  static thread_local std::vector<const double *> sums;
  sums.clear();
  for (std::size_t j = 0; j < sum_.size(); ++j)
    sums.push_back(sum_[j] + part.first * (j < transforms() ? records_->form().parts[j] : 2));
  std::array<double *, FACET_MOST_OUTPUTS> to{};
  const std::size_t outputs = outputsOf(*work_.kernel).size();
  for (std::size_t o = 0; o < outputs; ++o)
    to[o] = reinterpret_cast<double *>(f + static_cast<std::int64_t>(o) * work_.grid.size() +
                                       part.first);
  records_->form().combine(part.re, part.im, part.stride, part.count, work_.params.data(),
                           records_->totals().values(), sums.data(), to.data());
  for (std::int64_t i = 0; i < part.count; ++i)
    if (std::any_of(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(outputs),
                    [&](const double *f) {
                      return !std::isfinite(f[2 * i]) || !std::isfinite(f[2 * i + 1]);
                    }))
      notFinite_.note(part.first + i, work_.zeros);
}

std::vector<std::span<double>> Waves::partial() { return {{sums_.data(), sums_.size()}}; }

NufftTransforms &Waves::transformsOf(int wave, const NufftRequest &request) {
  if (const auto known = transforms_.find(wave); known != transforms_.end()) {
    known->second.expect(request);
    return known->second;
  }
  NufftTransforms &made =
      transforms_.emplace(wave, NufftTransforms(work_.grid, request)).first->second;
  made.setParallel([this](std::int64_t tasks, const std::function<void(std::int64_t)> &task) {
    work_.pool.run(tasks, [&](std::int64_t i, int) {
      work_.look();
      task(i);
    });
  });
  return made;
}

void Waves::sum() {
  records_->fill();
  const facet_transforms &form = records_->form();
  const auto nq = static_cast<std::size_t>(work_.grid.size());
  const double tqp =
      static_cast<double>(work_.records.size()) * static_cast<double>(work_.grid.size());
  if (sum_.empty()) {
    sums_.resize(static_cast<std::size_t>(bytes::realSums(form)) * nq);
    double *place = sums_.data();
    for (int j = 0; j < form.transforms; ++j) {
      sum_.push_back(place);
      place += static_cast<std::size_t>(form.parts[j]) * nq;
    }
    for (int c = 0; c < form.rest; ++c, place += 2 * nq)
      sum_.push_back(place);
  }
  for (int wave = 0; wave < form.waves; ++wave) {
    work_.look();
    sumWave(wave);
    if (work_.progress)
      work_.progress(tqp * (wave + 1) / (form.waves + 1), tqp);
  }
  if (form.rest > 0)
    sumRest();
}

/// Sums the components of the mixed records, to the places behind the transforms.
void Waves::sumRest() {
  double *to = sum_[transforms()];
  if (records_->mixed() == 0)
    return std::fill(to, sums_.data() + sums_.size(), 0.0);
  if (how_.rest == nullptr)
    throw Error(whereIs(work_.kernel), noRest, buildItWhole);
  Grid list;
  if (how_.rest->grid == FACET_POINTS && work_.grid.kind == Grid::Kind::Product) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(work_.grid.size()));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    list = pointsOf(work_.grid, all);
  }
  Sums sums(work_.of(*records_->rest(), list.size() > 0 ? list : work_.grid), *how_.rest);
  sums.sum();
  sums.components(reinterpret_cast<std::complex<double> *>(to));
}

void Waves::sumWave(int wave) {
  const std::vector<int> own = records_->of(wave);
  if (records_->source().size() == 0) { // all are mixed
    for (const int j : own)
      std::fill_n(sum_[static_cast<std::size_t>(j)], records_->form().parts[j] * work_.grid.size(),
                  0.0);
    return;
  }
  if (!records_->hasPoints(wave)) {
    std::vector<double *> out;
    for (const int j : own)
      out.push_back(sum_[static_cast<std::size_t>(j)]);
    return sumLowRank(*records_, wave, work_.grid, how_, work_.pool, out);
  }
  std::vector<const Complex *> strengths;
  std::vector<double *> refilled;
  const auto n = static_cast<std::size_t>(records_->source().size());
  const RelatedTransforms related = relatedOf(*records_, wave, work_.grid, how_);
  NufftTransforms &transforms = transformsOf(wave, related.request);
  const bool kept = transforms.layout().request.scalars.empty();
  own_.resize(kept ? 0 : 2 * own.size() * n);
  for (std::size_t k = 0; k < related.bases.size(); ++k) {
    refilled.push_back(kept ? nullptr : own_.data() + 2 * k * n);
    strengths.push_back(reinterpret_cast<const Complex *>(
        kept ? records_->strengths(related.bases[k]) : refilled[k]));
  }
  const std::vector<Complex *> out = placesOf(own, related);
  const auto at = [&](std::span<const double> u) {
    if (!kept)
      records_->strengthsAt(wave, u, refilled);
    return std::span<const Complex *const>(strengths);
  };
  transforms.execute(records_->points(wave), at, out);
  relate(own, related, out);
}

/// Where results go: a result goes to the first transform that is equal to it but for a number.
std::vector<Waves::Complex *> Waves::placesOf(const std::vector<int> &own,
                                              const RelatedTransforms &related) {
  const std::size_t each = 1 + static_cast<std::size_t>(related.request.slopeCount());
  std::vector<Complex *> out(related.bases.size() * each);
  for (std::size_t k = own.size(); k-- > 0;)
    out[related.members[k].base * each + related.members[k].result] = sumOf(own[k]);
  const auto nq = static_cast<std::size_t>(work_.grid.size());
  unread_.resize(nq * static_cast<std::size_t>(std::ranges::count(out, nullptr)));
  Complex *next = unread_.data();
  for (Complex *&to : out)
    if (to == nullptr)
      to = std::exchange(next, next + nq);
  return out;
}

/// Makes all transforms from the results: first those that no result went to.
void Waves::relate(const std::vector<int> &own, const RelatedTransforms &related,
                   const std::vector<Complex *> &out) {
  const std::size_t each = 1 + static_cast<std::size_t>(related.request.slopeCount());
  const std::int64_t nq = work_.grid.size();
  for (const bool first : {true, false}) {
    const auto one = [&](std::int64_t task, int) {
      const auto k = static_cast<std::size_t>(task);
      const auto &[base, result, times] = related.members[k];
      const Complex *from = out[base * each + result];
      Complex *to = sumOf(own[k]);
      if ((from != to) == first && (from != to || times != Complex(1)))
        std::transform(from, from + nq, to, [by = times](const Complex &t) { return by * t; });
    };
    work_.pool.run(std::ssize(own), one);
  }
}

void Waves::finish(std::complex<double> *f) {
  notFinite_.clear();
  const GridParts parts(work_.grid.kind == Grid::Kind::Product, work_.grid.extents());
  work_.pool.run(
      parts.size(), [&](std::int64_t k, int) { combine(parts.part(k, re_, im_), f); }, {},
      seconds::ofFinish * static_cast<double>(work_.grid.size()));
  if (notFinite_.count() > 0)
    throw work_.error(notFinite_);
}

void WaveRecords::setRules(std::shared_ptr<const NodeRules> rules) {
  source_.setRules(std::move(rules));
  filled_ = false;
}

void WaveRecords::fill(bool sizes) {
  if (filled_)
    return;
  const std::vector<NufftScalar> scalars = scalarsOf(*form_, work_.grid, work_.params, work_.pool);
  if (form_->mixed != nullptr)
    split(scalars);
  const auto n = static_cast<std::size_t>(source_.size());
  points_.resize(3 * static_cast<std::size_t>(form_->waves) * n);
  first_.clear();
  std::size_t numbers = 0;
  for (int j = 0; j < form_->transforms; ++j) {
    first_.push_back(numbers);
    numbers += static_cast<std::size_t>(form_->parts[j]) * n;
  }
  strengths_.resize(numbers);
  std::vector<double> params = work_.params;
  for (const NufftScalar &u : scalars)
    params.push_back((u.low + u.high) / 2);
  std::vector<PartExtent> parts(static_cast<std::size_t>(source_.parts()));
  const auto fillOne = [&](std::int64_t task, int) {
    parts[static_cast<std::size_t>(task)] = fillPart(task, params);
  };
  work_.pool.run(source_.parts(), fillOne, {}, seconds::ofRecord * static_cast<double>(n));
  take(parts);
  if (sizes && !scalars.empty())
    enlargeSizes(scalars);
  totals_.compute(form_->totals_fn, form_->totals, work_, source_);
  counts_.clear();
  sample_ = scalars.empty() ? SampledRecords() : sampledRecords(source_);
  filled_ = true;
}

/// Boxes and sizes of all parts; none where there are no records.
void WaveRecords::take(const std::vector<PartExtent> &parts) {
  half_.assign(static_cast<std::size_t>(form_->waves), {});
  middle_ = half_;
  size_.assign(static_cast<std::size_t>(form_->transforms), 0);
  for (std::size_t k = 0; k < 3 * half_.size() && !parts.empty(); ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const PartExtent &part : parts) {
      low = std::min(low, part.low[k]);
      high = std::max(high, part.high[k]);
    }
    half_[k / 3][k % 3] = (high - low) / 2;
    middle_[k / 3][k % 3] = (high + low) / 2;
  }
  for (const PartExtent &part : parts)
    for (std::size_t j = 0; j < size_.size(); ++j)
      size_[j] += part.size[j];
}

void WaveRecords::split(const std::vector<NufftScalar> &scalars) {
  std::vector<double> params = work_.params;
  params.resize(params.size() + scalars.size());
  for (const NufftScalar &u : scalars)
    params.insert(params.end(), {u.low, u.high});
  source_ = Source(work_.records);
  smooth_.reset();
  rest_.reset();
  std::vector<double> mixed(static_cast<std::size_t>(source_.size()));
  const auto ask = [&](std::int64_t task, int) {
    Source::Part part;
    source_.read(task, false, part);
    form_->mixed(part.columns.data(), part.count, params.data(), mixed.data() + part.first);
  };
  work_.pool.run(source_.parts(), ask, {}, seconds::ofRecord * static_cast<double>(source_.size()));
  std::array<std::vector<std::int64_t>, 2> places;
  for (std::size_t t = 0; t < mixed.size(); ++t)
    places[mixed[t] != 0 ? 1 : 0].push_back(static_cast<std::int64_t>(t));
  if (places[1].empty())
    return;
  smooth_ = std::make_unique<Records>(work_.records.taken(places[0]));
  rest_ = std::make_unique<Records>(work_.records.taken(places[1]));
  source_ = Source(*smooth_);
}

namespace {

/// sum |b| of strengths.
double sizeOf(const double *b, int parts, std::int64_t n) {
  if (areZero(b, parts * n)) // those of a tangent kernel while nothing changes
    return 0;
  double all = 0;
  for (std::int64_t t = 0; t < n; ++t)
    all += parts == 1 ? std::abs(b[t]) : std::hypot(b[2 * t], b[2 * t + 1]);
  return all;
}

} // namespace

/// Makes sizes the largest of those at the ends and in the middle of the scalars' ranges.
void WaveRecords::enlargeSizes(const std::vector<NufftScalar> &scalars) {
  const auto at = [](const NufftScalar &u, int which) {
    return u.low + 0.5 * which * (u.high - u.low);
  };
  std::vector<double> u, room;
  for (int combination = 0; combination < (scalars.size() > 1 ? 9 : 3); ++combination)
    for (int wave = 0; wave < form_->waves; ++wave) {
      u.clear();
      for (std::size_t s = 0; s < scalars.size(); ++s)
        if ((form_->scalars_of[wave] >> s & 1) != 0)
          u.push_back(at(scalars[s], s == 0 ? combination % 3 : combination / 3));
      const std::vector<int> own = of(wave);
      std::vector<double> sizes(own.size());
      for (std::int64_t part = 0; part < source_.parts() && !u.empty(); ++part) {
        const PartStrengths b = strengths(wave, u, part, room);
        for (std::size_t k = 0; k < own.size(); ++k)
          sizes[k] += sizeOf(b.at[k], form_->parts[own[k]], b.count);
      }
      for (std::size_t k = 0; k < own.size(); ++k)
        size_[static_cast<std::size_t>(own[k])] =
            std::max(size_[static_cast<std::size_t>(own[k])], sizes[k]);
    }
}

WaveRecords::PartExtent WaveRecords::fillPart(std::int64_t number,
                                              const std::vector<double> &params) {
  Source::Part part;
  source_.read(number, false, part);
  const auto n = static_cast<std::size_t>(source_.size());
  const auto at = static_cast<std::size_t>(part.first);
  const auto count = static_cast<std::size_t>(part.count);
  std::vector<double *> points, strengths;
  for (std::size_t k = 0; k < points_.size(); k += n)
    points.push_back(points_.data() + k + at);
  for (std::size_t j = 0; j < first_.size(); ++j)
    strengths.push_back(strengths_.data() + first_[j] + form_->parts[j] * at);
  form_->fill(part.columns.data(), part.count, params.data(), points.data(), strengths.data());
  PartExtent filled;
  for (const double *p : points) {
    const auto [low, high] = std::minmax_element(p, p + count);
    filled.low.push_back(*low);
    filled.high.push_back(*high);
  }
  for (std::size_t j = 0; j < strengths.size(); ++j)
    filled.size.push_back(sizeOf(strengths[j], form_->parts[j], part.count));
  return filled;
}

/// Writes strengths of one wave at `params`, for a part of the records, to the arrays' beginnings.
void WaveRecords::refill(int wave, const std::vector<double> &params, const Source::Part &part,
                         std::span<double *const> to) const {
  std::vector<double *> strengths(static_cast<std::size_t>(form_->transforms));
  std::size_t k = 0;
  for (const int j : of(wave))
    strengths[static_cast<std::size_t>(j)] = to[k++];
  form_->refill[wave](part.columns.data(), part.count, params.data(), nullptr, strengths.data());
}

void WaveRecords::strengthsAt(int wave, std::span<const double> u,
                              std::span<double *const> to) const {
  const std::vector<double> params = withScalars(*form_, wave, work_.params, u);
  const auto fillOne = [&](std::int64_t task, int) {
    Source::Part part;
    source_.read(task, false, part);
    std::vector<double *> from(to.begin(), to.end());
    for (double *&b : from)
      b += 2 * part.first;
    refill(wave, params, part, from);
  };
  work_.pool.run(source_.parts(), fillOne, {},
                 seconds::ofRecord * static_cast<double>(source_.size()));
}

WaveRecords::PartStrengths WaveRecords::strengths(int wave, std::span<const double> u,
                                                  std::int64_t number,
                                                  std::vector<double> &room) const {
  Source::Part part;
  source_.read(number, false, part);
  const std::vector<int> own = of(wave);
  PartStrengths found{part.count};
  if (u.empty()) {
    for (const int j : own)
      found.at.push_back(strengths(j) + form_->parts[j] * part.first);
    return found;
  }
  room.resize(2 * own.size() * static_cast<std::size_t>(part.count));
  std::vector<double *> to;
  for (std::size_t k = 0; k < own.size(); ++k)
    found.at.push_back(to.emplace_back(room.data() + 2 * k * part.count));
  refill(wave, withScalars(*form_, wave, work_.params, u), part, to);
  return found;
}

std::vector<NufftScalar> WaveRecords::scalars(int wave, const Grid &grid) const {
  if (form_->scalars == 0 || form_->scalars_of[wave] == 0)
    return {};
  return countedScalars(*form_, wave, scalarsOf(*form_, grid, work_.params, work_.pool),
                        work_.params, sample_, &counts_);
}

bool WaveRecords::hasPoints(int wave) const {
  for (std::size_t k = 0; k < 3; ++k)
    if (half(wave)[k] != 0 || middle(wave)[k] != 0)
      return true;
  return false;
}

bool WaveRecords::havePoints() const {
  for (int wave = 0; wave < form_->waves; ++wave)
    if (hasPoints(wave))
      return true;
  return false;
}

NufftPoints WaveRecords::points(int wave) const {
  const auto n = static_cast<std::size_t>(source_.size());
  const double *first = points_.data() + 3 * static_cast<std::size_t>(wave) * n;
  return {source_.size(), first, first + n, first + 2 * n};
}

double WaveRecords::bytes() const {
  double own = bytes::ofPoint * form_->waves;
  for (int j = 0; j < form_->transforms; ++j) { // strengths at a node beside those in the middle
    const int wave = form_->wave_of[j];
    const bool twice = form_->scalars > 0 && form_->scalars_of[wave] != 0 && hasPoints(wave);
    own += (twice ? 2 : 1) * bytes::ofNumber * form_->parts[j];
  }
  const double copied = rest_ ? static_cast<double>(source_.size() + mixed()) : 0;
  return static_cast<double>(source_.size()) * own +
         bytes::ofColumn * work_.kernel->column_count * copied;
}

std::vector<int> WaveRecords::of(int wave) const {
  std::vector<int> transforms;
  for (int j = 0; j < form_->transforms; ++j)
    if (form_->wave_of[j] == wave)
      transforms.push_back(j);
  return transforms;
}

NufftRequest requestOf(const WaveRecords &records, int wave, const Grid &grid,
                       const TransformOptions &how) {
  NufftRequest request;
  request.half = records.half(wave);
  request.records = records.source().size();
  request.transforms = static_cast<int>(records.of(wave).size());
  request.tolerance = how.tolerance;
  request.nodeTolerance = 0.3 * how.accuracy;
  request.threads = how.threads;
  request.wave = records.hasPoints(wave);
  request.scalars = records.scalars(wave, grid);
  request.memory = how.memory;
  request.together = bytes::ofTransforms;
  return request;
}

} // namespace facet::runtime
