// frontend.h - kernel files in, IR out; and C++ text to an object, in this process. Clang stays
// behind this header.
#pragma once
#include "codegen/ir/ir.h"
#include <map>
#include <string>
#include <vector>

namespace facet::frontend {

/// Bytes of a file to be replaced: `length` from `offset`, at line and column, which count from 1.
struct Change {
  std::size_t offset = 0, length = 0;
  std::string text{};
  int line = 0, column = 0, endLine = 0, endColumn = 0;
};

/// What is said of a place, as an editor takes it. Line 0: of the file as a whole; columns in
/// bytes.
struct Remark {
  std::string severity{}, id{}, text{}, why{}; // "error"; "facet-use-real", "" if Clang says it
  int line = 0, column = 0, endLine = 0, endColumn = 0;
  std::vector<Change> fix{};
  bool obvious = false; // whether the fix is the only one that the text can mean
};

struct FileKernels {
  std::vector<ir::Kernel> kernels; // in the order of the file; empty on errors
  std::vector<std::string> types;  // the struct of each, with its namespaces: "mine::born"
  std::string text;                // of the file: no other is read
  std::string hash;                // ir::hashOf the text
  int errors = 0, warnings = 0;
  std::vector<Remark> messages; // if they are collected
};

enum class Say { Print, Collect };

/// Bytes of a kernel file, at most.
constexpr std::size_t mostBytes = 256 << 10;

/// Parses a kernel file with the built-in <facet/dsl.h>; no other file is read. Diagnostics (caret,
/// reason, fix-it) go to standard error, or into the result. Never throws.
FileKernels parse(const std::string &path, Say say = Say::Print);

/// The text with the obvious fixes of messages, those of `taken` (an index each), without such as
/// overlap another.
std::string mend(const std::string &text, const std::vector<Remark> &messages,
                 std::vector<std::size_t> &taken);

/// Compiles C++ text to an object file for x86-64 (position independent, -O2). It may include
/// <facet/*.h> and the texts of `included`, by the absolute paths given; no file of the disk is
/// read. Returns the compiler's messages, empty when all went well.
std::string compileObject(const std::string &text, const std::string &name,
                          const std::string &objectPath,
                          const std::map<std::string, std::string> &included = {});
/// The same for WebAssembly with SIMD.
std::string compileWasm(const std::string &text, const std::string &name,
                        const std::string &objectPath,
                        const std::map<std::string, std::string> &included = {});

} // namespace facet::frontend
