// environment.h - what the environment says to tests.
#pragma once
#include <cstdlib>
#include <string_view>
#include <vector>

namespace facet::test {

/// Whether it says NAME=1.
inline bool isSet(const char *name) {
  const char *said = std::getenv(name);
  return said != nullptr && std::string_view(said) == "1";
}
/// Whether all cells and seeds are wanted: test.sh --full.
inline bool fullTests() { return isSet("FACET_FULL_TESTS"); }

/// The first `some` of them; if all are wanted, all.
template <class T> std::vector<T> firstOf(std::size_t some, std::vector<T> all) {
  if (!fullTests() && some < all.size())
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(some), all.end());
  return all;
}

} // namespace facet::test
