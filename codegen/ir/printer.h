// printer.h - how values are named in text: shared by the printer, the verifier and error messages.
#pragma once
#include "ir.h"

namespace facet::ir {

/// A leaf as it is written where it is used: 2.5, i, t.area, r.w0, q.z.re, p.kappa, sum.im.
std::string leafText(const Value &value);
/// The name of every value of a region: leaves as above, the others %1, %2.. in order.
std::vector<std::string> names(const Region &region);
/// Op and operands, without a name and a type: "mul t.area, %1".
std::string expressionText(const Value &value, const std::vector<std::string> &names);

} // namespace facet::ir
