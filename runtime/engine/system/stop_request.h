// stop_request.h - SIGTERM (the end of a batch job) and SIGINT (Ctrl-C) as a question to ask
// between units.
#pragma once

namespace facet::runtime {

/// While one lives, the first SIGTERM or SIGINT only sets a flag; the second of its kind acts as
/// without it, so that Ctrl-C twice ends a run at once. Other signals are left alone. One that is
/// made while another lives, by the same thread, adds nothing.
class StopRequest {
public:
  StopRequest();
  StopRequest(const StopRequest &) = delete;
  StopRequest &operator=(const StopRequest &) = delete;
  ~StopRequest();
  /// The signal that came, 0 while none has; for every thread.
  static int signal();
  /// "SIGTERM" or "SIGINT".
  static const char *name();
};

} // namespace facet::runtime
