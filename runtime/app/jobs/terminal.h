// terminal.h - what facet's commands write to the terminal: names and texts of files cannot steer
// it.
#pragma once
#include "runtime/app/jobs/listener.h"
#include "runtime/engine/system/clock.h"
#include <cstdio>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace facet::cli {
namespace terminal {

/// To standard output, as fmt::print, but of runtime::shown. What is not taken is said by
/// ferror(stdout).
template <class... T> void print(fmt::format_string<T...> format, T &&...values) {
  std::fputs(runtime::shown(fmt::format(format, std::forward<T>(values)...)).c_str(), stdout);
}

/// The same to standard error.
template <class... T> void error(fmt::format_string<T...> format, T &&...values) {
  std::fputs(runtime::shown(fmt::format(format, std::forward<T>(values)...)).c_str(), stderr);
}

} // namespace terminal

/// Reports go to standard output, the rest to standard error. How far a run is stands in one line
/// with its rate and the time left if that is a terminal. Else a long run says what it will do.
class Terminal final : public Listener {
public:
  void begin(const std::string &units, int threads, double seconds, bool always) override;
  void show(double done, double total) override;
  void stopping(double seconds, bool left) override;
  void end() override;
  void note(const std::string &text) override;
  void warning(const std::string &text) override { note("warning: " + text); }
  /// Milliseconds since the process began (facet run --timings).
  void stage(const char *name) override;
  using Listener::report;
  void report(const std::string &text) override { terminal::print("{}", text); }
  bool watches() const override { return watched_; }
  void line(const std::string &text) override;
  void showStages() override;

private:
  runtime::Stopwatch watch_;
  const bool watched_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  struct Stage {
    const char *name;
    double ms;
  };
  std::vector<Stage> stages_;
  bool stagesShown_ = false;
};

} // namespace facet::cli
