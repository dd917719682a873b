// traps.cpp - warnings about physics: pairings of q and conj(q), digits lost near 0, a missing
// origin, phases that grow. Looked for in the values, told at the expressions they came from.
#include "kernel.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

namespace facet::frontend {

void warnOfTraps(Source &source, const ir::Region &region,
                 const std::vector<const clang::Expr *> &origins) {}

} // namespace facet::frontend
