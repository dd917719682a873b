// assembly.h - the loop of a sum's assembly in which the time goes, its instructions by kind.
#pragma once
#include "codegen/lower/lower.h"
#include <string>
#include <string_view>
#include <vector>

namespace facet::explore {

struct Instruction {
  std::string text;      // a tab a blank
  std::string_view kind; // of kinds in assembly.cpp
  ir::Loc loc{};         // of what it computes, or what it feeds, in the kernel file
  bool exact = false;    // it computes a value of the IR
};

/// Lines of a function's assembly; those of the inner loop go from begin to end. Both 0: no loop.
struct Assembly {
  std::vector<std::string> lines;
  std::size_t begin = 0, end = 0;
  /// The loop's instructions, without labels and remarks.
  std::vector<Instruction> loop() const;
};

/// The innermost loop with most arithmetic in the sum's precision: tables are made in the other.
Assembly readAssembly(const std::string &text, bool isDouble);

/// Finds the places of the loop's instructions, for x86: exact where they compute a value of the
/// sum's term, else those of what they feed (matching.cpp).
void findPlaces(const Assembly &assembly, std::vector<Instruction> &loop,
                const lower::SumKernel &sum);

} // namespace facet::explore
