// files.h - what facetc reads, kernel files in C++ or IR, and what it writes: files that appear
// under their name only when they are whole.
#pragma once
#include "codegen/ir/ir.h"
#include <functional>
#include <string>

namespace facet::driver {

struct Input {
  ir::Kernel kernel;
  std::string type;   // its struct: "mine::born"
  std::string source; // absolute path
  std::string hash;   // of the file's bytes
};

/// Thrown if the front end has reported what is wrong itself.
struct Reported {};

/// Reads FILE.fir or FILE.cpp; `name`: which kernel, needed if there are several.
/// Throws ir::Error, or Reported.
Input readInput(const std::string &path, const std::string &name);
/// Judges every kernel of the file; `name`: one that must be there, or empty. Throws the same.
void checkInput(const std::string &path, const std::string &name);

/// Calls `write` with the path of a temporary file beside `path` and renames it to `path` when that
/// returns; removes it when it throws. `path` "-" or empty: standard output instead.
/// Throws lower::Unwritable if `path` cannot be written.
void writeWhole(const std::string &path, const std::function<void(const std::string &)> &write);
/// The same for a given text.
void writeText(const std::string &path, const std::string &text);

} // namespace facet::driver
