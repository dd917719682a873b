// waves.cpp - one execution of nufft: strengths, transforms, combination.
#include "runtime/plan/waves/waves.h"
#include "runtime/plan/grid/parts.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
Waves::Waves(const Work &work, std::shared_ptr<WaveRecords> records, const HowToTransform &how)
    : Strategy(work), records_(std::move(records)), how_(how) {
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
  records_->form().combine(part.re, part.im, part.stride, part.count, work_.params.data(),
                           records_->totals().values(), sums.data(),
                           reinterpret_cast<double *>(f + part.first));
  for (std::int64_t i = part.first; i < part.first + part.count; ++i)
    if (const std::complex<double> &value = f[i];
        !std::isfinite(value.real()) || !std::isfinite(value.imag()))
      notFinite_.note(i, work_.zeros);
}

std::vector<std::span<double>> Waves::partial() {
  return {{reinterpret_cast<double *>(sums_.data()), 2 * sums_.size()}};
}

NufftTransforms &Waves::transformsOf(int wave) {
  const NufftRequest request = requestOf(*records_, wave, how_.tolerance, how_.accuracy,
                                         how_.threads, how_.memory, how_.constants);
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
    work_.look(); // FINUFFT cannot be asked to stop
    std::vector<const std::complex<double> *> strengths;
    std::vector<std::complex<double> *> out;
    for (const int j : records_->of(wave)) {
      strengths.push_back(records_->strengths(j));
      out.push_back(sum_[static_cast<std::size_t>(j)]);
    }
    transformsOf(wave).execute(records_->points(wave), strengths, out);
    if (work_.progress) // FINUFFT says nothing while it works
      work_.progress(tqp * (wave + 1) / (form.waves + 1), tqp);
  }
}

void Waves::finish(std::complex<double> *f) {
  notFinite_.clear();
  const GridParts parts(work_.grid.kind == Grid::Kind::Product, work_.grid.extents());
  work_.pool.run(parts.size(), [&](std::int64_t k, int) { combine(parts.part(k, re_, im_), f); });
  if (notFinite_.count() > 0)
    throw notFinite_.error(work_.kernel, work_.grid);
}

} // namespace facet::runtime
