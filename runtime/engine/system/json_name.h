// json_name.h - the type of JSON, for headers that name it alone: json.h takes long to compile.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace facet::runtime {

using Json = nlohmann::ordered_json; // keys stay in the order in which they were written

} // namespace facet::runtime
