// real.h - the real numbers of the language and their elementary functions.
//
// Under facet (FACET_COMPILER) no standard header is read: parsing stays fast and hermetic. Under
// any other compiler the functions are those of <cmath>, imported by name so that a kernel file
// that also includes <cmath> has one sin, not two.
#pragma once

#ifndef FACET_REAL
#define FACET_REAL double // the tests that judge double itself say long double
#endif
// Programs that hold kernels of two precisions give the second a namespace: without it the linker
// would take facet::cplx of doubles and of long doubles for one class.
#ifdef FACET_REAL_NAMESPACE
#define FACET_LANGUAGE_BEGIN                                                                       \
  namespace facet {                                                                                \
  inline namespace FACET_REAL_NAMESPACE {
#define FACET_LANGUAGE_END                                                                         \
  }                                                                                                \
  }
#else
#define FACET_LANGUAGE_BEGIN namespace facet {
#define FACET_LANGUAGE_END }
#endif

#ifndef FACET_COMPILER
#include <cmath>
#endif

FACET_LANGUAGE_BEGIN

/// A real number: lengths in nm, q in nm^-1, angles in radians.
using real = FACET_REAL;

/// A column that grows as the power of a particle's size: scaled<1> a length, scaled<3> a volume.
template <int Power> using scaled = real;

inline constexpr real pi = 3.141592653589793238462643383279502884L;

#ifdef FACET_COMPILER
#define FACET_ELEMENTARY(name)                                                                     \
  inline real name(real x) {                                                                       \
    if constexpr (sizeof(real) > sizeof(double))                                                   \
      return __builtin_##name##l(x);                                                               \
    else                                                                                           \
      return __builtin_##name(x);                                                                  \
  }
FACET_ELEMENTARY(sqrt)
FACET_ELEMENTARY(exp)
FACET_ELEMENTARY(expm1) // e^x - 1, exact near 0
FACET_ELEMENTARY(sin)   // radians
FACET_ELEMENTARY(cos)
FACET_ELEMENTARY(log)
FACET_ELEMENTARY(erf)
FACET_ELEMENTARY(erfc) // 1 - erf(x), exact in the tail
namespace detail {
FACET_ELEMENTARY(sinh)
FACET_ELEMENTARY(cosh)
} // namespace detail
#undef FACET_ELEMENTARY
#define FACET_OF_TWO(name)                                                                         \
  inline real name(real x, real y) {                                                               \
    if constexpr (sizeof(real) > sizeof(double))                                                   \
      return __builtin_##name##l(x, y);                                                            \
    else                                                                                           \
      return __builtin_##name(x, y);                                                               \
  }
FACET_OF_TWO(atan2) // the angle of (y, x), radians
FACET_OF_TWO(pow)   // y is a constant
#undef FACET_OF_TWO
inline real abs(real x) { return x < 0 ? -x : x; }
#else
using std::abs;
using std::atan2;
using std::cos;
using std::erf;
using std::erfc;
using std::exp;
using std::expm1;
using std::log;
using std::pow;
using std::sin;
using std::sqrt;
namespace detail {
using std::cosh;
using std::sinh;
} // namespace detail
#endif

/// sin(x) / x, 1 at 0; near 0 by its series, as sinc of a cplx, so that dual numbers keep their
/// digits.
inline real sinc(real x) {
  const real square = x * x;
  return square > real(1e-6L) ? sin(x) / x : 1 - square / 6 * (1 - square / 20);
}

namespace detail {
/// The derivative of sinc over x, from x^2, |x| <= 1: sum (-1)^k 2k x^{2k-2} / (2k+1)!. The next
/// term is below 1e-22.
template <class Square> Square sinc_slope_series(Square square) {
  Square sum(1);
  for (int k = 11; k > 0; --k)
    sum = 1 - square * sum / real(2 * k * (2 * k + 3));
  return -sum / 3;
}
} // namespace detail

/// The derivative of sinc, (cos(x) - sinc(x)) / x, 0 at 0, by its series for |x| <= 1. Not for
/// kernels: derivatives of kernels are made with it.
inline real sinc_slope(real x) {
  return x * x > 1 ? (cos(x) - sin(x) / x) / x : x * detail::sinc_slope_series(x * x);
}

constexpr real min(real a, real b) { return b < a ? b : a; }
constexpr real max(real a, real b) { return a < b ? b : a; }

/// The parts and the conjugate of a real number, so that a kernel reads the same for real and
/// complex q; norm2 is |x|^2.
constexpr real re(real x) { return x; }
constexpr real im(real) { return 0; }
constexpr real conj(real x) { return x; }
constexpr real norm2(real x) { return x * x; }

/// b if a is true, else c. Both are computed; `a ? b : c` means the same in a kernel.
constexpr real select(bool a, real b, real c) { return a ? b : c; }

FACET_LANGUAGE_END
