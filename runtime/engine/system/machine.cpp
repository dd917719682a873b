// machine.cpp - what this machine is and has, from /proc and /sys; limits of control groups: from
// the group of the process up to where they are mounted.
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/budget.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

/// The first number of a file; none if it says "max", or cannot be read.
std::optional<double> numberIn(const fs::path &path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// Lines "name number".
std::map<std::string, double> numbersIn(const fs::path &path) {
  std::ifstream file(path);
  std::map<std::string, double> numbers;
  double number = 0;
  for (std::string name; file >> name >> number;)
    numbers[name] = number;
  return numbers;
}

double sumOf(const std::map<std::string, double> &numbers,
             std::initializer_list<const char *> names) {
  double sum = 0;
  for (const char *name : names)
    if (const auto found = numbers.find(name); found != numbers.end())
      sum += found->second;
  return sum;
}

/// "a\040b", as the system writes a blank in a path: "a b".
std::string unescaped(const std::string &text) {
  std::string plain;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::string digits = text.substr(k + 1, 3);
    if (text[k] == '\\' && digits.size() == 3 &&
        digits.find_first_not_of("01234567") == std::string::npos) {
      plain += static_cast<char>(std::stoi(digits, nullptr, 8));
      k += 3;
    } else
      plain += text[k];
  }
  return plain;
}

bool has(const std::string &list, std::string_view name) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');)
    if (item == name)
      return true;
  return false;
}

/// A hierarchy of groups, as it is mounted: version 2, or version 1 with its controllers.
struct Mount {
  bool unified = false;
  std::string controllers; // "rw,cpu,cpuacct"
  std::string group;       // the group that is mounted
  fs::path at;
};

std::vector<Mount> mounts(const std::string &root) {
  std::ifstream file(root + "/proc/self/mountinfo");
  std::vector<Mount> found;
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos)
      continue;
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string skipped, group, at, type, options;
    before >> skipped >> skipped >> skipped >> group >> at;
    after >> type >> skipped >> options;
    if (type == "cgroup" || type == "cgroup2")
      found.push_back({type == "cgroup2", options, unescaped(group), root + unescaped(at)});
  }
  return found;
}

/// The group of this process in a hierarchy; "" if it is in none.
std::string groupIn(const Mount &mount, std::string_view controller, const std::string &root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) { // "4:memory:/a/b", of version 2 "0::/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (mount.unified ? controllers.empty() : has(controllers, controller))
      return line.substr(second + 1);
  }
  return "";
}

/// Folders of the group and of those that it lies in, up to the mount's. A container may see its
/// group under the host's name while its own is what is mounted: then it is the mount's.
std::vector<fs::path> folders(const Mount &mount, const std::string &group) {
  std::string inside = group;
  if (mount.group != "/" && (group + '/').rfind(mount.group + '/', 0) == 0)
    inside = group.substr(mount.group.size());
  fs::path within = fs::path(inside).relative_path().lexically_normal();
  std::error_code ignored;
  if (within.string().rfind("..", 0) == 0 || !fs::is_directory(mount.at / within, ignored))
    within.clear();
  std::vector<fs::path> all;
  for (; !within.empty(); within = within.parent_path())
    all.push_back(mount.at / within);
  all.push_back(mount.at);
  return all;
}

void take(double &least, double value) { least = std::min(least, std::max(0.0, value)); }

/// Version 2. Beyond memory.high a group is slowed down until it hardly moves.
void limitMemory(const fs::path &folder, GroupLimits &limits) {
  const auto used = numberIn(folder / "memory.current").value_or(0);
  const auto cached = sumOf(numbersIn(folder / "memory.stat"),
                            {"active_file", "inactive_file", "slab_reclaimable"});
  for (const char *name : {"memory.max", "memory.high"})
    if (const auto most = numberIn(folder / name))
      take(limits.memory, *most - std::max(0.0, used - cached));
}

/// Version 1, whose memory.stat knows of groups that a container does not see.
void limitMemory1(const fs::path &folder, GroupLimits &limits) {
  const auto stat = numbersIn(folder / "memory.stat");
  const auto used = numberIn(folder / "memory.usage_in_bytes").value_or(0) -
                    sumOf(stat, {"total_active_file", "total_inactive_file"});
  if (const auto most = numberIn(folder / "memory.limit_in_bytes"))
    take(limits.memory, *most - std::max(0.0, used));
  if (const auto most = stat.find("hierarchical_memory_limit"); most != stat.end())
    take(limits.memory, most->second - std::max(0.0, used));
}

void limitCpus(const fs::path &folder, GroupLimits &limits) {
  std::ifstream file(folder / "cpu.max"); // "50000 100000", "max 100000"
  if (double quota = 0, period = 0; file >> quota >> period && period > 0)
    take(limits.cpus, quota / period);
}

void limitCpus1(const fs::path &folder, GroupLimits &limits) {
  const auto quota = numberIn(folder / "cpu.cfs_quota_us"); // -1: none
  const auto period = numberIn(folder / "cpu.cfs_period_us");
  if (quota && period && *quota > 0 && *period > 0)
    take(limits.cpus, *quota / *period);
}

} // namespace

GroupLimits groupLimits(const std::string &root) {
  struct Controller {
    const char *name;
    void (*version2)(const fs::path &, GroupLimits &);
    void (*version1)(const fs::path &, GroupLimits &);
  };
  constexpr Controller controllers[] = {{"memory", limitMemory, limitMemory1},
                                        {"cpu", limitCpus, limitCpus1}};
  GroupLimits limits;
  for (const Mount &mount : mounts(root))
    for (const Controller &controller : controllers) {
      const std::string group = groupIn(mount, controller.name, root);
      if (group.empty() || !(mount.unified || has(mount.controllers, controller.name)))
        continue;
      for (const fs::path &folder : folders(mount, group))
        (mount.unified ? controller.version2 : controller.version1)(folder, limits);
    }
  return limits;
}

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
