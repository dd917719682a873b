// hash.h - a hash of bytes that tells two inputs apart.
#pragma once
#include <string>
#include <string_view>

namespace facet::runtime {

/// FNV-1a with 128 bits (Fowler, Noll, Vo; draft-eastlake-fnv): short, and long enough that two
/// kernels or meshes do not meet by accident. No defence against forgery: the files are the user's
/// own.
class Hash {
public:
  void add(std::string_view bytes) {
    for (const char c : bytes) {
      state_ ^= static_cast<unsigned char>(c);
      state_ *= (static_cast<Word>(1) << 88) + 0x13b;
    }
  }
  /// A field: its length goes in too, so that fields cannot run into each other.
  void field(std::string_view text) {
    add(std::to_string(text.size()) + ":");
    add(text);
  }
  /// 32 hex digits.
  std::string hex() const {
    std::string text(32, '0');
    Word w = state_;
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, w >>= 4)
      *digit = "0123456789abcdef"[static_cast<unsigned>(w & 15)];
    return text;
  }

private:
  using Word = unsigned __int128;
  Word state_ = (static_cast<Word>(0x6c62272e07bb0142) << 64) + 0x62b821756295c58d;
};

} // namespace facet::runtime
