// timings.h - milliseconds since the program was started, at each stage (facet run --timings).
#pragma once

namespace facet::cli {

/// Notes that a stage is reached.
void stage(const char *name);
/// From now on, and for the stages noted before, prints them to standard error.
void printStages();

} // namespace facet::cli
