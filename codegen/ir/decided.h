// decided.h - values whose choices are made, for questions that are answered by trials.
#pragma once
#include "ir.h"

namespace facet::ir {

/// Choices made by coins, a condition its own: at plausible records a select may always take the
/// same side, and would be taken for that side. What depends on the choice alone is lost.
std::vector<Value> decided(std::vector<Value> values, int point);

} // namespace facet::ir
