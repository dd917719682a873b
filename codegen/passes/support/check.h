// check.h - a pass must not change what a kernel computes.
#pragma once
#include "codegen/passes/passes.h"

namespace facet::passes {

/// Evaluates finish(q, term(q, t)), term included through the composition alone (hoist moves
/// factors between the two), and origin, of both kernels at random points of the second. Throws
/// ir::Error naming the pass where they differ by more than rounding, or than the class's error for
/// an approximate pass. Where the second's records are nodes and the first's are not, its terms are
/// summed over the nodes of an accurate rule.
void checkSameValues(const ir::Kernel &before, const ir::Kernel &after, const Pass &pass,
                     const Variant &variant, int points);

} // namespace facet::passes
