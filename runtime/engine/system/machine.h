// machine.h - what this machine is and has, and what control groups allow this process.
#pragma once
#include <limits>
#include <string>

namespace facet::runtime {

/// Infinite where no group sets a limit.
struct GroupLimits {
  /// Bytes that may still be taken: the least over all groups of what is allowed, less what is
  /// used there. Files that are only cached count as free. Not below 0.
  double memory = std::numeric_limits<double>::infinity();
  /// Seconds of CPU in a second, the least over all groups.
  double cpus = std::numeric_limits<double>::infinity();
};

/// Finds the groups of version 1 and 2 by proc/self/cgroup and proc/self/mountinfo in the folder
/// `root`, which is put before the mount points too. What cannot be read sets no limit.
GroupLimits groupLimits(const std::string &root = "");

/// "GenuineIntel 6 207 2 Intel(R) Xeon(R) ...": vendor, family, model, stepping, name.
std::string cpuId();
/// As many threads as this process may use: its CPU affinity, and the quota of its control groups,
/// rounded up. `root`: as groupLimits takes it.
int usableThreads(const std::string &root = "");
/// Throws Error if so many threads would do nothing but wait for one another. 0: all, or one.
void checkThreads(int threads);
/// Bytes a process may well take: most of what is free, within the limits of its control
/// groups. `root`: as groupLimits takes it.
double freeMemory(const std::string &root = "");
/// Today, "2026-11-21".
std::string today();

} // namespace facet::runtime
