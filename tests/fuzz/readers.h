// readers.h - readers of files, as fuzzers and the replay of their corpora call them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace facet::fuzz {

/// A line of readers.def.
struct Reader {
  std::string name, file, what;
  void (*read)(const std::string &path, std::string_view bytes);
};
const std::vector<Reader> &readers();

/// Writes the bytes to a file of the reader's name in a folder of this process and reads it. What a
/// reader refuses by an Error is in order; any other exception comes through, and std::logic_error
/// says that what was read does not agree with itself.
void readOnce(const Reader &reader, std::string_view bytes);

} // namespace facet::fuzz
