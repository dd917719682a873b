// contraction.h - a separable sum kernel as Halide stages: tables of rows, tables of columns, and
// the multiply-adds that join them.
#pragma once
#include "schedules/stages.h"
#include "sum_exprs.h"

namespace facet::lower {

/// Whether phases are formed where they are added, not in a table: see kept. The passes leave none
/// in separable form today.
bool formsPhasesInline(const ir::Region &term);

/// The stages of a kernel in separable form (pass separate), unscheduled. The sum of any term of a
/// product grid is right; it is fast if values of x or y with z are multiply-adds only.
schedules::Contraction contraction(const SumKernel &sum, const Inputs &inputs, int lanes);

} // namespace facet::lower
