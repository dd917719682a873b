// total.cpp - a term without q: the kernel streams one number a record.
#include <facet/dsl.h>
using namespace facet;

/// The area seen along x.
struct FACET_KERNEL total {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q, const Triangle &t) { return t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum * q.x; }
};
