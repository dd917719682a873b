// server.h - a lasting facetc as a child process that compiles candidates.
#pragma once
#include "runtime/engine/kernel/tuned.h"
#include <facet/runtime/kernel.h>
#include <string>
#include <sys/types.h>

namespace facet::runtime {

class CandidateServer {
public:
  struct Answer {
    int id = 0;
    std::string error; // "": the library is there
  };

  /// Starts `facetc --serve=THREADS` for candidates of a kernel file; all of their key but the
  /// shape counts. What facetc leaves, when it is ended, lies in `folder`. Throws Error if it
  /// cannot be started.
  CandidateServer(std::string facetc, std::string file, TunedKey key, int threads,
                  const std::string &folder);
  CandidateServer(CandidateServer &&) = delete;
  /// Ends facetc at once, whatever it does.
  ~CandidateServer();

  /// Requests a library; answers come in any order. Throws Error if facetc has died.
  void ask(int id, const std::string &knobs, const std::string &output);
  /// Waits for one answer. Throws Error if facetc has died or says what is no answer, or if
  /// `timeout` seconds have passed.
  Answer next(double timeout);
  int pending() const { return pending_; }

private:
  [[noreturn]] void died();
  std::string facetc_, file_;
  TunedKey key_;
  pid_t child_ = 0;
  int socket_ = -1;
  int pending_ = 0;
  std::string received_;
};

} // namespace facet::runtime
