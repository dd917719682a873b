// terminal.h - where facet's commands write to the terminal: names and texts of files cannot steer
// it.
#pragma once
#include <cstdio>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <utility>

namespace facet::cli::terminal {

/// To standard output, as fmt::print, but of runtime::shown. What is not taken is said by
/// ferror(stdout).
template <class... T> void print(fmt::format_string<T...> format, T &&...values) {
  std::fputs(runtime::shown(fmt::format(format, std::forward<T>(values)...)).c_str(), stdout);
}

/// The same to standard error.
template <class... T> void error(fmt::format_string<T...> format, T &&...values) {
  std::fputs(runtime::shown(fmt::format(format, std::forward<T>(values)...)).c_str(), stderr);
}

} // namespace facet::cli::terminal
