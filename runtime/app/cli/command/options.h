// options.h - options that several commands have.
#pragma once
#include "runtime/app/cli/command/command.h"
#include <facet/runtime/kernel.h>
#include <string>

namespace facet::cli {

/// "product" or "points"; "real", "complex" or "cplx". Throw runtime::Error.
facet_grid_kind gridByName(const std::string &name);
facet_q_kind qByName(const std::string &name);
/// --schedules none|FILE
void addSchedulesOption(Command command, std::string &to);

} // namespace facet::cli
