// stages.h - what --emit writes.
#pragma once
#include "files.h"
#include "options.h"

namespace facet::driver {

/// Writes what the options name, for the kernel that was read. Throws ir::Error.
void emitStage(const Options &options, const Input &input);
/// The library that the options describe. Throws ir::Error.
lower::LibraryRequest libraryRequest(const Options &options, const Input &input);

/// --emit=ceilings, which needs no kernel: the library of loops of the options' target; without -o,
/// or with a name in .s, the loops' assembly. Throws ir::Error.
void emitCeilings(const Options &options);

/// The passes of each algorithm in order, one a line, with the reason for each place.
std::string passLists();
/// The table of IR operations as docs/ir.md holds it.
std::string opsTable();
/// The table of knobs as Markdown, for docs/schedules.md.
std::string knobsTable();

} // namespace facet::driver
