// plan_file.h - a file by which the jobs of an array agree on one decision.
#pragma once
#include <string>

namespace facet::runtime {

/// The decision there, "" if none is. Throws Error (Failed) if it cannot be read.
std::string readPlan(const std::string &file);
/// The decision that all agree on: what is there, or `own`, which is written then. If several come
/// at once, on machines that share the file system, one is the first. Throws Error.
std::string agreedPlan(const std::string &file, const std::string &own);

} // namespace facet::runtime
