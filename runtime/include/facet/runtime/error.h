// error.h - what the runtime throws: what went wrong, where, and what to do about it.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace facet::runtime {

/// Exit codes of facet.
/// Stopped: by SIGTERM or SIGINT, with what is finished kept on disk; --resume continues.
enum class Exit : int { Good = 0, BadInput = 1, Failed = 2, ContractMissed = 3, Stopped = 4 };

/// Text for a terminal: what would steer it stands as text, \u001b or \xff. Control characters of
/// Unicode but line ends and tabs, marks that turn the direction of writing, bytes that are no
/// UTF-8.
std::string shown(std::string_view text);

/// One message for people: "WHERE: WHAT" and, on a second line, "  help: WHAT TO DO".
class Error : public std::runtime_error {
public:
  Error(const std::string &where, const std::string &what, const std::string &help = "",
        Exit exit = Exit::BadInput)
      : std::runtime_error(shown((where.empty() ? "" : where + ": ") + what +
                                 (help.empty() ? "" : "\n  help: " + help))),
        exit(exit) {}
  Exit exit;
};

/// The candidate nearest to a misspelt name; empty if none is near (edit distance above a
/// third).
std::string nearest(const std::string &name, const std::vector<std::string> &candidates);

} // namespace facet::runtime
