// asked.h - the words that ask for a target: a target's name, "cuda", "auto", none.
#pragma once
#include <string>
#include <vector>

namespace facet::runtime {

/// `asked`, else $FACET_TARGET, else "".
std::string askedWord(const std::string &asked);
/// Targets that a word allows on this machine, best last, never none: of "" those of this CPU, of
/// "cuda" the device's, of "auto" this CPU's and, after them, a GPU's. `where`: for messages.
/// Throws Error: no such target, or this machine cannot run it, and why.
std::vector<std::string> allowedTargets(const std::string &word, const std::string &where);
/// What a library for a target holds: "opencl,avx512". Beside a device's sums are those of this
/// CPU's best, since repairs and lists of q run there.
std::string targetList(const std::string &target);

} // namespace facet::runtime
