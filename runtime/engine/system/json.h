// json.h - JSON as the runtime reads and writes it.
#pragma once
#include "runtime/engine/system/json_name.h"
#include <nlohmann/json.hpp>
#include <string>

namespace facet::runtime {

/// Text that is no JSON makes a value that is of no kind: is_discarded(), not is_object().
Json parseJson(const std::string &text);

} // namespace facet::runtime
