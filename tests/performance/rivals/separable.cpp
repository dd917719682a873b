// separable.cpp - the rival: tables of phases by libmvec, products by OpenBLAS.
#include "rivals.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

// The OpenBLAS of NumPy's wheel has names of its own and 64-bit sizes; others the usual ones.
#ifdef RIVAL_BLAS64
using Size = std::int64_t;
#define BLAS(name) scipy_##name##64_
#else
using Size = int;
#define BLAS(name) name
#endif
extern "C" {
void BLAS(cblas_cgemm)(int, int, int, Size, Size, Size, const void *, const void *, Size,
                       const void *, Size, const void *, void *, Size);
void BLAS(cblas_zgemm)(int, int, int, Size, Size, Size, const void *, const void *, Size,
                       const void *, Size, const void *, void *, Size);
void BLAS(cblas_cgemm3m)(int, int, int, Size, Size, Size, const void *, const void *, Size,
                         const void *, Size, const void *, void *, Size);
void BLAS(cblas_zgemm3m)(int, int, int, Size, Size, Size, const void *, const void *, Size,
                         const void *, Size, const void *, void *, Size);
void BLAS(openblas_set_num_threads)(int);
char *BLAS(openblas_get_config)();
char *BLAS(openblas_get_corename)();
}

namespace facet::rivals {
namespace {

constexpr int rowMajor = 101, asIs = 111; // of cblas.h

template <class Real> using Matrix = std::vector<std::complex<Real>>;

/// c += a b: a is rows x inner, b inner x columns.
template <class Real>
void product(Size rows, Size columns, Size inner, const Matrix<Real> &a, const Matrix<Real> &b,
             Matrix<Real> &c, bool add, bool three) {
  const std::complex<Real> one = 1;
  const std::complex<Real> beta = add ? 1 : 0;
  const auto gemm = sizeof(Real) == 4 ? (three ? BLAS(cblas_cgemm3m) : BLAS(cblas_cgemm))
                                      : (three ? BLAS(cblas_zgemm3m) : BLAS(cblas_zgemm));
  gemm(rowMajor, asIs, asIs, rows, columns, inner, &one, a.data(), inner, b.data(), columns, &beta,
       c.data(), columns);
}

} // namespace

template <class Real>
void blas(const Columns<Real> &m, double x, const std::vector<double> &y,
          const std::vector<double> &z, const std::vector<double> &zi, int block, bool three,
          std::vector<std::complex<Real>> &f) {
  BLAS(openblas_set_num_threads)(1);
  const std::size_t ny = y.size(), nz = z.size(), nt = m.c[0].size();
  const std::size_t most = std::min(static_cast<std::size_t>(block), nt);
  Matrix<Real> a(2 * ny * most), b(most * nz), sums(2 * ny * nz);
  std::vector<Real> phase(std::max(most, nz)), co(phase.size()), si(phase.size()),
      decay(phase.size(), 1);
  const auto qx = static_cast<Real>(x);
  for (std::size_t t0 = 0; t0 < nt; t0 += most) {
    const std::size_t n = std::min(most, nt - t0);
    const Real *wx = m.w[0].data() + t0, *wy = m.w[1].data() + t0, *wz = m.w[2].data() + t0;
    const Real *cx = m.c[0].data() + t0, *cy = m.c[1].data() + t0, *cz = m.c[2].data() + t0;
    const auto waves = [&](std::size_t count) {
      for (std::size_t k = 0; k < count; ++k)
        co[k] = std::cos(phase[k]);
      for (std::size_t k = 0; k < count; ++k)
        si[k] = std::sin(phase[k]);
    };
    for (std::size_t j = 0; j < ny; ++j) {
      const auto qy = static_cast<Real>(y[j]);
      for (std::size_t t = 0; t < n; ++t)
        phase[t] = qx * cx[t] + qy * cy[t];
      waves(n);
      std::complex<Real> *first = a.data() + j * n, *second = a.data() + (ny + j) * n;
      for (std::size_t t = 0; t < n; ++t) {
        const Real w = qx * wx[t] + qy * wy[t];
        first[t] = {w * co[t], w * si[t]};
        second[t] = {wz[t] * co[t], wz[t] * si[t]};
      }
    }
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t k = 0; k < nz; ++k)
        phase[k] = static_cast<Real>(z[k]) * cz[t];
      waves(nz);
      if (!zi.empty())
        for (std::size_t k = 0; k < nz; ++k)
          decay[k] = std::exp(-static_cast<Real>(zi[k]) * cz[t]);
      std::complex<Real> *row = b.data() + t * nz;
      for (std::size_t k = 0; k < nz; ++k)
        row[k] = {decay[k] * co[k], decay[k] * si[k]};
    }
    product<Real>(static_cast<Size>(2 * ny), static_cast<Size>(nz), static_cast<Size>(n), a, b,
                  sums, t0 > 0, three);
  }
  f.resize(ny * nz);
  for (std::size_t j = 0; j < ny; ++j)
    for (std::size_t k = 0; k < nz; ++k) {
      const std::complex<Real> q(static_cast<Real>(z[k]),
                                 zi.empty() ? 0 : static_cast<Real>(zi[k]));
      f[j * nz + k] = sums[j * nz + k] + q * sums[(ny + j) * nz + k];
    }
}

template void blas(const Columns<float> &, double, const std::vector<double> &,
                   const std::vector<double> &, const std::vector<double> &, int, bool,
                   std::vector<std::complex<float>> &);
template void blas(const Columns<double> &, double, const std::vector<double> &,
                   const std::vector<double> &, const std::vector<double> &, int, bool,
                   std::vector<std::complex<double>> &);

std::string blasName() {
  return std::string(BLAS(openblas_get_config)()) + ", kernel " + BLAS(openblas_get_corename)();
}

void useOwnBlasKernel(char **argv) {
  if (std::getenv("OPENBLAS_CORETYPE") == nullptr)
    return;
  unsetenv("OPENBLAS_CORETYPE");
  execv("/proc/self/exe", argv);
  std::perror("cannot start again without OPENBLAS_CORETYPE");
  std::exit(2);
}

} // namespace facet::rivals
