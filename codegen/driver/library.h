// library.h - the stages of a whole kernel library.
#pragma once
#include "codegen/driver/options/options.h"
#include "codegen/lower/library.h"
#include "input.h"

namespace facet::driver {

/// What the options ask a library to hold. Throws ir::Error.
lower::LibraryRequest libraryRequest(const Options &options, const Input &input);

// Each writes what its name says of every variant the options ask for; they throw ir::Error.
void emitLibraryText(const Options &options, const Input &input);
void emitObject(const Options &options, const Input &input);
void emitLibrary(const Options &options, const Input &input);
void emitHeader(const Options &options, const Input &input);
void emitManifest(const Options &options, const Input &input);

} // namespace facet::driver
