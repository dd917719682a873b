// room.h - room on a disk, asked for before a compiler writes.
#pragma once
#include "codegen/ir/ir.h"
#include <string>

namespace facet::lower {

/// What a disk does not take: no fault of the kernel.
struct Unwritable : ir::Error {};

/// The folder for what is written on the way: $TMPDIR, else /tmp. Throws Unwritable where it is
/// none.
std::string temporaryPlace();

/// Makes an empty file; `name`: what people call it. Throws Unwritable where that fails, or where
/// its disk has no room for what a compiler writes: LLVM ends the program at a full disk, with
/// words of its own.
void requireRoom(const std::string &file, const std::string &name);

} // namespace facet::lower
