// frontend.h - kernel files in, IR out; and C++ text to an object, in this process. Clang stays
// behind this header.
#pragma once
#include "codegen/ir/ir.h"
#include <string>
#include <vector>

namespace facet::frontend {

struct Parsed {
  std::vector<ir::Kernel> kernels; // in the order of the file; empty on errors
  std::vector<std::string> types;  // the struct of each, with its namespaces: "mine::born"
  std::string hash;                // ir::hashOf the file: no other is read
  int errors = 0, warnings = 0;
};

/// Parses a kernel file with the built-in <facet/dsl.h>; no other file is read. Diagnostics (caret,
/// reason, fix-it) go to standard error. Never throws.
Parsed parse(const std::string &path);

/// Compiles C++ text (which may include <facet/*.h> and the files named by absolute path) to an
/// object file for x86-64 (position independent, -O2). Returns the compiler's messages, empty when
/// all went well.
std::string compileObject(const std::string &text, const std::string &name,
                          const std::string &objectPath);

} // namespace facet::frontend
