// waves.cpp - nufft: points and strengths of the kernel's waves, their transforms, F from these.
#include "runtime/plan/waves/waves.h"
#include "runtime/plan/grid/points.h"
#include "runtime/plan/waves/scalars.h"
#include "runtime/planner/budget.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {

Waves::Waves(const Work &work, std::shared_ptr<WaveRecords> records, const HowToTransform &how)
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
  for (const std::complex<double> *t : sum_)
    sums.push_back(reinterpret_cast<const double *>(t + part.first));
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

std::vector<std::span<double>> Waves::partial() {
  return {{reinterpret_cast<double *>(sums_.data()), 2 * sums_.size()}};
}

NufftTransforms &Waves::transformsOf(int wave) {
  const NufftRequest request = requestOf(*records_, wave, work_.grid, how_);
  if (static_cast<std::size_t>(wave) < transforms_.size()) {
    transforms_[static_cast<std::size_t>(wave)].expect(request);
    return transforms_[static_cast<std::size_t>(wave)];
  }
  NufftTransforms &made = transforms_.emplace_back(work_.grid, request);
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
  const auto transforms = static_cast<std::size_t>(form.transforms);
  if (sum_.empty()) {
    sums_.resize(transforms * nq);
    sum_.resize(transforms);
    std::complex<double> *place = sums_.data();
    for (int wave = 0; wave < form.waves; ++wave)
      for (const int j : records_->of(wave)) {
        sum_[static_cast<std::size_t>(j)] = place;
        place += nq;
      }
  }
  for (int wave = 0; wave < form.waves; ++wave) {
    work_.look(); // FINUFFT cannot be stopped
    sumWave(wave);
    if (work_.progress) // FINUFFT says nothing while it works
      work_.progress(tqp * (wave + 1) / (form.waves + 1), tqp);
  }
}

void Waves::sumWave(int wave) {
  std::vector<const std::complex<double> *> strengths;
  std::vector<std::complex<double> *> out;
  for (const int j : records_->of(wave)) {
    strengths.push_back(records_->strengths(j));
    out.push_back(sum_[static_cast<std::size_t>(j)]);
  }
  NufftTransforms &transforms = transformsOf(wave);
  if (transforms.layout().request.scalars.empty())
    return transforms.execute(records_->points(wave), strengths, out);
  std::vector<std::complex<double> *> own;
  const auto n = static_cast<std::size_t>(records_->source().size());
  own_.resize(out.size() * n);
  for (std::size_t k = 0; k < out.size(); ++k)
    strengths[k] = own.emplace_back(own_.data() + k * n);
  const auto at = [&](std::span<const double> u) {
    records_->strengthsAt(wave, u, own);
    return std::span<const std::complex<double> *const>(strengths);
  };
  transforms.execute(records_->points(wave), at, out);
}

void Waves::finish(std::complex<double> *f) {
  notFinite_.clear();
  const GridParts parts(work_.grid.kind == Grid::Kind::Product, work_.grid.extents());
  work_.pool.run(
      parts.size(), [&](std::int64_t k, int) { combine(parts.part(k, re_, im_), f); }, {},
      seconds::ofFinish * static_cast<double>(work_.grid.size()));
  if (notFinite_.count() > 0)
    throw notFinite_.error(work_.kernel, work_.grid);
}

void WaveRecords::setRules(std::shared_ptr<const NodeRules> rules) {
  source_.setRules(std::move(rules));
  filled_ = false;
}

void WaveRecords::fill(bool sizes) {
  if (filled_)
    return;
  const auto n = static_cast<std::size_t>(source_.size());
  points_.resize(3 * static_cast<std::size_t>(form_->waves) * n);
  strengths_.resize(static_cast<std::size_t>(form_->transforms) * n);
  std::vector<double> params = work_.params;
  const std::vector<NufftScalar> scalars = scalarsOf(*form_, work_.grid, work_.params, work_.pool);
  for (const NufftScalar &u : scalars)
    params.push_back((u.low + u.high) / 2);
  std::vector<Filled> parts(static_cast<std::size_t>(source_.parts()));
  const auto fillOne = [&](std::int64_t task, int) {
    parts[static_cast<std::size_t>(task)] = fillPart(task, params);
  };
  work_.pool.run(source_.parts(), fillOne, {}, seconds::ofRecord * static_cast<double>(n));
  half_.assign(static_cast<std::size_t>(form_->waves), {});
  middle_ = half_;
  size_.assign(static_cast<std::size_t>(form_->transforms), 0);
  for (std::size_t k = 0; k < 3 * half_.size(); ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Filled &part : parts) {
      low = std::min(low, part.low[k]);
      high = std::max(high, part.high[k]);
    }
    half_[k / 3][k % 3] = (high - low) / 2;
    middle_[k / 3][k % 3] = (high + low) / 2;
  }
  for (const Filled &part : parts)
    for (std::size_t j = 0; j < size_.size(); ++j)
      size_[j] += part.size[j];
  if (sizes && !scalars.empty())
    enlargeSizes(scalars, work_.params);
  totals_.compute(form_->totals_fn, form_->totals, work_, source_);
  sample_ = scalars.empty() ? SampledRecords() : sampledRecords(source_);
  filled_ = true;
}

