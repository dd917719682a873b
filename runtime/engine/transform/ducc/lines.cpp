// lines.cpp - Fourier transforms of lines, by DUCC's templates, which choose the length of vectors
// as they are compiled. So this file is compiled for several processors. FACET_LINES is the name of
// its function, and all else in it is made local afterwards (CMakeLists.txt).
#include "ducc0/infra/string_utils.cc"
#include "ducc0/infra/threading.cc"

#include "ducc0/fft/fft.h"
#include "ducc0/fft/fftnd_impl.h"
#include "ducc0/infra/mav.cc"
#include "runtime/engine/transform/ducc/lines.h"
#include <cstring>
#include <utility>

namespace {

template <class T> using Vector = ducc0::native_simd<T>;
template <class T> using Numbers = ducc0::Cmplx<Vector<T>>; // a number of each of some lines

using V2 = double __attribute__((vector_size(16)));
using V4 = double __attribute__((vector_size(32)));
using V8 = float __attribute__((vector_size(32)));

/// How vectors of 32 bytes hold numbers of some lines: as two vectors of numbers, or as one of real
/// and one of imaginary parts. A `Whole` is a number of a line. Lines change places, so that
/// shuffles stay in the halves of vectors.
template <class T> struct Shuffles;
template <> struct Shuffles<double> {
  using Whole = V2;
  using All = V4;
  static V4 join(V2 a, V2 b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3); }
  static V4 re(V4 a, V4 b) { return __builtin_shufflevector(a, b, 0, 4, 2, 6); }
  static V4 im(V4 a, V4 b) { return __builtin_shufflevector(a, b, 1, 5, 3, 7); }
  static V4 first(V4 re, V4 im) { return __builtin_shufflevector(re, im, 0, 4, 2, 6); }
  static V4 second(V4 re, V4 im) { return __builtin_shufflevector(re, im, 1, 5, 3, 7); }
};
template <> struct Shuffles<float> {
  using Whole = double; // bits of two floats
  using All = V8;
  static V8 join(double a, double b, double c, double d) { return (V8)V4{a, b, c, d}; }
  static V8 re(V8 a, V8 b) { return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14); }
  static V8 im(V8 a, V8 b) { return __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15); }
  static V8 first(V8 re, V8 im) {
    return __builtin_shufflevector(re, im, 0, 8, 1, 9, 4, 12, 5, 13);
  }
  static V8 second(V8 re, V8 im) {
    return __builtin_shufflevector(re, im, 2, 10, 3, 11, 6, 14, 7, 15);
  }
};

template <class To, class From> To bitsAt(const From *at) {
  To bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

/// The numbers at `offset` from `at`, half of a Numbers.
template <class T, std::size_t... l>
auto joined(const T *at, const std::ptrdiff_t *offset, std::index_sequence<l...>) {
  return Shuffles<T>::join(bitsAt<typename Shuffles<T>::Whole>(at + offset[l])...);
}

/// Loads the numbers at `offset` from `at`.
template <class T> void load(const T *at, const std::ptrdiff_t *offset, Numbers<T> &to) {
  constexpr std::size_t together = Vector<T>::size(), half = together / 2;
  if constexpr (sizeof(Vector<T>) == sizeof(V4)) {
    constexpr auto each = std::make_index_sequence<half>();
    const auto a = joined(at, offset, each), b = joined(at, offset + half, each);
    const auto re = Shuffles<T>::re(a, b), im = Shuffles<T>::im(a, b);
    std::memcpy(&to.r, &re, sizeof re);
    std::memcpy(&to.i, &im, sizeof im);
  } else {
    for (std::size_t l = 0; l < together; ++l) {
      to.r[l] = at[offset[l]];
      to.i[l] = at[offset[l] + 1];
    }
  }
}

template <class T> void store(const Numbers<T> &from, T *at, const std::ptrdiff_t *offset) {
  constexpr std::size_t together = Vector<T>::size(), half = together / 2, bytes = 2 * sizeof(T);
  if constexpr (sizeof(Vector<T>) == sizeof(V4)) {
    typename Shuffles<T>::All re, im;
    std::memcpy(&re, &from.r, sizeof re);
    std::memcpy(&im, &from.i, sizeof im);
    const auto a = Shuffles<T>::first(re, im), b = Shuffles<T>::second(re, im);
    for (std::size_t l = 0; l < half; ++l) {
      std::memcpy(at + offset[l], reinterpret_cast<const char *>(&a) + l * bytes, bytes);
      std::memcpy(at + offset[half + l], reinterpret_cast<const char *>(&b) + l * bytes, bytes);
    }
  } else {
    for (std::size_t l = 0; l < together; ++l) {
      at[offset[l]] = from.r[l];
      at[offset[l] + 1] = from.i[l];
    }
  }
}

/// Calls use(first, end) for the numbers of a ring, in one or two stretches.
template <class Use>
void eachStretch(const std::ptrdiff_t (&ring)[2], std::ptrdiff_t length, const Use &use) {
  const std::ptrdiff_t first = ring[0] < 0 ? ring[0] + length : ring[0], end = first + ring[1];
  use(first, std::min(end, length));
  if (end > length)
    use(std::ptrdiff_t(0), end - length);
}

/// Room for n numbers, of this thread until it ends: the C library returns the pages of long lines
/// to the system, and new ones took longer than the transform.
template <class T> Numbers<T> *roomFor(std::size_t n) {
  static thread_local ducc0::aligned_array<Numbers<T>> room;
  if (room.size() < n)
    room = ducc0::aligned_array<Numbers<T>>(n);
  return room.data();
}

template <class T> void transformLines(T *values, const FacetLines &of) {
  constexpr std::ptrdiff_t together = Vector<T>::size();
  const auto plan = ducc0::detail_fft::get_plan<ducc0::detail_fft::pocketfft_c<T>>(of.length);
  const auto length = static_cast<std::size_t>(of.length);
  Numbers<T> *const line = roomFor<T>(length + plan->bufsize()), *const room = line + length;
  const std::ptrdiff_t all = of.n[0] * of.n[1];
  for (std::ptrdiff_t first = 0; first < all; first += together) {
    std::ptrdiff_t offset[together]; // of a number's real part; behind the last line: of the last
    for (std::ptrdiff_t l = 0; l < together; ++l) {
      const std::ptrdiff_t i = std::min(first + l, all - 1);
      offset[l] = 2 * (i % of.n[0] * of.from[0] + i / of.n[0] * of.from[1]);
    }
    if (of.in[1] < of.length)
      std::memset(static_cast<void *>(line), 0, of.length * sizeof(Numbers<T>));
    eachStretch(of.in, of.length, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t j = begin; j < end; ++j)
        load(values + 2 * j * of.step, offset, line[j]);
    });
    const Numbers<T> *made = plan->exec(line, room, T(1), of.sign < 0);
    eachStretch(of.out, of.length, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t j = begin; j < end; ++j)
        store(made[j], values + 2 * j * of.step, offset);
    });
  }
}

} // namespace

extern "C" void FACET_LINES(void *values, const FacetLines *lines) {
  if (lines->single)
    transformLines(static_cast<float *>(values), *lines);
  else
    transformLines(static_cast<double *>(values), *lines);
}
