// frontend.h - kernel files in, IR out; and C++ text to an object, in this process. Clang stays
// behind this header.
#pragma once
#include "codegen/ir/ir.h"
#include <map>
#include <string>
#include <vector>

namespace facet::frontend {

struct Parsed {
  std::vector<ir::Kernel> kernels; // in the order of the file; empty on errors
  std::vector<std::string> types;  // the struct of each, with its namespaces: "mine::born"
  std::string text;                // of the file: no other is read
  std::string hash;                // ir::hashOf the text
  int errors = 0, warnings = 0;
};

/// Bytes of a kernel file, at most.
constexpr std::size_t mostBytes = 256 << 10;

/// Parses a kernel file with the built-in <facet/dsl.h>; no other file is read. Diagnostics (caret,
/// reason, fix-it) go to standard error. Never throws.
Parsed parse(const std::string &path);

/// Compiles C++ text to an object file for x86-64 (position independent, -O2). It may include
/// <facet/*.h> and the texts of `included`, by the absolute paths given; no file of the disk is read.
/// Returns the compiler's messages, empty when all went well.
std::string compileObject(const std::string &text, const std::string &name,
                          const std::string &objectPath,
                          const std::map<std::string, std::string> &included = {});

} // namespace facet::frontend
