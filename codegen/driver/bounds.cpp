// bounds.cpp - ends the reading of a kernel file that takes more memory or time than any kernel
// needs. Beyond the bounds of the front end the author of a file chooses what Clang does. It also
// gives a message where LLVM would end the program.
#include "driver.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <llvm/Support/ErrorHandling.h>
#include <new>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace facet::driver {
namespace {

constexpr rlim_t mostBytes = 1 << 30, mostSeconds = 20; // beyond what the program has taken before

/// Only the first of several threads speaks; the others leave it time to.
[[noreturn]] void end(const char *message, int code = 1) {
  static std::atomic_flag said;
  if (said.test_and_set())
    sleep(1);
  else
    static_cast<void>(!write(STDERR_FILENO, message, std::strlen(message)));
  _exit(code);
}
bool speaks = false;
/// What is said past the bounds, made before them: there is no memory then. Empty: no bound.
std::string pastMemory, pastTime;

[[noreturn]] void outOfMemory() {
  if (!pastMemory.empty())
    end(pastMemory.c_str());
  end("facetc: error: the memory is not enough for this kernel: free some, or compile for fewer "
      "targets and classes at a time\n",
      2);
}
void outOfTime(int) { end(pastTime.c_str()); }

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

ResourceLimits::ResourceLimits(const std::string &file)
    : memory_(limitOf(RLIMIT_AS)), time_(limitOf(RLIMIT_CPU)) {
  pastTime = fmt::format(
      "{}: error: reading it takes more than 20 s of computing: write it in parts\n", file);
  std::string past = fmt::format("{}: error: reading it takes more than 1 GB of memory, or than "
                                 "there is: write it in parts, or free some\n",
                                 file);
  if (lowerTo(RLIMIT_AS, addressSpace() + mostBytes))
    pastMemory = std::move(past);
  if (lowerTo(RLIMIT_CPU, secondsTaken() + mostSeconds))
    std::signal(SIGXCPU, outOfTime);
}

ResourceLimits::~ResourceLimits() {
  setrlimit(RLIMIT_AS, &memory_);
  setrlimit(RLIMIT_CPU, &time_);
  std::signal(SIGXCPU, SIG_DFL);
  pastMemory.clear();
}

void speakForLlvm() {
  speaks = true;
  std::set_new_handler(outOfMemory); // no exception goes through LLVM and leaves it whole
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { outOfMemory(); }); // of its own calls of malloc
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    end(fmt::format("facetc: error: LLVM cannot go on: {}\n", reason).c_str(), 2);
  });
  // An exception that meets a function of LLVM's, or of the standard library's, that lets none
  // pass.
  std::set_terminate([] {
    try {
      if (std::current_exception())
        throw;
    } catch (const std::bad_alloc &) {
      outOfMemory();
    } catch (...) { // a fault of facetc
    }
    std::abort();
  });
}

} // namespace facet::driver

/// Takes the place of the C library's exit, for all but main. Halide has an LLVM of its own, which
/// calls exit(1) where it cannot write. Other threads still compile then, and would meet what
/// destructors leave.
extern "C" [[noreturn]] void exit(int code) noexcept {
  if (facet::driver::speaks)
    facet::driver::end("facetc: error: the compiler gave up; what it said is above\n", 2);
  reinterpret_cast<decltype(&exit)>(dlsym(RTLD_NEXT, "exit"))(code);
  __builtin_unreachable();
}
