// mean_cis.h - the steps of mean_cis and mean_cism1 of three phases, as IR.
#pragma once
#include "codegen/ir/builder.h"
#include "codegen/passes/passes.h"
#include <array>

namespace facet::passes {

/// Appends the mean of e^{iu} (`minusOne`: of e^{iu} - 1) over a flat triangle whose corners have
/// these phases, real or complex, by the algorithm of <facet/mean_cis.h>. Relative error of the
/// series below 1e-8 (f32 classes), 1e-17 (f64).
ir::Id expandMeanCis(ir::Builder &builder, const std::array<ir::Id, 3> &phases, bool minusOne,
                     Class klass);

} // namespace facet::passes
