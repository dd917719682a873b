// finish.cpp - finished sums to F: chunks added, centring undone, q = 0 set, what is not finite
// found.
#include "runtime/plan/sums/sums.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr std::int64_t partOfPoints = 4096;

/// e^{i q c} with q = re + i im.
std::complex<double> cis(double re, double im, double c) {
  const double size = std::exp(-im * c);
  return {size * std::cos(re * c), size * std::sin(re * c)};
}

} // namespace

std::string showQ(const std::array<std::complex<double>, 3> &q) {
  std::string text;
  for (const std::complex<double> &c : q) {
    text += fmt::format("{}{:.6g}", text.empty() ? "(" : ", ", c.real());
    if (c.imag() != 0)
      text += fmt::format("{:+.6g}i", c.imag());
  }
  return text + ")";
}

Error notFiniteError(const Kernel &kernel, const Grid &grid, std::int64_t count,
                     std::int64_t first) {
  const auto q = grid.at(first);
  const bool atZero = q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0;
  return {std::string("kernel ") + kernel->name,
          fmt::format("F is not finite at {} of {} q, first at q = {} nm^-1", count, grid.size(),
                      showQ(q)),
          atZero ? "give the kernel an `origin` (the value at q = 0), or keep q = 0 off the grid"
                 : "`finish` divides by zero or overflows there: move the grid, or change "
                   "the kernel"};
}

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

void Sums::finishRow(std::int64_t row, int worker, std::vector<std::complex<double>> &f) {
  const Layout &l = layout_;
  const bool product = l.kind == FACET_PRODUCT;
  const std::int64_t first = product ? row * l.n[2] : row * partOfPoints;
  const std::int64_t count = product ? l.n[2] : std::min(partOfPoints, l.n[0] - first);
  double *re = buffers_[static_cast<std::size_t>(worker)].data(), *im = re + count;
  double *fRe = im + count, *fIm = fRe + count;
  gather(first, count, re, im);
  const std::array<std::int64_t, 3> at =
      product ? std::array<std::int64_t, 3>{row / l.n[1], row % l.n[1], 0}
              : std::array<std::int64_t, 3>{first, first, first};
  const std::int64_t stride[3] = {product ? 0 : 1, product ? 0 : 1, 1};
  const double *qRe[3], *qIm[3];
  for (int k = 0; k < 3; ++k) {
    qRe[k] = l.re[k].data() + at[k];
    qIm[k] = l.im[k].empty() ? nullptr : l.im[k].data() + at[k];
  }
  variant_->finish(qRe, qIm, stride, count, work_.params.data(), totals_.values(), re, im, fRe,
                   fIm);
  for (std::int64_t i = 0; i < count; ++i)
    f[static_cast<std::size_t>(first + i)] = {fRe[i], fIm[i]};
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isfinite(fRe[i]) && std::isfinite(fIm[i]))
      continue;
    if (std::binary_search(work_.zeros.begin(), work_.zeros.end(), first + i))
      continue;
    badSums_ = badSums_ || !std::isfinite(re[i]) || !std::isfinite(im[i]);
    ++notFinite_;
    for (std::int64_t seen = firstNotFinite_;
         first + i < seen && !firstNotFinite_.compare_exchange_weak(seen, first + i);) {
    }
  }
}

void Sums::finish(std::vector<std::complex<double>> &f) {
  notFinite_ = 0;
  firstNotFinite_ = layout_.size();
  badSums_ = false;
  const bool product = layout_.kind == FACET_PRODUCT;
  for (std::size_t k = 0; k < 3 && product && work_.records.isCentred(); ++k) {
    turn_[k].resize(static_cast<std::size_t>(layout_.n[k]));
    for (std::size_t i = 0; i < turn_[k].size(); ++i)
      turn_[k][i] = cis(layout_.re[k][i], layout_.im[k].empty() ? 0 : layout_.im[k][i],
                        work_.records.centre()[k]);
  }
  const std::int64_t tasks =
      product ? layout_.n[0] * layout_.n[1] : (layout_.n[0] + partOfPoints - 1) / partOfPoints;
  // One buffer a thread, kept between executions.
  buffers_.resize(static_cast<std::size_t>(work_.pool.size()));
  for (std::vector<double> &buffer : buffers_)
    buffer.resize(static_cast<std::size_t>(
        4 * (product ? layout_.n[2] : std::min(partOfPoints, layout_.n[0]))));
  work_.pool.run(tasks, [&](std::int64_t row, int worker) { finishRow(row, worker, f); });
  // A sum that overflows a class may hold in the next one; what `finish` makes of a good sum is
  // final.
  if (notFinite_ > 0 && !(badSums_ && variant_->klass != FACET_F64))
    throw notFiniteError(work_.kernel, work_.grid, notFinite_, firstNotFinite_);
}

} // namespace facet::runtime
