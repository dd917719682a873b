// timings.cpp - milliseconds since the program was started, at each stage.
#include "runtime/cli/timings.h"
#include <cstdio>
#include <ctime>
#include <string>
#include <unistd.h>
#include <vector>

namespace facet::cli {
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
