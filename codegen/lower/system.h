// system.h - what a compiler takes from the system: room on a disk, folders that go away, programs,
// the time.
#pragma once
#include "codegen/ir/ir.h"
#include <string>
#include <string_view>
#include <vector>

namespace facet::lower {

/// Seconds of a clock that never goes back.
double now();

/// What a disk does not take: no fault of the kernel.
struct Unwritable : ir::Error {};

/// The folder for what is written on the way: $TMPDIR, else /tmp. Throws Unwritable if it is
/// none.
std::string temporaryPlace();

/// Makes an empty file; `name`: what people call it. Throws Unwritable if that fails, or if
/// its disk has no room for what a compiler writes: LLVM ends the program at a full disk, with
/// words of its own.
void requireRoom(const std::string &file, const std::string &name);

/// A folder for objects in temporaryPlace(), with room; removed, with all in it, by its owner's
/// end. Throws Unwritable.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  std::string path;
};

/// The first words of the command that links a shared library. They name the lld within the facetc
/// that is this program or lies beside it. They also name the folders of the C and mathematics
/// libraries that this program runs with, which lld does not look for.
std::vector<std::string> linker();

/// Starts a program of the system (a linker, an editor of symbols, nvcc), without a shell, and
/// waits. Throws ir::Error, which calls it `what`, if it cannot be found or fails; what it says
/// goes to stderr.
void runTool(std::vector<std::string> command, std::string_view what);

} // namespace facet::lower
