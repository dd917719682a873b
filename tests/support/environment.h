// environment.h - what the environment says to tests.
#pragma once
#include <cstdlib>
#include <string_view>

namespace facet::test {

/// Whether it says NAME=1.
inline bool isSet(const char *name) {
  const char *said = std::getenv(name);
  return said != nullptr && std::string_view(said) == "1";
}
/// Whether all cells and seeds are wanted: test.sh --full.
inline bool fullTests() { return isSet("FACET_FULL_TESTS"); }

} // namespace facet::test
