// by_hand.cpp - F as a careful programmer makes it of a NUFFT library.
//
// What depends on points and q alone is kept while these stay: the waves that move the sum to the
// middle of the q, the points in the library's units. Loops are compiled for this CPU.
#include "nufft.h"
#include <algorithm>
#include <cmath>

namespace facet::rivals {
namespace {

template <class Real> class Summed : public ByHand {
  using Complex = std::complex<Real>;

public:
  Summed(const Corners &mesh, const Places &places, const ByHandOptions &options)
      : places_(places), options_(options) {
    TransformShape shape;
    shape.transforms = options.strengths, shape.eps = options.eps, shape.threads = options.threads;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::vector<double> &q = places.q[k];
      const auto [low, high] = std::minmax_element(q.begin(), q.end());
      const bool transformed = *low < *high;
      centre_[k] = places.list && transformed ? 0 : q[q.size() / 2];
      if (!transformed)
        continue;
      axes_.push_back(k);
      if (!places.list)
        shape.modes.push_back(q.size());
      else
        targets_.push_back(q);
    }
    shape.axes = axes_.size();
    count_ = places.list ? places.q[0].size()
                         : places.q[0].size() * places.q[1].size() * places.q[2].size();
    transform_ = transformOf<Real>(options.library, shape);
    sums_.resize(count_ * options.strengths);
    setMesh(mesh);
  }

  void setMesh(const Corners &mesh) final {
    const std::size_t n = mesh.size();
    for (std::size_t k = 0; k < 3; ++k)
      w_[k].resize(n), c_[k].resize(n);
    area_.resize(n), wave_.resize(n), strengths_.resize(options_.strengths * n);
#pragma omp parallel for num_threads(options_.threads) schedule(static)
    for (std::size_t t = 0; t < n; ++t)
      setRecord(mesh[t], t);
    points_.resize(axes_.size());
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const std::vector<double> &q = places_.q[axes_[k]], &c = c_[axes_[k]];
      const double step =
          places_.list ? 1 : (q.back() - q.front()) / static_cast<double>(q.size() - 1);
      points_[k].resize(n);
      for (std::size_t t = 0; t < n; ++t)
        points_[k][t] = step * c[t];
    }
    setWaves();
    transform_->setPoints(points_, targets_);
  }

  void run() final {
    const std::size_t n = wave_.size();
    for (std::size_t k = 0; k < options_.strengths; ++k) {
      const double *const w = options_.strengths == 1 ? area_.data() : w_[k].data();
      for (std::size_t t = 0; t < n; ++t)
        strengths_[k * n + t] = static_cast<Real>(w[t]) * wave_[t];
    }
    transform_->execute(strengths_, sums_);
    if (options_.strengths == 3)
      combine();
  }

  std::complex<double> at(std::size_t i) const final {
    return options_.strengths == 1 ? sums_[i] : f_[i];
  }

private:
  void setRecord(const std::array<std::array<double, 3>, 3> &v, std::size_t t) {
    std::array<double, 3> a, b;
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = v[1][k] - v[0][k], b[k] = v[2][k] - v[0][k];
      c_[k][t] = (v[0][k] + v[1][k] + v[2][k]) / 3;
    }
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      w_[k][t] = (a[i] * b[j] - a[j] * b[i]) / 2;
      square += w_[k][t] * w_[k][t];
    }
    area_[t] = std::sqrt(square);
  }

  /// Waves of the records at the middle of the q; sines and cosines in loops of their own.
  void setWaves() {
    constexpr std::size_t Buffer = 512;
    const std::size_t n = wave_.size();
#pragma omp parallel for num_threads(options_.threads) schedule(static)
    for (std::size_t begin = 0; begin < n; begin += Buffer) {
      std::array<double, Buffer> phase, re, im;
      const std::size_t k = std::min(Buffer, n - begin);
      for (std::size_t t = 0; t < k; ++t)
        phase[t] = centre_[0] * c_[0][begin + t] + centre_[1] * c_[1][begin + t] +
                   centre_[2] * c_[2][begin + t];
      for (std::size_t t = 0; t < k; ++t)
        re[t] = std::cos(phase[t]);
      for (std::size_t t = 0; t < k; ++t)
        im[t] = std::sin(phase[t]);
      for (std::size_t t = 0; t < k; ++t)
        wave_[begin + t] = {static_cast<Real>(re[t]), static_cast<Real>(im[t])};
    }
  }

  /// One row: q.x and q.y of the first, each q its own in lists.
  void combineRow(std::size_t begin, std::size_t n, std::size_t ix, std::size_t iy,
                  std::size_t stride) {
    const double *const x = places_.q[0].data() + ix, *const y = places_.q[1].data() + iy,
                        *const z = places_.q[2].data() + (stride == 0 ? 0 : begin);
    const Complex *const sx = sums_.data() + begin, *const sy = sx + count_,
                         *const sz = sy + count_;
    Complex *const f = f_.data() + begin;
    for (std::size_t i = 0; i < n; ++i) {
      const Real qx = static_cast<Real>(x[i * stride]), qy = static_cast<Real>(y[i * stride]),
                 qz = static_cast<Real>(z[i]);
      const Real scale = 1 / (qx * qx + qy * qy + qz * qz);
      const Real re = qx * sx[i].real() + qy * sy[i].real() + qz * sz[i].real(),
                 im = qx * sx[i].imag() + qy * sy[i].imag() + qz * sz[i].imag();
      f[i] = {scale * im, -scale * re};
    }
  }

  void combine() {
    f_.resize(count_);
    const std::size_t nz = places_.list ? 4096 : places_.q[2].size(), ny = places_.q[1].size();
    const std::size_t rows = (count_ + nz - 1) / nz;
#pragma omp parallel for num_threads(options_.threads) schedule(static)
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t begin = row * nz, n = std::min(nz, count_ - begin);
      if (places_.list)
        combineRow(begin, n, begin, begin, 1);
      else
        combineRow(begin, n, row / ny, row % ny, 0);
    }
  }

  Places places_;
  ByHandOptions options_;
  std::array<double, 3> centre_{};
  std::vector<std::size_t> axes_;
  std::size_t count_ = 0;
  Coordinates points_, targets_;
  std::array<std::vector<double>, 3> w_, c_;
  std::vector<double> area_;
  std::unique_ptr<Transform<Real>> transform_;
  std::vector<Complex> wave_, strengths_, sums_, f_;
};

} // namespace

std::unique_ptr<ByHand> byHand(const Corners &mesh, const Places &places,
                               const ByHandOptions &options) {
  if (options.floats)
    return std::make_unique<Summed<float>>(mesh, places, options);
  return std::make_unique<Summed<double>>(mesh, places, options);
}

} // namespace facet::rivals
