// suggest.h - the help line for a name that is not known.
#pragma once
#include <facet/runtime/error.h>

namespace facet::runtime {

/// "did you mean 'X'? known: a, b, c", or only the list where none is near. `known`: what stands
/// before the list.
std::string suggestion(const std::string &word, const std::vector<std::string> &names,
                       const std::string &known = "known");

} // namespace facet::runtime
