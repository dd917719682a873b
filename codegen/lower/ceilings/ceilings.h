// ceilings.h - a library of loops that reach a machine's ceilings (dsl/facet/ceilings.h).
#pragma once
#include "codegen/lower/lower.h"
#include <functional>
#include <string>

namespace facet::lower {

/// Which loop of a ceilings library.
enum class Ceiling { MultiplyAddsF32, MultiplyAddsF64, Read, SincosF32, SincosF64 };

/// Writes one loop in any form: what a test looks at. Throws ir::Error for an unknown target.
void emitCeiling(Ceiling ceiling, const std::string &target, Form form, const std::string &path);

/// As LibraryRequest::compileCpp.
using CompileCpp = std::function<std::string(const std::string &text, const std::string &name,
                                             const std::string &objectPath)>;
/// Makes the library for one target. Throws ir::Error.
void buildCeilings(const std::string &target, const CompileCpp &compileCpp,
                   const std::string &path);

// What the files here share.
// ----------------------------------------------------------------------------

/// Chains of multiply-adds and vectors of a read stream that a loop keeps in registers.
int chainsOf(const std::string &target);
int readVectors();
/// Bytes of the target's widest registers; throws ir::Error for an unknown target.
int vectorBytesOf(const std::string &target);
/// Whether the target has fused multiply-adds.
bool hasFusedMultiplyAdds(const std::string &target);
/// The kernel of a list of points whose term is cis(q.x * phase), after all passes.
SumKernel sincosKernel(const std::string &target, bool isDouble);
std::string ceilingSymbol(Ceiling ceiling);

} // namespace facet::lower
