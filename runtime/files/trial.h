// trial.h - what may crash, tried in a child process first.
#pragma once
#include <functional>
#include <string>

namespace facet::runtime {

/// Reads a file as `read` does in a child process; `read` names what it is about to read by its
/// argument. Throws Error if a crash of `library` ends the child, or half a minute does; what
/// `read` throws is of no matter. Tried once for a file that stays as it is. Where the system has
/// no child process to give, nothing is tried.
void tryReading(const std::string &path, const char *library,
                const std::function<void(const std::function<void(const std::string &)> &)> &read);

} // namespace facet::runtime
