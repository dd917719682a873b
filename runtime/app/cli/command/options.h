// options.h - options that several commands have; how a command line is refused.
#pragma once
#include "runtime/app/cli/command/command.h"
#include <facet/runtime/kernel.h>
#include <string>

namespace facet::cli {

/// "product" or "points"; "real", "complex" or "cplx". Throw runtime::Error.
facet_grid_kind gridByName(const std::string &name);
facet_q_kind qByName(const std::string &name);
/// A number in this unit, or a text with another of its kind: "12 A". Throws runtime::Error that
/// names the option.
double numberOf(const std::string &option, const std::string &text, const std::string &unit);
/// --schedules none|FILE
void addSchedulesOption(Command command, std::string &to);

/// Reads the words and runs what is chosen. Throws runtime::Error for a line that is refused, else
/// returns CommandLine::read's exit code.
int readWords(CommandLine &line, int argc, char **argv, bool quiet);

} // namespace facet::cli
