// numbered.h - files beside another one whose names are its own and a number.
#pragma once
#include <map>
#include <string>

namespace facet::runtime {

/// The files beside PATH whose names are PATH's, `between` and a number, by number.
std::map<int, std::string> numbered(const std::string &path, const std::string &between);

} // namespace facet::runtime
