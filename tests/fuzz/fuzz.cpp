// fuzz.cpp - one reader under libFuzzer: FACET_READER names it.
#include "tests/fuzz/readers.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {
const facet::fuzz::Reader *chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  const char *name = std::getenv("FACET_READER");
  for (const facet::fuzz::Reader &reader : facet::fuzz::readers())
    if (name != nullptr && reader.name == name)
      chosen = &reader;
  if (chosen == nullptr) {
    std::fprintf(stderr, "FACET_READER: set it to a reader of readers.def\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  facet::fuzz::readOnce(*chosen, {reinterpret_cast<const char *>(data), size});
  return 0;
}
