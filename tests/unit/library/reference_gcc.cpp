// reference_gcc.cpp - the same kernel files compiled by the project's own compiler, for comparison
// with the reference that a library carries.
#include "built.h"
#include "examples/kernels/born.cpp"
#include "examples/kernels/closed.cpp"
#include <facet/reference.h>

namespace {
/// The columns of born and closed: area, normal, centroid.
struct Columns {
  static void record(facet::Triangle &t, const double *const *columns, long k) {
    t.area = columns[0][k];
    t.normal = {columns[1][k], columns[2][k], columns[3][k]};
    t.centroid = {columns[4][k], columns[5][k], columns[6][k]};
  }
  template <class P> static void params(P &, const double *) {}
};
} // namespace

namespace facet::test {
const facet_reference_fn bornByGcc = facet::reference<::born, Columns>;
const facet_reference_fn closedByGcc = facet::reference<::closed, Columns>;
const facet_origin_fn closedOriginByGcc = facet::origin<::closed, Columns>;
} // namespace facet::test
