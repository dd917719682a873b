// ceilings.h - a library of loops that reach a machine's ceilings (dsl/facet/ceilings.h).
#pragma once
#include "codegen/lower/library/library.h"

namespace facet::lower {

/// Which loop of a ceilings library.
enum class Ceiling { SincosF32, SincosF64, MultiplyAddsF32, MultiplyAddsF64, Read };
inline constexpr Ceiling allCeilings[] = {Ceiling::SincosF32, Ceiling::SincosF64,
                                          Ceiling::MultiplyAddsF32, Ceiling::MultiplyAddsF64,
                                          Ceiling::Read};

/// Writes one loop in any form: what a test looks at. Throws ir::Error for an unknown target.
void emitCeiling(Ceiling ceiling, const std::string &target, Form form, const std::string &path);

/// Makes the library for one target. Throws ir::Error.
void buildCeilings(const std::string &target, const CompileCpp &compileCpp,
                   const std::string &path);

} // namespace facet::lower