/// Sizes are the largest at the ends and in the middle of the scalars' ranges.
void WaveRecords::enlargeSizes(const std::vector<NufftScalar> &scalars,
                               std::vector<double> params) {
  const std::size_t first = params.size();
  params.resize(first + scalars.size());
  const std::vector<double> middle = size_;
  const auto at = [](const NufftScalar &u, int which) {
    return u.low + 0.5 * which * (u.high - u.low);
  };
  for (int combination = 0; combination < (scalars.size() > 1 ? 9 : 3); ++combination) {
    params[first] = at(scalars[0], combination % 3);
    if (scalars.size() > 1)
      params[first + 1] = at(scalars[1], combination / 3);
    std::vector<double> sizes(size_.size());
    for (std::int64_t part = 0; part < source_.parts(); ++part) {
      const Filled filled = fillPart(part, params);
      for (std::size_t j = 0; j < sizes.size(); ++j)
        sizes[j] += filled.size[j];
    }
    for (std::size_t j = 0; j < sizes.size(); ++j)
      size_[j] = std::max(size_[j], sizes[j]);
  }
}

namespace {

/// Where facet_waves_fn writes of one part: arrays of all waves and transforms, in scratch memory.
struct FilledArrays {
  std::vector<double> room;
  std::vector<double *> points, strengths;
  FilledArrays(const facet_transforms &form, std::int64_t count) {
    const auto n = static_cast<std::size_t>(count);
    const auto waves = static_cast<std::size_t>(form.waves),
               transforms = static_cast<std::size_t>(form.transforms);
    room.resize((3 * waves + 2 * transforms) * n);
    for (std::size_t k = 0; k < 3 * waves; ++k)
      points.push_back(room.data() + k * n);
    for (std::size_t j = 0; j < transforms; ++j)
      strengths.push_back(room.data() + (3 * waves + 2 * j) * n);
  }
};

} // namespace

WaveRecords::Filled WaveRecords::fillPart(std::int64_t number, const std::vector<double> &params) {
  Source::Part part;
  source_.read(number, false, part);
  const auto n = static_cast<std::size_t>(source_.size());
  const auto at = static_cast<std::size_t>(part.first);
  const auto count = static_cast<std::size_t>(part.count);
  std::vector<double *> points, strengths;
  for (std::size_t k = 0; k < points_.size(); k += n)
    points.push_back(points_.data() + k + at);
  for (std::size_t j = 0; j < strengths_.size(); j += n)
    strengths.push_back(reinterpret_cast<double *>(strengths_.data() + j + at));
  form_->fill(part.columns.data(), part.count, params.data(), points.data(), strengths.data());
  Filled filled;
  for (const double *p : points) {
    const auto [low, high] = std::minmax_element(p, p + count);
    filled.low.push_back(*low);
    filled.high.push_back(*high);
  }
  for (const double *b : strengths) {
    double all = 0;
    for (std::size_t t = 0; t < count; ++t)
      all += std::hypot(b[2 * t], b[2 * t + 1]);
    filled.size.push_back(all);
  }
  return filled;
}

// Waves that share a set of columns are filled together: what belongs to others goes to scratch.
void WaveRecords::strengthsAt(int wave, std::span<const double> u,
                              std::span<std::complex<double> *const> to) const {
  const std::vector<double> params = withScalars(*form_, wave, work_.params, u);
  const std::vector<int> own = of(wave);
  const auto fillOne = [&](std::int64_t task, int) {
    Source::Part part;
    source_.read(task, false, part);
    FilledArrays arrays(*form_, part.count);
    for (std::size_t k = 0; k < own.size(); ++k)
      arrays.strengths[static_cast<std::size_t>(own[k])] =
          reinterpret_cast<double *>(to[k] + part.first);
    form_->fill(part.columns.data(), part.count, params.data(), arrays.points.data(),
                arrays.strengths.data());
  };
  work_.pool.run(source_.parts(), fillOne, {},
                 seconds::ofRecord * static_cast<double>(source_.size()));
}

std::vector<NufftScalar> WaveRecords::scalars(int wave, const Grid &grid) const {
  if (form_->scalars == 0 || form_->scalars_of[wave] == 0)
    return {};
  return countedScalars(*form_, wave, scalarsOf(*form_, grid, work_.params, work_.pool),
                        work_.params, sample_);
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

const std::complex<double> *WaveRecords::strengths(int transform) const {
  return strengths_.data() + transform * source_.size();
}

double WaveRecords::bytes() const {
  const int own = form_->scalars > 0 ? 2 : 1; // strengths at a node beside those in the middle
  return static_cast<double>(source_.size()) *
         (bytes::ofPoint * form_->waves + own * bytes::ofComplex * form_->transforms);
}

std::vector<int> WaveRecords::of(int wave) const {
  std::vector<int> transforms;
  for (int j = 0; j < form_->transforms; ++j)
    if (form_->wave_of[j] == wave)
      transforms.push_back(j);
  return transforms;
}

NufftRequest requestOf(const WaveRecords &records, int wave, const Grid &grid,
                       const HowToTransform &how) {
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
