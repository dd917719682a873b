// options.cpp - options that several commands have; how a command line is refused.
#include "runtime/app/cli/command/options.h"
#include "runtime/engine/system/text.h"
#include <facet/runtime/error.h>
#include <facet/runtime/experiment.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;

facet_grid_kind gridByName(const std::string &name) {
  if (name != "product" && name != "points")
    throw Error("grid '" + name + "'", "no such kind of grid", "known: product, points");
  return name == "points" ? FACET_POINTS : FACET_PRODUCT;
}

facet_q_kind qByName(const std::string &name) {
  if (name != "real" && name != "complex" && name != "cplx")
    throw Error("q '" + name + "'", "no such kind of q", "known: real, complex");
  return name == "real" ? FACET_REAL_Q : FACET_COMPLEX_Q;
}

namespace {

/// Throws Error for one wrong word of a command line: the parser's own message says less.
[[noreturn]] void refuse(const Unknown &unknown) {
  const std::string near = nearest(unknown.word, unknown.names);
  throw Error("", fmt::format("{} has no {} '{}'", unknown.called, unknown.kind, unknown.word),
              fmt::format("{}{} --help lists them",
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                          unknown.called));
}

/// The same of words that are known.
[[noreturn]] void refuseValue(const UsageError &wrong) {
  throw Error(wrong.called, wrong.what, wrong.help);
}

} // namespace

int readWords(CommandLine &line, int argc, char **argv, bool quiet) {
  return line.read(argc, argv, refuse, refuseValue, quiet);
}

double numberOf(const std::string &option, const std::string &text, const std::string &unit) {
  double number = 0;
  try {
    return runtime::parseNumber(text, number) ? number : runtime::parseQuantity(text, unit);
  } catch (const runtime::Error &e) {
    throw runtime::Error(option, e.what());
  }
}

void addSchedulesOption(Command command, std::string &to) {
  command.option("--schedules", to,
                 "a file of tuned knobs, or none (yours, and those that come with facet)");
}

} // namespace facet::cli
