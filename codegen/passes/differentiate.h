// differentiate.h - kernels made of a kernel by differentiation.
#pragma once
#include "codegen/ir/ir.h"
#include <functional>
#include <string>
#include <vector>

namespace facet::passes {

/// What stands for the derivative of a leaf in a region: the id of a value there, -1 if it is 0.
using LeafSlope = std::function<ir::Id(const ir::Value &leaf)>;
/// Appends to `region` of `kernel` the derivatives of its values along the direction that the leaves change in, and returns those
/// of its outputs; -1: zero. Throws ir::Error: an operation that has no derivative.
std::vector<ir::Id> slopesOf(const ir::Kernel &kernel, ir::Region &region, const LeafSlope &leaf);

/// The derivative along a direction, as a kernel of its own: beside each column NAME of the record it has d_NAME, and beside each
/// parameter d_NAME, default 0: what these change by. Its F is what F changes by, exact to first order; its origin likewise. Of
/// min, max, abs and select the branch is that which the kernel takes.
/// Throws ir::Error: an operation without a derivative, columns or parameters that are named so already.
ir::Kernel tangentOf(const ir::Kernel &kernel);

/// "d_area": the column or parameter that says what another changes by; of a component of the term, its change.
std::string tangentName(const std::string &name);

} // namespace facet::passes
