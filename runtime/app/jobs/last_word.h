// last_word.h - what a run says that its launcher is about to kill.
#pragma once
#include "runtime/engine/run/mpi/communicator.h"
#include "runtime/engine/system/stop_request.h"
#include <memory>
#include <string>
#include <thread>

namespace facet::cli {

/// While one lives, a StopRequest under a launcher that kills (Launcher::kills) ends all ranks
/// within half a second, whatever they are at, with one message: how many units of `output` are
/// finished, and which rank is gone, if that is why the launcher ends the others. Otherwise it does
/// nothing.
class LastWord {
public:
  LastWord(runtime::Communicator &ranks, std::string output);

private:
  void watch(const std::stop_token &stop);

  runtime::Communicator &ranks_;
  const std::string output_;
  struct Watching {
    runtime::StopRequest request;
    std::jthread thread;
  };
  std::unique_ptr<Watching> watching_; // null: nothing is to be watched
};

} // namespace facet::cli
