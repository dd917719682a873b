// input.h - a kernel file, C++ or IR, read.
#pragma once
#include "codegen/ir/ir.h"
#include <string>

namespace facet::driver {

struct Input {
  ir::Kernel kernel;
  std::string type;   // its struct: "mine::born"
  std::string source; // absolute path
  std::string hash;   // of its bytes
};

/// Thrown where the front end has told what is wrong itself.
struct Told {};

/// Reads FILE.fir or FILE.cpp; `name`: which kernel, needed where there are several.
/// Throws ir::Error, or Told.
Input readInput(const std::string &path, const std::string &name);
/// Judges every kernel of the file; `name`: one that must be there, or empty. Throws the same.
void checkInput(const std::string &path, const std::string &name);

} // namespace facet::driver
