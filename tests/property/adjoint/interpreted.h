// interpreted.h - J and J* of a mesh by the IR's evaluator: the same sums that compiled code makes,
// for any kernel at no cost of compiling.
#pragma once
#include "codegen/passes/passes.h"
#include "problem.h"

namespace facet::test {

/// F at every q of the grid, one output after the other: of a kernel before the passes or after
/// those of any algorithm. `mesh`: its records. At q = 0 it is the kernel's origin, if it has one.
Values interpreted(const ir::Kernel &kernel, const AdjointProblem &problem,
                   const runtime::Mesh &mesh);

/// The derivatives by all columns: by the adjoint of `source`, before the passes or after them.
runtime::ColumnGradient interpretedAdjoint(const ir::Kernel &source, const ir::Kernel &adjoint,
                                           const AdjointProblem &problem);

/// Whether a kernel of an origin is at q = 0.
bool atOrigin(const ir::Kernel &kernel, const std::array<ir::Complex, 3> &q);

} // namespace facet::test
