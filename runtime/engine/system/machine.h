// machine.h - what this machine is and has.
#pragma once
#include <string>

namespace facet::runtime {

/// "GenuineIntel 6 207 2 Intel(R) Xeon(R) ...": vendor, family, model, stepping, name.
std::string cpuId();
/// As many threads as this process may use: its CPU affinity, and the quota of its control groups,
/// rounded up. `root`: as groupLimits takes it.
int usableThreads(const std::string &root = "");
/// Throws Error if so many threads would do nothing but wait for one another. 0: all, or one.
void checkThreads(int threads);
/// Bytes a process may well take: most of what is free, within the limits of its control
/// groups (groups.h). `root`: as groupLimits takes it.
double freeMemory(const std::string &root = "");
/// Today, "2026-11-21".
std::string today();

} // namespace facet::runtime
