// lines.cpp - Fourier transforms of lines, by DUCC's templates, which choose the length of vectors as they are compiled: this file is compiled
// for several processors, FACET_LINES being the name of its function, and all else in it is made local afterwards (CMakeLists.txt).
#include "ducc0/infra/string_utils.cc"
#include "ducc0/infra/threading.cc"

#include "ducc0/fft/fft.h"
#include "ducc0/fft/fftnd_impl.h"
#include "ducc0/infra/mav.cc"
#include "runtime/nufft/ducc/lines.h"

extern "C" void FACET_LINES(std::complex<double> *values, const FacetLines *lines) {
  const auto size = [](std::ptrdiff_t n) { return static_cast<std::size_t>(n); };
  ducc0::vfmav<std::complex<double>> box(
      values, {size(lines->length), size(lines->n[0]), size(lines->n[1])},
      {lines->step, lines->from[0], lines->from[1]});
  ducc0::c2c(box, box, {0}, lines->sign < 0, 1.0, 1);
}
