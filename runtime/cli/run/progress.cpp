// progress.cpp - the line of progress; sentences without a terminal, or at a stop; stages.
#include "runtime/cli/run/progress.h"
#include "runtime/files/stop_request.h"
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

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

namespace {

struct Stage {
  const char *name;
  double ms;
};
std::vector<Stage> stages;
bool printing = false;

// Since the process was made, so that loading the libraries counts. The system knows that moment to
// one tick (10 ms) only.
double processStart() {
  std::FILE *file = std::fopen("/proc/self/stat", "r");
  if (file == nullptr)
    return 0;
  char text[1024];
  const std::size_t n = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  const std::string line(text, n);
  std::size_t at = line.rfind(')'); // field 2 may hold blanks; the start time is field 22
  for (int field = 2; field < 22 && at != std::string::npos; ++field)
    at = line.find(' ', at + 1);
  if (at == std::string::npos)
    return 0;
  return std::strtod(line.c_str() + at, nullptr) * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double now() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

void print(const Stage &s) { std::fprintf(stderr, "timing: %8.1f ms  %s\n", s.ms, s.name); }

} // namespace

void stage(const char *name) {
  static const double start = processStart();
  stages.push_back({name, now() - start});
  if (printing)
    print(stages.back());
}

void printStages() {
  printing = true;
  for (const Stage &s : stages)
    print(s);
}

} // namespace facet::cli
