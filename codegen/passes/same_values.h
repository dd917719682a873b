// same_values.h - what a pass may change of a kernel's values: nothing, or what its class allows.
#pragma once
#include "passes.h"

namespace facet::passes {

/// Evaluates finish(q, term(q, t)) and origin of both kernels at random points of the second, and
/// at others close to constants of the kernel as it was written. The term is compared only through
/// finish: hoist moves factors between the two. Throws ir::Error naming the pass if they differ by
/// more than rounding, or than the class's error for an approximate pass. If the second's records
/// are nodes and the first's are not, its terms are summed over the nodes of an accurate rule.
void checkSameValues(const ir::Kernel &written, const ir::Kernel &before, const ir::Kernel &after,
                     const Pass &pass, const Variant &variant, int points);

} // namespace facet::passes
