// together.h - a program's main on all ranks: one message where one or more fail.
#pragma once
#include <functional>

namespace facet::runtime {

/// Runs `body` and gives the exit code of all ranks: the largest of theirs. What a rank throws ends
/// all of them, with one message and its exit code (of an Error its own, else Exit::Failed).
/// Without a launcher: prints "facet: error: ..", and gives the code.
int together(const std::function<int()> &body);

} // namespace facet::runtime
