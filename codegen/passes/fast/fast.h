// fast.h - the passes of the separable and the nufft algorithm.
#pragma once
#include "codegen/passes/passes.h"

namespace facet::passes {

void quadrature(ir::Kernel &kernel, const Variant &variant);  // means to nodes
void separate(ir::Kernel &kernel, const Variant &variant);    // the term to products of tables
void transform(ir::Kernel &kernel, const Variant &variant);   // the term to waves and strengths
void chain(ir::Kernel &kernel, const Variant &variant);       // inner sums to multiply-adds
void widenTables(ir::Kernel &kernel, const Variant &variant); // tables in double, rounded once

/// Depends on the record, on z, and on x or y: computed for each of them.
bool isInner(const ir::Value &value);

} // namespace facet::passes
