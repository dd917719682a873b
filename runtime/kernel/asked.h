// asked.h - the words by which people choose a target: its name, "cuda", "auto", none.
#pragma once
#include <string>
#include <vector>

namespace facet::runtime {

/// `wanted`, else $FACET_TARGET, else "".
std::string askedWord(const std::string &wanted);
/// Targets that a word allows on this machine, best last, never none: for "" those of this CPU, for
/// "cuda" the device's, for "auto" this CPU's and, after them, a GPU's. `where`: for messages.
/// Throws Error: no such target, or this machine cannot run it, and why.
std::vector<std::string> allowedTargets(const std::string &word, const std::string &where);
/// The targets a library is to be built for, as facetc takes them: a list in which "cuda" is the
/// best that the device here can run, without one the least `cuda-sm_*`, which every later device
/// runs too; "auto" a GPU's if there is one, else the best of this CPU. A device's target brings
/// this CPU's best along, as targetList() does. No device is needed. Other words, and "" for all,
/// are left to facetc.
std::string buildTargets(const std::string &words);
/// What a library for a target holds: "opencl,avx512". Beside a device's sums are those of this
/// CPU's best, since repairs and lists of q run there.
std::string targetList(const std::string &target);

} // namespace facet::runtime
