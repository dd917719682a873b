// server.h - a lasting facetc as a child process that compiles candidates.
#pragma once
#include "runtime/tuning/tuned.h"
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

  /// Starts `facetc --serve=THREADS` for candidates of a kernel file; of their key all but the shape
  /// counts. What it leaves, when it is ended, lies in `folder`. Throws Error if it cannot be
  /// started.
  CandidateServer(std::string facetc, std::string file, TunedKey key, int threads,
                  const std::string &folder);
  CandidateServer(const CandidateServer &) = delete;
  CandidateServer &operator=(const CandidateServer &) = delete;
  /// Ends it at once, whatever it is at.
  ~CandidateServer();

  /// Requests a library; answers come in any order. Throws Error if facetc has died.
  void ask(int id, const std::string &knobs, const std::string &output);
  /// Waits for one answer. Throws Error: facetc has died or says what is no answer, or `timeout`
  /// seconds have passed.
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
