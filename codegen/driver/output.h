// output.h - files that appear under their name only when they are whole.
#pragma once
#include <functional>
#include <string>

namespace facet::driver {

/// Calls `write` with the path of a temporary file beside `path` and renames it to `path` when that
/// returns; removes it when it throws. `path` "-" or empty: standard output instead.
/// Throws lower::Unwritable where `path` cannot be written.
void writeWhole(const std::string &path, const std::function<void(const std::string &)> &write);
/// The same for text at hand.
void writeText(const std::string &path, const std::string &text);

} // namespace facet::driver
