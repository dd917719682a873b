// wave_pairs.h - which sines and cosines are the two parts of a wave, and nothing else.
#pragma once
#include "codegen/ir/ir.h"
#include <vector>

namespace facet::passes {

/// For each value: a sinpi or cospi whose other half of the same phase is there and is multiplied
/// by the same values, so that an error of either counts relative to |e^{ia}| = 1. Not so
/// sin(a)/a, cos(a) - 1 or sin^2(a), as in cism1: they need the digits of a small sine. None where
/// the term divides by, or selects by, values of q and the record: differences of waves over small
/// numbers (means over triangles) magnify an error.
std::vector<bool> wavePairs(const ir::Region &region);

} // namespace facet::passes
