// sum_stages.h - a sum kernel as Halide stages: what is a table, a column value, or inner loop.
#pragma once
#include "schedules/stages.h"
#include "sum_exprs.h"

namespace facet::lower {

/// The stages of a kernel for tiles of knobs' size and the rectangles they leave, unscheduled.
schedules::Stages stages(const SumKernel &sum, const Inputs &inputs, int lanes);

} // namespace facet::lower
