// lines.h - lines of a grid of complex numbers, for Fourier transforms along them.
#pragma once
#include <complex>
#include <cstddef>

/// n[0] x n[1] lines of `length` numbers that are `step` apart; from[d] from one line to the next. sign: of the exponent.
struct FacetLines {
  std::ptrdiff_t length, step;
  std::ptrdiff_t n[2], from[2];
  int sign;
};

extern "C" {
#define FACET_LINES_OF(name) void name(std::complex<double> *values, const FacetLines *lines)
FACET_LINES_OF(facetLines);
FACET_LINES_OF(facetLinesV3);
#undef FACET_LINES_OF
}
