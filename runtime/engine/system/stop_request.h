// stop_request.h - SIGTERM (the end of a batch job) and SIGINT (Ctrl-C) as a question to ask
// between units.
#pragma once

namespace facet::runtime {

/// While one lives, the first SIGTERM or SIGINT only sets a flag; the second of its kind acts as
/// without it, so that Ctrl-C twice ends a run at once. A handler that the process has, as
/// Python's, is called each time, and is in its place again when the last request has gone. Other
/// signals are left alone. One that is made while another lives adds nothing.
class StopRequest {
public:
  StopRequest();
  StopRequest(StopRequest &&) = delete;
  ~StopRequest();
  /// The signal that came, 0 while none has; for every thread.
  static int signal();
  /// It came again, and a handler of the process has kept it from ending here: all is to be left.
  static bool insists();
  /// "SIGTERM" or "SIGINT".
  static const char *name();
};

} // namespace facet::runtime
