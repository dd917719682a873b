// unknown_word.h - what to say of a command or an option that there is none of.
#pragma once
#include <CLI/CLI.hpp>

namespace facet::cli {

/// After a command line was refused: throws an Error for the first word that is the name of no
/// command or option, with the name that was meant. Returns if there is none: the parser's own
/// message is enough.
void nameUnknown(const CLI::App &app);

} // namespace facet::cli
