// groups.h - what the control groups of this process, and the groups that these lie in, allow it.
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

} // namespace facet::runtime
