// rivals.h - what sums are timed beside: what a careful C++ programmer writes without facet.
//
// Sines, cosines and exponentials stand in loops of their own, which the compiler turns into calls
// of libmvec, but for those of fused sums. Each file is compiled for this CPU (native) and, but for
// BLAS, for AVX2.
#pragma once
#include <array>
#include <complex>
#include <string>
#include <vector>

namespace facet::rivals {

/// Records as structures of arrays, nm: areas times normals w, centroids c, and for exact means the
/// corners v0, v1 less c.
template <class Real> struct Columns {
  std::array<std::vector<Real>, 3> w, c, first, second;
};

/// Every q of a grid (zi: imaginary parts of z), and the sums there.
struct Points {
  std::vector<double> x, y, z, zi, re, im;
};

/// The classic integrand (q.w) e^{i q.c} at every point, over a buffer of 512 phases.
using DirectSum = void (*)(const Columns<float> &records, Points &points);
void real_native(const Columns<float> &, Points &);
void complex_native(const Columns<float> &, Points &);
void real_avx2(const Columns<float> &, Points &);
void complex_avx2(const Columns<float> &, Points &);
/// The same with sines, cosines and exponentials by polynomials of its own, in one loop.
void fused_real_native(const Columns<float> &, Points &);
void fused_complex_native(const Columns<float> &, Points &);
void fused_real_avx2(const Columns<float> &, Points &);
void fused_complex_avx2(const Columns<float> &, Points &);

/// Sums of (q.w) mean(e^{iu} - 1), u = q.r over the triangle, on a grid 1 x ny x nz of real q. The
/// formula of <facet/mean_cis.h>: with the phase of the centroid taken out, a series if the
/// corners' phases are close and a divided difference elsewhere, chosen by select. Sums of a block
/// of records in Real, of blocks in double.
template <class Real>
using ExactSum = void (*)(const Columns<Real> &records, double x, const std::vector<double> &y,
                          const std::vector<double> &z, double *re, double *im);
#define FACET_EXACT_RIVAL(Real, name)                                                              \
  void name(const Columns<Real> &, double, const std::vector<double> &,                            \
            const std::vector<double> &, double *, double *);
FACET_EXACT_RIVAL(float, exact_native)
FACET_EXACT_RIVAL(double, exact_native)
FACET_EXACT_RIVAL(float, exact_avx2)
FACET_EXACT_RIVAL(double, exact_avx2)
#undef FACET_EXACT_RIVAL

/// A portfolio as structures of arrays, stocks (foreign 0) before bonds (1). It is summed on
/// markets x, y, z for this CPU: with a choice for each position, and with the two kinds in loops
/// of their own.
struct Positions {
  std::vector<double> amount, foreign, years;
};
void worth(const Positions &positions, const Points &markets, double *worth);
void worthSorted(const Positions &positions, const Points &markets, double *worth);

/// The plasmon-pole sum: n waves G, w and inner [others, n], m [bands, n]; sums [energies, others,
/// bands]. `simpler`: by the algebra of facet's example, else by the formulas as they are
/// published.
struct Poles {
  std::size_t n = 0, others = 0;
  std::vector<double> wr, wi, ir, ii, mr, mi, energies, bands;
};
void poles(const Poles &poles, bool simpler, std::vector<std::complex<double>> &exchange,
           std::vector<std::complex<double>> &hole);

/// Whether this build has OpenBLAS; the rest may be called only then.
#ifdef FACET_RIVAL_BLAS
constexpr bool hasBlas = true;
#else
constexpr bool hasBlas = false;
#endif

/// F = sum over t of (q.w) e^{i q.c} on a grid 1 x ny x nz; zi: imaginary parts of z, empty if
/// real. Two complex products [ny x t][t x nz], stacked into one call of OpenBLAS:
/// W1 = (q.x w.x + q.y w.y) e^{i (q.x c.x + q.y c.y)}, W2 = w.z e^{..}; F = W1 E + q.z W2 E. Phases
/// of `block` records at a time. f: ny * nz values. One thread. `three`: complex products by three
/// real ones, cgemm3m and zgemm3m.
template <class Real>
void blas(const Columns<Real> &records, double x, const std::vector<double> &y,
          const std::vector<double> &z, const std::vector<double> &zi, int block, bool three,
          std::vector<std::complex<Real>> &f);

/// "OpenBLAS 0.3.31 ... SkylakeX": what the products are computed with.
std::string blasName();

/// OpenBLAS obeys $OPENBLAS_CORETYPE, which some machines set to an older CPU than theirs, when it
/// is loaded. Starts this program once more without it.
void useOwnBlasKernel(char **argv);

} // namespace facet::rivals
