// unknown_word.h - what to say of a command or an option that there is none of.
#pragma once
#include "runtime/cli/command.h"

namespace facet::cli {

/// After a command line was refused: throws an Error for the first word that is the name of no
/// command or option, with the name that was meant. Returns if there is none: the parser's own
/// message is enough.
void nameUnknown(const Command &app);

} // namespace facet::cli
