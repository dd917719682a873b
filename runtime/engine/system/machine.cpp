// machine.cpp - what this machine is and has, from /proc and /sys.
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/groups.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <facet/runtime/error.h>
#include <fstream>
#include <limits>
#include <sched.h>
#include <thread>

namespace facet::runtime {
namespace {

/// CPUs that this process may run on.
int allowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
  const unsigned n = std::thread::hardware_concurrency();
  return n > 0 ? static_cast<int>(n) : 1;
}

} // namespace

std::string cpuId() {
  static const std::string found = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string id;
    for (std::string line; std::getline(file, line) && !line.empty();)
      for (const char *key : {"vendor_id", "cpu family", "model\t", "model name", "stepping"})
        if (line.rfind(key, 0) == 0)
          id += (id.empty() ? "" : " ") + line.substr(std::min(line.find(':') + 2, line.size()));
    return id;
  }();
  return found;
}

int usableThreads(const std::string &root) {
  const double cpus = std::ceil(groupLimits(root).cpus);
  return static_cast<int>(std::clamp<double>(cpus, 1, allowedCpus()));
}

void checkThreads(int threads) {
  constexpr int many = 256; // on any machine
  const int most = std::max(many, 4 * usableThreads());
  if (threads < 0 || threads > most)
    throw Error("threads " + std::to_string(threads),
                "is not a number from 0 to " + std::to_string(most) + " on this machine",
                "0 takes all it has: " + std::to_string(usableThreads()));
}

double freeMemory(const std::string &root) {
  double free = bytes::ifUnknown;
  std::ifstream file(root + "/proc/meminfo");
  std::string key;
  for (double kilobytes = 0; key != "MemAvailable:" && file >> key >> kilobytes;) {
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    if (key == "MemAvailable:")
      free = kilobytes * 1024;
  }
  return bytes::shareOfFree * std::min(free, groupLimits(root).memory);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

} // namespace facet::runtime
