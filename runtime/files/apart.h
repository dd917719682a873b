// apart.h - outputs that are neither inputs nor one another.
#pragma once
#include <string>
#include <vector>

namespace facet::runtime {

/// A file that a command reads or writes, and what it is: {"the mesh", "torus.stl"}. An empty path
/// is no file.
struct FileUse {
  std::string what, path;
};

/// Throws Error where an output is one of the inputs or another output: the same device and inode,
/// so that links count, or the same name where nothing is there yet.
void keepApart(const std::vector<FileUse> &inputs, const std::vector<FileUse> &outputs);

} // namespace facet::runtime
