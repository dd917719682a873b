// layout.h - what layouts of transforms are made of: ranges of axes, Chebyshev nodes for the axes
// that are interpolated, windows and fine grids, and the cost of a call. Also cis, exp and range of
// blocks of numbers.
#pragma once
#include "runtime/engine/transform/nufft/transforms.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {

/// What the choice of transforms needs to know of an axis.
struct AxisFacts {
  std::int64_t n = 1;
  double low = 0, high = 0;     // of the real part
  double imLow = 0, imHigh = 0; // of the imaginary part
  bool uniform = false;         // equidistant to rounding: value i is first + i * step
  double first = 0, step = 0;   // step below 0: descending

  double half() const { return 0.5 * (high - low); }
  bool constant() const { return low == high && imLow == imHigh; }
  bool imVaries() const { return imLow != imHigh; }
  double largest() const { return std::max(std::abs(low), std::abs(high)); } // max |re|
};

/// Facts of n values from `first` on, of an axis or of a component of a list; of all if n is -1.
AxisFacts factsOf(const Axis &values, std::int64_t first = 0, std::int64_t n = -1);

/// The values of an interpolated scalar: along its axis, or at each q of the grid.
const std::vector<double> &valuesOf(const InterpolatedScalar &u, const Grid &grid,
                                    const NufftRequest &request);

// Interpolation of e^{i q c} in q from a few nodes, with its error bound.

/// Chebyshev points of the first kind of an interval, for barycentric interpolation.
struct Chebyshev {
  std::vector<double> nodes, weights;
  /// If count is 1 the node is the middle.
  Chebyshev(double low, double high, int count);
  /// values[r] = the Lagrange polynomial of node r at q (their sum is 1).
  void lagrange(double q, double *values) const;
  /// The same for many q, one after the other: [q][node].
  std::vector<double> lagrange(std::span<const double> q) const;
  /// The derivatives of these polynomials by q, from their values.
  std::vector<double> slopes(std::span<const double> lagrange) const;
};

/// Interpolation of f(q) = e^{z (q - middle) / half}, |z| <= a, real or complex, on the interval
/// middle -+ half from R Chebyshev points of the first kind errs by at most
///   2 (a/2)^R / R! * max|f|,
/// as |f - p| <= max|f^(R)| / R! * max|prod (q - q_r)|, the last being 2 (half/2)^R for these
/// points (Trefethen, Approximation Theory and Approximation Practice, ch. 11 and 8; for complex f
/// by the Hermite-Genocchi form of the divided difference). The least R <= `most` for which
/// factor * 2 (a/2)^R / R! <= tolerance; 0 if there is none.
int chebyshevCount(double a, double factor, double tolerance, int most);
/// The same for both f and its derivative, relative to a / half max|f|. The derivative of p errs by
/// R^2 / a times as much, as its error is at most max|f^(R)| / R! * max|d prod (q - q_r) / dq|
/// (Shadrin, J. Approx. Theory 80 (1995) 25), and T_R has slopes up to R^2.
int chebyshevSlopeCount(double a, double factor, double tolerance, int most);

/// The most by which interpolation from `count` points can enlarge errors of the values at the
/// nodes: the Lebesgue constant, 1 + 2/pi log R (the same book, theorem 15.2). For e^{-q c} with
/// |c| half <= a > 0, and both errors relative to e^{q a / half}, the size at that q, it is
///   max over x in [-1, 1] of sum_r |l_r(x)| e^{a (x_r - x)}, from 129 x.
double lebesgueBound(int count, double a = 0);

// Fine grids.

/// The least even number not below n without prime factors above 5.
std::int64_t smoothEven(std::int64_t n);
/// The width that the window of a call needs for its eps; above Window::Widest: none is enough.
int widthOf(const NufftCall &call, double upsampling);
/// Whether a call may have grids of floats: rounding is not far above its eps. Derivatives are in
/// double.
bool maySingle(const NufftCall &call);
/// Sets upsampling, width and fine grid of a call with its modes and eps, for type 3 the inner grid
/// too. `half[d]` is half the extent of the points along axis d of the transform, nm.
void setSizes(NufftCall &call, double upsampling, const std::array<double, 3> &half = {});
/// The product, or the largest number there is if the product is larger.
std::int64_t product(const std::array<std::int64_t, 3> &n);

/// Whether the results of a call are weighted and added, not written where they belong.
inline bool isCombined(const NufftLayout &layout, const NufftCall &call) {
  return call.count > layout.request.transforms;
}
/// The cost of a call on one thread.
NufftCost callCost(const NufftLayout &layout, const NufftCall &call,
                   const NufftConstants &constants);

/// Points that lie off the middle of their box by less than this part of the half extent need not
/// be centred.
constexpr double NufftUncentred = 1e-3;

// Numbers in blocks, by vector code.

/// re, im = cos and sin of each phase (radians); to 4 units in the last place.
void cisOf(const double *phase, double *re, double *im, std::int64_t n);
/// out = e^value.
void expOf(const double *value, double *out, std::int64_t n);
/// The least and the largest of n finite numbers, n > 0.
void rangeOf(const double *values, std::int64_t n, double &low, double &high);
/// The largest |value|.
double largestOf(const double *values, std::int64_t n);
/// to[i] = factor by[i] from[i], n complex numbers.
void correctedOf(const float *from, const double *by, double factor, float *to, std::int64_t n);
void correctedOf(const float *from, const double *by, double factor, double *to, std::int64_t n);
void correctedOf(const double *from, const double *by, double factor, float *to, std::int64_t n);
void correctedOf(const double *from, const double *by, double factor, double *to, std::int64_t n);

} // namespace facet::runtime
