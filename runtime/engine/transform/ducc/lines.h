// lines.h - lines of a grid of complex numbers, for Fourier transforms along them.
#pragma once
#include <cstddef>

/// n[0] x n[1] lines of `length` numbers that are `step` apart; lines are from[d] apart. Numbers
/// are complex, of two floats if `single`, else of two doubles. sign: of the exponent. Each line is
/// a ring: in[1] numbers from in[0] on are read, the others are taken for 0, and out[1] numbers
/// from out[0] on are written; below 0: from the line's end.
struct FacetLines {
  std::ptrdiff_t length, step;
  std::ptrdiff_t n[2], from[2];
  int sign;
  bool single;
  std::ptrdiff_t in[2], out[2];
};

extern "C" {
#define FACET_LINES_OF(name) void name(void *values, const FacetLines *lines)
FACET_LINES_OF(facetLines);
FACET_LINES_OF(facetLinesV3);
#undef FACET_LINES_OF
}
