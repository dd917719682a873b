// specialise.cpp - one source, several variants: the requested grid kind, and real q.
//
//   1. The kernel's grid becomes the variant's. If the kind changes, extents known for the old
//      kind mean nothing and are dropped.
//   2. Without complex q every axis becomes real.
//   3. Types and domains are derived again. conj, re and im of what is now real are left to fold.
#include "passes.h"

namespace facet::passes {

using namespace ir;

void specialise(Kernel &kernel, const Variant &variant) {
  if (kernel.grid != variant.grid)
    for (AxisType &axis : kernel.axes)
      axis.fixed = 0;
  kernel.grid = variant.grid;
  if (!variant.complexQ)
    for (AxisType &axis : kernel.axes)
      axis.type = Type::Real;
  annotate(kernel);
}

} // namespace facet::passes
