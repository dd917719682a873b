// bounds.cpp - an end to the reading of a kernel file that takes more memory or time than any kernel
// needs: beyond the bounds of the front end, what Clang is led to do by a file is its author's choice.
#include "driver.h"
#include <csignal>
#include <cstring>
#include <fstream>
#include <llvm/Support/ErrorHandling.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace facet::driver {
namespace {

constexpr rlim_t mostBytes = 1 << 30, mostSeconds = 20; // beyond what the program has taken before

[[noreturn]] void end(const char *message) {
  static_cast<void>(!write(STDERR_FILENO, message, std::strlen(message)));
  _exit(1);
}
void outOfMemory() {
  end("facetc: error: reading this kernel file takes more than 1 GB of memory: write it in "
      "parts\n");
}
void outOfTime(int) {
  end("facetc: error: reading this kernel file takes more than 20 s of computing: write it in "
      "parts\n");
}

rlimit limitOf(int resource) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  return limit;
}
/// Lowers a limit of the process; false if it is as low already.
bool lowerTo(int resource, rlim_t most) {
  rlimit limit = limitOf(resource);
  if (limit.rlim_cur <= most)
    return false;
  limit.rlim_cur = most;
  return setrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0;
}

rlim_t addressSpace() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}
rlim_t secondsTaken() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

} // namespace

Bounded::Bounded() : memory_(limitOf(RLIMIT_AS)), time_(limitOf(RLIMIT_CPU)) {
  if (lowerTo(RLIMIT_AS, addressSpace() + mostBytes)) {
    std::set_new_handler(outOfMemory);
    llvm::install_bad_alloc_error_handler(
        [](void *, const char *, bool) { outOfMemory(); }); // of its own calls of malloc
  }
  if (lowerTo(RLIMIT_CPU, secondsTaken() + mostSeconds))
    std::signal(SIGXCPU, outOfTime);
}

Bounded::~Bounded() {
  setrlimit(RLIMIT_AS, &memory_);
  setrlimit(RLIMIT_CPU, &time_);
  std::signal(SIGXCPU, SIG_DFL);
  llvm::remove_bad_alloc_error_handler();
  std::set_new_handler(nullptr);
}

} // namespace facet::driver
