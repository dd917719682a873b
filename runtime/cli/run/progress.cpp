// progress.cpp - the line of progress, and sentences where there is no terminal or a stop.
#include "runtime/cli/run/progress.h"
#include "runtime/files/stop_request.h"
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::cli {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::begin(const std::string &units, int threads, double seconds) const {
  constexpr double isLong = 10; // a shorter run says at its end what it has done
  if (!terminal_ && seconds >= isLong)
    fmt::print(stderr, "facet: {}, {} thread{}: about {:.0f} s\n", units, threads,
               threads == 1 ? "" : "s", seconds);
}

void Progress::stopping(double seconds, bool left) {
  end();
  const std::string when = seconds < 1 ? "" : fmt::format(", in about {:.0f} s", seconds);
  fmt::print(stderr, "facet: {}: {}\n", runtime::StopRequest::name(),
             left ? "the units in hand take long: they are left, and --resume computes them again"
                  : fmt::format("ends with the units in hand{}; once more ends it at once, what is "
                                "finished is kept",
                                when));
}

void Progress::show(double done, double total) {
  if (!terminal_ || done <= 0)
    return;
  const double seconds = watch_.seconds();
  const double rate = done / seconds;
  fmt::print(stderr, "\r{:3.0f}%  {:.2e} TQP/s  {:.0f} s left   ", 100 * done / total, rate,
             (total - done) / rate);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::end() {
  if (shown_)
    fmt::print(stderr, "\r{:60}\r", "");
  shown_ = false;
}

} // namespace facet::cli
