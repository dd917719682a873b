// beside_library.h - files that come with libfacet and are found by its own place.
#pragma once
#include <string>

namespace facet::runtime {

/// The path of a file beside libfacet, or in the folder facet there; "" where there is none.
std::string besideLibrary(const std::string &name);

} // namespace facet::runtime
