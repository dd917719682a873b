// options.h - the command line of facetc.
#pragma once
#include <string>

namespace facet::driver {

/// What was asked for, as text: empty where an option was not given, "1" for a flag that was.
struct Options {
#define FACET_OPTION(member, name, value, help) std::string member;
#include "codegen/driver/options/options.def"
  std::string input;
  std::string commandLine; // as it can be typed again
};

/// Throws ir::Error for what it does not know, naming the nearest option it does.
Options parseOptions(int argc, char **argv);
std::string helpText();

/// The one of `known` (separated by '|') with the fewest edits to `word`; empty where none is near.
std::string nearest(const std::string &word, const std::string &known);
/// A whole number of at least `least`; throws ir::Error naming the option.
int wholeNumber(const std::string &option, const std::string &text, int least);

} // namespace facet::driver
