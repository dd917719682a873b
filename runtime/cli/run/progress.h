// progress.h - how far a run is: on a terminal a line with rate and time left; what it says of a
// stop; milliseconds at each stage (facet run --timings).
#pragma once
#include "runtime/files/clock.h"
#include <functional>
#include <string>
#include <unistd.h>

namespace facet::cli {

class Progress {
public:
  /// On no terminal says what a run that takes long will do, and how long: seconds expected.
  void begin(const std::string &units, int threads, double seconds);
  /// Answers a StopRequest: seconds until the units in hand are done; `left`: they are left as they
  /// are instead.
  void stopping(double seconds, bool left);
  /// A line in the place of the one before, if there is a terminal.
  void show(const std::function<std::string()> &line);
  /// The same of triangle-q-points done and all.
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
/// From now on, and for the stages noted before, prints them to standard error.
void printStages();

} // namespace facet::cli
