// shown.cpp - text of others in messages, for the compiler and the runtime: what would steer a
// terminal is written out.
#include "schedules/shown.h"
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace facet::schedules {

namespace {
/// Bytes of the character that UTF-8 has at the beginning of `text`, and its number; 0 bytes if
/// none.
std::pair<std::size_t, std::uint32_t> character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80)
    return {1, first};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  std::uint32_t number = first & (0x7fU >> bytes);
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes)
    return {0, 0};
  for (std::size_t k = 1; k < bytes; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xc0U) != 0x80)
      return {0, 0};
    number = number << 6U | (next & 0x3fU);
  }
  return {number < least[bytes] || number > 0x10ffff || (number >= 0xd800 && number < 0xe000)
              ? 0
              : bytes,
          number};
}

bool steers(std::uint32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
         (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}
} // namespace

std::string shown(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto [bytes, number] = character(text);
    if (bytes == 0)
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (steers(number))
      safe += fmt::format("\\u{:04x}", number);
    else
      safe += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return safe;
}

} // namespace facet::schedules
