// bar.cpp - one line of progress on a terminal, and Ctrl-C.
#include "runtime/cli/tune/tune.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::cli {
namespace {

std::string bar(double part) {
  constexpr int width = 20;
  const int full = std::clamp(static_cast<int>(part * width), 0, width);
  return "[" + std::string(static_cast<std::size_t>(full), '=') +
         std::string(static_cast<std::size_t>(width - full), ' ') + "]";
}

} // namespace

TuneBar::TuneBar(std::size_t jobs) : jobs_(jobs), terminal_(isatty(STDERR_FILENO) != 0) {}

bool TuneBar::stopped() { return runtime::StopRequest::signal() != 0; }

void TuneBar::show(std::size_t job, const std::string &name, const runtime::TuneProgress &p) {
  if (stopped())
    throw Stopped{};
  if (job != job_) {
    before_ = trials_;
    job_ = job;
  }
  trials_ = before_ + p.done;
  if (!terminal_)
    return;
  const double seconds = watch_.seconds();
  // Jobs are taken to be alike.
  const double own = p.expected > 0 ? std::min(1.0, static_cast<double>(p.done) / p.expected) : 0;
  const double part = (static_cast<double>(job) + own) / static_cast<double>(jobs_);
  std::string line = fmt::format("{} {}/{} {}: {}", bar(part), job + 1, jobs_, name, p.step);
  if (p.best > 0)
    line += fmt::format(", best {:.2e} TQP/s", p.best);
  line += fmt::format(", {:.0f} trials/s", trials_ / std::max(seconds, 1e-3));
  if (part > 0.02)
    line += fmt::format(", {:.0f} s left", seconds * (1 - part) / part);
  fmt::print(stderr, "\r{:<110.110}", line);
  std::fflush(stderr);
  shown_ = true;
}

void TuneBar::end() {
  if (shown_)
    fmt::print(stderr, "\r{:110}\r", "");
  shown_ = false;
}

} // namespace facet::cli
