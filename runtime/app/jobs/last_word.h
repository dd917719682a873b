// last_word.h - what a run says that its launcher is about to kill.
#pragma once
#include "runtime/engine/run/mpi/communicator.h"
#include "runtime/engine/system/stop_request.h"
#include <string>
#include <thread>

namespace facet::cli {

/// While one lives, under a launcher that kills (Launcher::kills), a StopRequest ends all ranks
/// within half a second, whatever they are at. One message says how many units of `output` are
/// finished, and which rank is gone, if that is why the launcher ends the others.
class LastWord {
public:
  LastWord(runtime::Communicator &ranks, std::string output);

private:
  void watch(const std::stop_token &stop);

  runtime::Communicator &ranks_;
  const std::string output_;
  runtime::StopRequest request_;
  std::jthread thread_;
};

} // namespace facet::cli
