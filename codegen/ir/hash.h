// hash.h - a hash of a file's bytes: says whether it changed, guards against nothing.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace facet::ir {

/// FNV-1a, 64 bits (draft-eastlake-fnv), as 16 hex digits.
inline std::string hashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string digits(16, '0');
  for (int k = 15; k >= 0; --k, hash >>= 4)
    digits[k] = "0123456789abcdef"[hash & 15];
  return digits;
}

} // namespace facet::ir
