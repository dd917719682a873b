// progress.cpp - one line with rate and time left, on a terminal only.
#include "runtime/cli/run/progress.h"
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::cli {

Progress::Progress()
    : start_(std::chrono::steady_clock::now()), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(double done, double total) {
  if (!terminal_ || done <= 0)
    return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
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
