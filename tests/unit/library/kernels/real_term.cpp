// real_term.cpp - a real term, real q, and an extent known when compiling.
#include <facet/dsl.h>
using namespace facet;

/// A cosine sum.
struct FACET_KERNEL real_term {
  using Grid = product<fixed<2>, real, real>;
  static real term(Grid::q q, const Triangle &t) { return t.area * cos(dot(q, t.centroid)); }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
