// records.cpp - points and strengths of the kernel's waves, their box and size.
#include "runtime/plan/waves/waves.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {

void WaveRecords::setRules(std::shared_ptr<const NodeRules> rules) {
  source_.setRules(std::move(rules));
  filled_ = false;
}

void WaveRecords::fill() {
  if (filled_)
    return;
  const auto n = static_cast<std::size_t>(source_.size());
  const auto waves = static_cast<std::size_t>(form_->waves);
  const auto transforms = static_cast<std::size_t>(form_->transforms);
  points_.resize(3 * waves * n);
  strengths_.resize(transforms * n);
  // A part's box (low, high of each coordinate) and sizes, merged below in order.
  struct Found {
    std::vector<double> low, high, size;
  };
  std::vector<Found> found(static_cast<std::size_t>(source_.parts()));
  work_.pool.run(source_.parts(), [&](std::int64_t task, int) {
    Source::Part part;
    source_.read(task, false, part);
    const auto at = static_cast<std::size_t>(part.first);
    const auto count = static_cast<std::size_t>(part.count);
    std::vector<double *> points, strengths;
    for (std::size_t k = 0; k < 3 * waves; ++k)
      points.push_back(points_.data() + k * n + at);
    for (std::size_t j = 0; j < transforms; ++j)
      strengths.push_back(reinterpret_cast<double *>(strengths_.data() + j * n + at));
    form_->fill(part.columns.data(), part.count, work_.params.data(), points.data(),
                strengths.data());
    Found &f = found[static_cast<std::size_t>(task)];
    for (const double *p : points) {
      const auto [low, high] = std::minmax_element(p, p + count);
      f.low.push_back(*low);
      f.high.push_back(*high);
    }
    for (const double *b : strengths) {
      double all = 0;
      for (std::size_t t = 0; t < count; ++t)
        all += std::hypot(b[2 * t], b[2 * t + 1]);
      f.size.push_back(all);
    }
  });
  half_.assign(waves, {});
  middle_.assign(waves, {});
  size_.assign(transforms, 0);
  for (std::size_t k = 0; k < 3 * waves; ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Found &f : found) {
      low = std::min(low, f.low[k]);
      high = std::max(high, f.high[k]);
    }
    half_[k / 3][k % 3] = (high - low) / 2;
    middle_[k / 3][k % 3] = (high + low) / 2;
  }
  for (const Found &f : found)
    for (std::size_t j = 0; j < transforms; ++j)
      size_[j] += f.size[j];
  totals_.compute(form_->totals_fn, form_->totals, work_, source_);
  filled_ = true;
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
  return static_cast<double>(source_.size()) * (24.0 * form_->waves + 16.0 * form_->transforms);
}

std::vector<int> WaveRecords::of(int wave) const {
  std::vector<int> transforms;
  for (int j = 0; j < form_->transforms; ++j)
    if (form_->wave_of[j] == wave)
      transforms.push_back(j);
  return transforms;
}

NufftRequest requestOf(const WaveRecords &records, int wave, double tolerance, double accuracy,
                       int threads, double memory, const NufftConstants &constants) {
  NufftRequest request;
  request.half = records.half(wave);
  request.records = records.source().size();
  request.transforms = static_cast<int>(records.of(wave).size());
  request.tolerance = tolerance;
  request.nodeTolerance = 0.3 * accuracy;
  request.threads = threads;
  request.memory = memory;
  request.constants = constants;
  return request;
}

} // namespace facet::runtime
