// prepared.h - a kernel as separate or transform finds it.
#pragma once
#include "codegen/passes/passes.h"

namespace facet::passes {

/// The passes of the algorithm run up to separate or transform, in class f64. Throws Refusal.
ir::Kernel prepared(const ir::Kernel &source, Algorithm algorithm, bool complexQ, bool nodes);

} // namespace facet::passes
