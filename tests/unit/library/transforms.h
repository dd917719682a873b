// transforms.h - a kernel in transform form evaluated by hand: its sums of waves added one by one.
#pragma once
#include "built.h"

namespace facet::test {

/// F at the points of `axes` (product or three lists), by fill, plain sums of strengths times
/// cis(q.r), totals_fn and combine. Rows of a product grid are combined with strides 0 0 1.
std::vector<std::complex<double>> byTransforms(const facet_transforms &transforms,
                                               const std::vector<const double *> &columns, int nt,
                                               const Axes &axes, bool product,
                                               const std::vector<double> &params);

} // namespace facet::test
