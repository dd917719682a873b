// finish.cpp - finished sums to F: chunks added, centring undone, q = 0 set, what is not finite
// found.
#include "runtime/plan/sums/sums.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

/// e^{i q c} with q = re + i im.
std::complex<double> cis(double re, double im, double c) {
  const double size = std::exp(-im * c);
  return {size * std::cos(re * c), size * std::sin(re * c)};
}

} // namespace

// `first` begins a row (product) or a part of the list (points).
void Sums::gather(std::int64_t first, std::int64_t count, double *re, double *im) const {
  const Layout &l = layout_;
  std::int64_t from = first; // place in the padded sums
  std::complex<double> rowTurn = 1;
  if (l.kind == FACET_PRODUCT) {
    const std::int64_t row = first / l.n[2], x = row / l.n[1], y = row % l.n[1];
    from = (x * l.padded[1] + y) * l.padded[2];
    if (work_.records.isCentred())
      rowTurn = turn_[0][static_cast<std::size_t>(x)] * turn_[1][static_cast<std::size_t>(y)];
  }
  std::copy_n(sumRe_.data() + from, count, re);
  std::copy_n(sumIm_.data() + from, count, im);
  for (std::int64_t chunk = 1; chunk < l.chunks; ++chunk)
    for (std::int64_t i = 0; i < count; ++i) {
      re[i] += sumRe_[static_cast<std::size_t>(chunk * l.paddedSize() + from + i)];
      im[i] += sumIm_[static_cast<std::size_t>(chunk * l.paddedSize() + from + i)];
    }
  if (!work_.records.isCentred())
    return;
  for (std::int64_t i = 0; i < count; ++i) {
    std::complex<double> turned = rowTurn;
    if (l.kind == FACET_PRODUCT) {
      turned *= turn_[2][static_cast<std::size_t>(i)];
    } else {
      const auto p = static_cast<std::size_t>(first + i);
      double qcRe = 0, qcIm = 0;
      for (int k = 0; k < 3; ++k) {
        qcRe += l.re[k][p] * work_.records.centre()[k];
        qcIm += l.im[k].empty() ? 0 : l.im[k][p] * work_.records.centre()[k];
      }
      turned = cis(qcRe, qcIm, 1);
    }
    turned *= std::complex<double>(re[i], im[i]);
    re[i] = turned.real();
    im[i] = turned.imag();
  }
}

void Sums::finishPart(const GridPart &part, int worker, std::complex<double> *f) {
  const std::int64_t count = part.count;
  double *re = buffers_[static_cast<std::size_t>(worker)].data(), *im = re + count;
  double *fRe = im + count, *fIm = fRe + count;
  gather(part.first, count, re, im);
  variant_->finish(part.re, part.im, part.stride, count, work_.params.data(), totals_.values(), re,
                   im, fRe, fIm);
  for (std::int64_t i = 0; i < count; ++i) {
    f[part.first + i] = {fRe[i], fIm[i]};
    if (std::isfinite(fRe[i]) && std::isfinite(fIm[i]))
      continue;
    if (notFinite_.note(part.first + i, work_.zeros))
      badSums_ = badSums_ || !std::isfinite(re[i]) || !std::isfinite(im[i]);
  }
}

void Sums::finish(std::complex<double> *f) {
  notFinite_.clear();
  badSums_ = false;
  const bool product = layout_.kind == FACET_PRODUCT;
  for (std::size_t k = 0; k < 3 && product && work_.records.isCentred(); ++k) {
    turn_[k].resize(static_cast<std::size_t>(layout_.n[k]));
    for (std::size_t i = 0; i < turn_[k].size(); ++i)
      turn_[k][i] = cis(layout_.re[k][i], layout_.im[k].empty() ? 0 : layout_.im[k][i],
                        work_.records.centre()[k]);
  }
  const GridParts parts(product, layout_.n);
  // One buffer a thread, kept between executions.
  buffers_.resize(static_cast<std::size_t>(work_.pool.size()));
  for (std::vector<double> &buffer : buffers_)
    buffer.resize(static_cast<std::size_t>(4 * parts.length()));
  work_.pool.run(parts.size(), [&](std::int64_t k, int worker) {
    finishPart(parts.part(k, layout_.re, layout_.im), worker, f);
  });
  // A sum that overflows a class may hold in the next one; what `finish` makes of a good sum is
  // final.
  if (notFinite_.count() > 0 && !(badSums_ && variant_->klass != FACET_F64))
    throw notFinite_.error(work_.kernel, work_.grid);
}

} // namespace facet::runtime
