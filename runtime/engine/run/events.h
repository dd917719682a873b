// events.h - what a run tells whoever waits for it.
#pragma once
#include <string>

namespace facet::runtime {

/// What comes while a run computes, from the thread that has begun it. None of it is needed.
class RunEvents {
public:
  RunEvents() = default;
  RunEvents(RunEvents &&) = delete;
  virtual ~RunEvents() = default;

  /// Units begin. `seconds`: expected of all; `always`: they are announced even if they are few.
  virtual void begin(const std::string & /*units*/, int /*threads*/, double /*seconds*/,
                     bool /*always*/) {}
  /// So many of all triangle-q-points are done; about ten times a second.
  virtual void show(double /*done*/, double /*total*/) {}
  /// A StopRequest is answered. `seconds`: until the units in hand are done; `left`: they are left
  /// undone instead.
  virtual void stopping(double /*seconds*/, bool /*left*/) {}
  /// No unit is at work any more.
  virtual void end() {}
  /// Sentences for people.
  virtual void note(const std::string & /*text*/) {}
  virtual void warning(const std::string & /*text*/) {}
  /// A stage is reached.
  virtual void stage(const char * /*name*/) {}
};

} // namespace facet::runtime
