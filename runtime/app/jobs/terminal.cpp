// terminal.cpp - reports; the line of progress; sentences without a terminal, or at a stop; stages.
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/system/stop_request.h"
#include "runtime/engine/system/text.h"
#include <ctime>
#include <fstream>
#include <sstream>

namespace facet::cli {

void Terminal::begin(const std::string &units, int threads, double seconds, bool always) {
  watch_ = {};                  // rates are of these units
  constexpr double isLong = 10; // a shorter run says at its end what it has done
  if (!watched_ && (always || seconds >= isLong))
    terminal::error("facet: {}, {}: about {}\n", units, runtime::plural(threads, "thread"),
                    seconds < 1 ? "1 s or less" : fmt::format("{:.0f} s", seconds));
}

void Terminal::stopping(double seconds, bool left) {
  end();
  const std::string when = seconds < 1 ? "" : fmt::format(", in about {:.0f} s", seconds);
  terminal::error(
      "facet: {}: {}\n", runtime::StopRequest::name(),
      left ? "the units in hand are left, and --resume computes them again"
           : fmt::format("ends with the units in hand{}; once more ends it at once, what is "
                         "finished is kept",
                         when));
}

void Terminal::line(const std::string &text) {
  if (!watched_)
    return;
  fmt::print(stderr, "\r\x1b[K{:.110}", text);
  std::fflush(stderr);
  shown_ = true;
}

void Terminal::show(double done, double total) {
  if (done <= 0 || !watched_)
    return;
  const double rate = done / watch_.seconds();
  line(fmt::format("{:3.0f}%  {:.2e} TQP/s  {:.0f} s left", 100 * done / total, rate,
                   (total - done) / rate));
}

void Terminal::end() {
  if (std::exchange(shown_, false))
    fmt::print(stderr, "\r\x1b[K");
}

void Terminal::note(const std::string &text) {
  end();
  std::fflush(stdout); // what was said before
  terminal::error("facet: {}\n", text);
}

namespace {

// Milliseconds from boot until the process was made, so that loading the libraries counts. The
// system knows this to one tick (10 ms): field 22. Field 2, a name in brackets, may hold blanks.
double processStart() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  for (int field = 3; field < 22; ++field)
    fields >> line;
  double ticks = 0;
  fields >> ticks;
  return ticks * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double now() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

void print(const char *name, double ms) {
  std::fprintf(stderr, "timing: %8.1f ms  %s\n", ms, name);
}

} // namespace

void Terminal::stage(const char *name) {
  static const double start = processStart();
  stages_.push_back({name, now() - start});
  if (stagesShown_)
    print(name, stages_.back().ms);
}

void Terminal::showStages() {
  stagesShown_ = true;
  for (const Stage &s : stages_)
    print(s.name, s.ms);
}

} // namespace facet::cli
