// progress.h - how far a run is, on a terminal with its rate and the time left; what it says of a
// stop; milliseconds at each stage (facet run --timings).
#pragma once
#include "runtime/engine/system/clock.h"
#include <functional>
#include <string>
#include <unistd.h>

namespace facet::cli {

class Progress {
public:
  /// Without a terminal, says what a run will do, and how long it takes, if it is long or `always`.
  /// `seconds`: expected.
  void begin(const std::string &units, int threads, double seconds, bool always);
  /// Symmetries a StopRequest. `seconds`: until the units in hand are done; `left`: they are left
  /// undone instead.
  void stopping(double seconds, bool left);
  /// Shows a line in the place of the last one, if there is a terminal.
  void show(const std::function<std::string()> &line);
  /// Shows how many of all triangle-q-points are done.
  void show(double done, double total);
  /// Wipes the line.
  void end();

private:
  runtime::Stopwatch watch_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

/// Notes that a stage is reached.
void stage(const char *name);
/// Prints stages to standard error: those noted before, and all from now on.
void printStages();

} // namespace facet::cli
