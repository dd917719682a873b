// suggest.h - the help line for a name that is not known.
#pragma once
#include <facet/runtime/error.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// "did you mean 'X'? known: a, b, c", or only the list where none is near.
inline std::string suggestion(const std::string &word, const std::vector<std::string> &known) {
  std::string list;
  for (const std::string &k : known)
    list += (list.empty() ? "" : ", ") + k;
  const std::string near = nearest(word, known);
  return (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + list;
}

} // namespace facet::runtime
