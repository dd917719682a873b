// contraction.h - a separable sum kernel as Halide stages: tables of rows, tables of columns, and
// the multiply-adds that join them.
#pragma once
#include "schedules/stages.h"
#include "sum_exprs.h"

namespace facet::lower {

/// Where a separable sum computes a value of its term, by the value's domain.
enum class Place {
  Inner,  // x or y, and z: the multiply-adds
  Row,    // x or y: a table of rows and records
  Column, // z and t: a table of z and records
  Line,   // z: once a vector of z (CPUs), a thread's own (devices)
  Record  // t or nothing: where it is used
};

/// Whether phases are formed where they are added, in no table: see kept. The passes leave none in
/// separable form today.
bool formsPhasesInline(const ir::Region &term);

/// Values of one place that the multiply-adds read, or that are the term itself.
std::vector<ir::Id> frontier(const ir::Region &term, Place place);

/// The stages of a kernel in separable form (pass separate), unscheduled. Any term of a product
/// grid is summed rightly; fast are terms whose values of x or y with z are multiply-adds only.
schedules::Contraction contraction(const SumKernel &sum, const Inputs &inputs, int lanes);

} // namespace facet::lower
