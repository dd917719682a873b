// schedules.h - the tuned knobs a command hands to the compiler, and what it says of those it does
// not use.
#pragma once
#include "runtime/cli/command/command.h"
#include "runtime/tuning/tuned.h"
#include <facet/runtime/kernel.h>

namespace facet::cli {

class UsedSchedules {
public:
  /// As schedulesHere; warns on standard error of what cannot be read. Throws Error.
  UsedSchedules(const std::string &asked, bool devices);
  /// For facetc, of targets (names with commas between them); empty words stand for all.
  std::string json(const std::string &targets = "", const std::string &q = "") const;
  /// On standard error: this kernel was tuned in another shape, or by other versions.
  void tell(const runtime::Kernel &kernel, const std::string &file) const;

private:
  runtime::Schedules all_;
};

/// --schedules none|FILE
void addSchedulesOption(Command command, std::string &to);

} // namespace facet::cli
