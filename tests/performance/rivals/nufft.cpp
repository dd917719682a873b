// nufft.cpp - FINUFFT by hand: strengths, transforms, combination.
#include "nufft.h"
#include <cmath>

namespace facet::rivals {
namespace {
using Complex = std::complex<double>;
using facet::runtime::finufft::Plan;
constexpr double Auto = 0; // FINUFFT chooses its upsampling

Plan uniform(std::size_t ny, std::size_t nz, double eps) {
  const std::array<std::int64_t, 3> modes{static_cast<std::int64_t>(nz),
                                          static_cast<std::int64_t>(ny), 1};
  return {1, 2, modes.data(), 3, eps, Auto, 1};
}

/// F of born: -i / q.q times q.T.
Complex finish(double x, double y, double z, const Complex &tx, const Complex &ty,
               const Complex &tz) {
  const Complex sum = x * tx + y * ty + z * tz;
  const double scale = 1 / (x * x + y * y + z * z);
  return {scale * sum.imag(), -scale * sum.real()};
}

/// w_k e^{i (a.c)} for the three components of w.
void fill(const Flat &mesh, const std::array<double, 3> &a, std::vector<Complex> &to) {
  const std::size_t n = mesh.c[0].size();
  to.resize(3 * n);
  for (std::size_t t = 0; t < n; ++t) {
    const double phase = a[0] * mesh.c[0][t] + a[1] * mesh.c[1][t] + a[2] * mesh.c[2][t];
    const Complex wave(std::cos(phase), std::sin(phase));
    for (std::size_t k = 0; k < 3; ++k)
      to[k * n + t] = mesh.w[k][t] * wave;
  }
}
} // namespace

UniformByHand::UniformByHand(double qx, std::vector<double> qy, std::vector<double> qz, double eps)
    : qx_(qx), qy_(std::move(qy)), qz_(std::move(qz)), plan_(uniform(qy_.size(), qz_.size(), eps)),
      sums_(3 * qy_.size() * qz_.size()) {}

void UniformByHand::run(const Flat &mesh, std::vector<Complex> &f) {
  const std::size_t n = mesh.c[0].size(), ny = qy_.size(), nz = qz_.size();
  const double dy = (qy_.back() - qy_[0]) / static_cast<double>(ny - 1);
  const double dz = (qz_.back() - qz_[0]) / static_cast<double>(nz - 1);
  fill(mesh, {qx_, qy_[ny / 2], qz_[nz / 2]}, strengths_);
  x_[0].resize(n), x_[1].resize(n);
  for (std::size_t t = 0; t < n; ++t)
    x_[0][t] = dz * mesh.c[2][t], x_[1][t] = dy * mesh.c[1][t];
  const std::array<const double *, 3> at{x_[0].data(), x_[1].data(), nullptr};
  plan_.setPoints(mesh.size(), at.data());
  plan_.execute(strengths_.data(), sums_.data());
  f.resize(ny * nz);
  const Complex *const tx = sums_.data(), *const ty = tx + ny * nz, *const tz = ty + ny * nz;
  for (std::size_t y = 0; y < ny; ++y)
    for (std::size_t z = 0; z < nz; ++z) {
      const std::size_t i = y * nz + z;
      f[i] = finish(qx_, qy_[y], qz_[z], tx[i], ty[i], tz[i]);
    }
}

ListByHand::ListByHand(double qx, std::vector<double> qy, std::vector<double> qz, double eps)
    : qx_(qx), qy_(std::move(qy)), qz_(std::move(qz)), plan_(3, 2, nullptr, 3, eps, Auto, 1),
      sums_(3 * qy_.size()) {}

void ListByHand::run(const Flat &mesh, std::vector<Complex> &f) {
  const std::size_t n = qy_.size();
  fill(mesh, {qx_, 0, 0}, strengths_);
  const std::array<const double *, 3> at{mesh.c[2].data(), mesh.c[1].data(), nullptr};
  const std::array<const double *, 3> to{qz_.data(), qy_.data(), nullptr};
  plan_.setPoints(mesh.size(), at.data(), static_cast<std::int64_t>(n), to.data());
  plan_.execute(strengths_.data(), sums_.data());
  f.resize(n);
  const Complex *const tx = sums_.data(), *const ty = tx + n, *const tz = ty + n;
  for (std::size_t i = 0; i < n; ++i)
    f[i] = finish(qx_, qy_[i], qz_[i], tx[i], ty[i], tz[i]);
}

} // namespace facet::rivals
