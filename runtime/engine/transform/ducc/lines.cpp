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

namespace {

using Vector = ducc0::native_simd<double>;
using Numbers = ducc0::Cmplx<Vector>; // a number of each of `together` lines
constexpr std::ptrdiff_t together = Vector::size();

using V2 = double __attribute__((vector_size(16)));
using V4 = double __attribute__((vector_size(32)));

V2 numberAt(const double *from) {
  V2 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// Loads the numbers at `offset` from `at`. The second and third of four lines change places.
void load(const double *at, const std::ptrdiff_t *offset, Numbers &to) {
  if constexpr (together == 4) {
    const V4 a = __builtin_shufflevector(numberAt(at + offset[0]), numberAt(at + offset[1]), 0, 1,
                                         2, 3),
             b = __builtin_shufflevector(numberAt(at + offset[2]), numberAt(at + offset[3]), 0, 1,
                                         2, 3);
    const V4 re = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             im = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    std::memcpy(&to.r, &re, sizeof re);
    std::memcpy(&to.i, &im, sizeof im);
  } else {
    for (std::ptrdiff_t l = 0; l < together; ++l) {
      to.r[l] = at[offset[l]];
      to.i[l] = at[offset[l] + 1];
    }
  }
}

void store(const Numbers &from, double *at, const std::ptrdiff_t *offset) {
  if constexpr (together == 4) {
    V4 re, im;
    std::memcpy(&re, &from.r, sizeof re);
    std::memcpy(&im, &from.i, sizeof im);
    const V4 a = __builtin_shufflevector(re, im, 0, 4, 2, 6),
             b = __builtin_shufflevector(re, im, 1, 5, 3, 7);
    std::memcpy(at + offset[0], &a, 16);
    std::memcpy(at + offset[1], reinterpret_cast<const char *>(&a) + 16, 16);
    std::memcpy(at + offset[2], &b, 16);
    std::memcpy(at + offset[3], reinterpret_cast<const char *>(&b) + 16, 16);
  } else {
    for (std::ptrdiff_t l = 0; l < together; ++l) {
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

} // namespace

extern "C" void FACET_LINES(std::complex<double> *values, const FacetLines *lines) {
  const FacetLines &of = *lines;
  const auto plan = ducc0::detail_fft::get_plan<ducc0::detail_fft::pocketfft_c<double>>(of.length);
  ducc0::aligned_array<Numbers> line(of.length), room(plan->bufsize());
  const std::ptrdiff_t all = of.n[0] * of.n[1];
  for (std::ptrdiff_t first = 0; first < all; first += together) {
    std::ptrdiff_t offset[together]; // of a number's real part; behind the last line: of the last
    for (std::ptrdiff_t l = 0; l < together; ++l) {
      const std::ptrdiff_t i = std::min(first + l, all - 1);
      offset[l] = 2 * (i % of.n[0] * of.from[0] + i / of.n[0] * of.from[1]);
    }
    if (of.in[1] < of.length)
      std::memset(static_cast<void *>(line.data()), 0, of.length * sizeof(Numbers));
    auto *numbers = reinterpret_cast<double *>(values);
    eachStretch(of.in, of.length, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t j = begin; j < end; ++j)
        load(numbers + 2 * j * of.step, offset, line[j]);
    });
    const Numbers *made = plan->exec(line.data(), room.data(), 1.0, of.sign < 0);
    eachStretch(of.out, of.length, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t j = begin; j < end; ++j)
        store(made[j], numbers + 2 * j * of.step, offset);
    });
  }
}
