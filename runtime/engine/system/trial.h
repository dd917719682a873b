// trial.h - what may crash, tried in a child process first.
#pragma once
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <functional>
#include <string>

namespace facet::runtime {

/// The library cannot list what is in a part of a file. So nobody has tried what is opened there by
/// its name. HDF5 1.10 may crash when that fails, by numbers that it never set.
class ListingError : public Error {
public:
  ListingError(const std::string &path, const char *library, const std::string &part)
      : Error(path, fmt::format("{} cannot list what is in {}", library, part),
              "the file is damaged: write it again, or copy it without this part"),
        part(part) {}
  std::string part;
};

/// Reads a file as `read` does in a child process; `read` names what it is about to read by its
/// argument. Throws Error if a crash of `library` ends the child, or half a minute does, and
/// Unlisted if `read` does; what else it throws is of no matter. Tried once for a file that stays
/// as it is, or each time. Where the system has no child process to give, nothing is tried. `alone`
/// calls its argument while no other thread is within the library: of its locks the child has a
/// copy, and nobody who opens it.
void tryReading(const std::string &path, const char *library,
                const std::function<void(const std::function<void()> &)> &alone,
                const std::function<void(const std::function<void(const std::string &)> &)> &read,
                bool eachTime = false);

} // namespace facet::runtime
