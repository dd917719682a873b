// shown.h - text of others in messages: what would steer a terminal is written out.
#pragma once
#include <string>
#include <string_view>

namespace facet::schedules {

/// Bytes that are no UTF-8 as \xNN, characters that steer a terminal or turn text as \uNNNN; line
/// ends and tabs stay.
std::string shown(std::string_view text);

} // namespace facet::schedules
