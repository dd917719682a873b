// differentiate.h - kernels made of a kernel by differentiation.
#pragma once
#include "codegen/ir/ir.h"
#include <functional>
#include <string>
#include <vector>

namespace facet::passes {

/// What stands for the derivative of a leaf in a region: the id of a value there, -1 if it is 0.
using LeafSlope = std::function<ir::Id(const ir::Value &leaf)>;
/// Appends to `region` of `kernel` the derivatives of its values along the direction that the
/// leaves change in, and returns those of its outputs; -1: zero. Throws ir::Error: an operation
/// that has no derivative.
std::vector<ir::Id> slopesOf(const ir::Kernel &kernel, ir::Region &region, const LeafSlope &leaf);

/// The derivative along a direction, as a kernel of its own. Beside each column NAME of the record
/// it has d_NAME, and beside each parameter d_NAME, default 0: what these change by. Its F is what
/// F changes by, exact to first order; its origin likewise. For min, max, abs and select it takes
/// the kernel's branch. Throws ir::Error: an operation without a derivative, columns or parameters
/// that are named so already.
ir::Kernel tangentOf(const ir::Kernel &kernel);

/// The derivative by q along a real direction, as a kernel dq_NAME: the record and parameters of
/// `kernel`, and after them d_q, vec3, default 0, what q changes by. F is taken as a function of q
/// as it is written, of complex q too. It has no origin: at q = 0 its F is that of the formulas,
/// not a number where they divide by q.q, nor where a kernel with an origin chooses by q. Throws
/// ir::Error: an operation without a derivative, a column with an axis, a parameter that is named
/// d_q already.
ir::Kernel qTangentOf(const ir::Kernel &kernel);
/// The same by each of these components of q instead of along d_q, `axes` being some of "xyz" in
/// their order: outputs x, y, z, or, along one axis, those of `kernel`. Throws ir::Error, too:
/// several axes of an F that has names.
ir::Kernel qSlopesOf(const ir::Kernel &kernel, const std::string &axes);

/// The adjoint, as a kernel for lists of points. With a cotangent G of F, a number L changes by
/// dL = 2 Re sum over q of conj(G) dF. The adjoint gives the derivatives of L by each number of
/// each record's columns. Its points are the records of `kernel`, with all their numbers as columns
/// of points. Its records are the q; q = 0 is left out if `kernel` has an origin. Their columns:
/// - q.x, q.x.im where q is complex, ..;
/// - cotangent0.re, cotangent0.im of the first output, ..;
/// - where finish is not linear in the sums, sum0.re, sum0.im of the term's first component, ...
///
/// Parameters are those of `kernel`. With origin, cotangent0, .. of each output follow, the sum of
/// its G over q = 0. Its outputs are real and called as the numbers are, "normal.x".
/// Throws ir::Error: what tangentOf throws; columns with an axis; more numbers of a record than
/// mostPointOutputs.
ir::Kernel adjointOf(const ir::Kernel &kernel, bool complexQ);

/// "d_area": the column or parameter that says what another changes by; of a component of the term,
/// its change.
std::string tangentName(const std::string &name);

} // namespace facet::passes
