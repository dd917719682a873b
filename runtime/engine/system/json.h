// json.h - JSON as the runtime reads and writes it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace facet::runtime {

using Json = nlohmann::ordered_json; // keys stay in the order in which they were written

/// Text that is no JSON makes a value that is of no kind: is_discarded(), not is_object().
Json parseJson(const std::string &text);

} // namespace facet::runtime
