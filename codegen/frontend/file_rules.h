// file_rules.h - what a kernel file may hold beside what its kernels use: all of it is compiled
// into the kernel library, and some of it would run when the library is opened.
#pragma once
#include "codegen/frontend/kernel.h"

namespace facet::frontend {

/// Lets #include <facet/dsl.h> and #pragma once through, and refuses every other directive and the
/// names that are reserved for compilers: what is compiled is then what is judged below, whatever
/// the options of the compiler. False if it reported; nothing of the file is to be read then.
bool checkTokens(const clang::SourceManager &files, const clang::LangOptions &language,
                 Reporter &reporter);

/// Lets kernels, records, constants, functions and names for them through, and nothing else.
void checkDeclarations(const Source &file);

/// Refuses arithmetic of integers that gives another number than the same arithmetic of reals, in
/// constants and default arguments as in functions.
void checkNumbers(const Source &file);

/// Refuses what is outside the language in constants, defaults and functions that no kernel calls.
/// For files without errors: what kernels use has been judged, with better words, by then.
void checkExpressions(const Source &file);

/// Whether a declaration is written in the kernel file.
bool isWritten(const clang::Decl &decl);
/// What is written there, as a message can quote it.
std::string firstLine(const Source &file, clang::SourceRange range);

} // namespace facet::frontend
