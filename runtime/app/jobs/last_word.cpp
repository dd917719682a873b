// last_word.cpp - a thread that waits for a stop which nothing else answers in time.
#include "runtime/app/jobs/last_word.h"
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/system/clock.h"
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// From the request: for a run to end by itself, for rank 0 to speak for all; mpirun kills after 1
/// s.
constexpr double ofItself = 0.4, ofRank0 = 0.25;
constexpr std::chrono::milliseconds pause{20};

/// The Error to end with: of what is finished, as far as the disk can be read.
Error lastWord(const Communicator &ranks, const std::string &output) {
  FoundResult found;
  try {
    found = findResult(output);
  } catch (const Error &) { // a disk that does not answer is not what ends this run
  }
  const bool left = found.state == FoundResult::State::Unfinished;
  const std::string how =
      left ? fmt::format(" with {} of {} units finished", found.done, found.units) : "";
  const std::string help = left && found.done > 0 ? "go on with the same command and --resume" : "";
  if (const std::string lost = ranks.lost(); !lost.empty())
    return {output,
            fmt::format("{} has ended without a word, perhaps killed for the memory it took; the "
                        "run ends{}",
                        lost, how),
            help, Exit::Failed};
  return {output, fmt::format("stopped by {}{}", StopRequest::name(), how), help, Exit::Stopped};
}

} // namespace

LastWord::LastWord(Communicator &ranks, std::string output)
    : ranks_(ranks), output_(std::move(output)),
      thread_([this](const std::stop_token &stop) { watch(stop); }) {}

void LastWord::watch(const std::stop_token &stop) {
  while (StopRequest::signal() == 0) {
    if (stop.stop_requested())
      return;
    std::this_thread::sleep_for(pause);
  }
  const Stopwatch watch;
  while (watch.seconds() < ofItself + (ranks_.rank() > 0 ? ofRank0 : 0)) {
    if (stop.stop_requested())
      return;
    std::this_thread::sleep_for(pause);
  }
  const Error said = lastWord(ranks_, output_);
  ranks_.fail(said.what(), static_cast<int>(said.exit));
}

} // namespace facet::cli
