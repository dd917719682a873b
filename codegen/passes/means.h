// means.h - means over a triangle, and what else removes a singularity, as scalars: used by expand.
#pragma once
#include "rewrite.h"

namespace facet::passes {

/// Ids of three scalars; a scalar uses the first.
using Triple = std::array<ir::Id, 3>;

/// The mean of e^{iu} over a triangle with phases u at its corners, or of e^{iu} - 1.
ir::Id meanOf(Formulas &b, Class klass, const Triple &phases, bool minusOne);
/// The same over an edge with phases x and y at its ends.
ir::Id meanOfEdge(Formulas &b, Class klass, ir::Id x, ir::Id y, bool minusOne);
/// The means of l e^{iu}, l the barycentric coordinate of each corner.
Triple meanSlopesOf(Formulas &b, Class klass, const Triple &phases);
/// The derivative of sin(a) / a.
ir::Id sincSlopeOf(Formulas &b, Class klass, ir::Id a);

} // namespace facet::passes
