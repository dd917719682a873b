// suggest.cpp - the known name nearest to a misspelt one, for messages.
#include "runtime/files/suggest.h"
#include <algorithm>

namespace facet::runtime {

namespace {
/// Edits (insert, drop, change, swap of neighbours) that turn a into b.
std::size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}
} // namespace

std::string nearest(const std::string &name, const std::vector<std::string> &candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const auto &candidate : candidates) {
    // A beginning is near, too: "truncated" for "truncated-octahedron".
    bool begins = name.size() >= 3 && candidate.compare(0, name.size(), name) == 0;
    std::size_t distance = begins ? 1 : editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const std::string &word, const std::vector<std::string> &names,
                       const std::string &known) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? ": " : ", ") + name;
  const std::string near = nearest(word, names);
  return (near.empty() ? "" : "did you mean '" + near + "'? ") + known + list;
}

} // namespace facet::runtime
