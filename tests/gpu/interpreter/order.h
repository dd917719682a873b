// order.h - in which order the lanes of a block go on after their paths have parted.
#pragma once
#include "text.h"

namespace facet::ptx {

/// For each instruction its place in an order in which lanes meet again. Those at the first place
/// go on. So all come to where their paths join, behind a choice or a loop, before one goes beyond.
/// The text's own order is none: LLVM writes what a few lanes do behind what all do then.
std::vector<std::size_t> orderOf(const std::vector<Instruction> &code);

} // namespace facet::ptx
