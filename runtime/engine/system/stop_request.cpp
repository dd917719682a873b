// stop_request.cpp - handlers that set a flag and nothing else.
#include "runtime/engine/system/stop_request.h"
#include <atomic>
#include <csignal>

namespace facet::runtime {

namespace {
std::atomic<int> requested{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may set it");

constexpr int signals[] = {SIGTERM, SIGINT};
struct sigaction before[2];
int living = 0;

void handle(int signal) { requested.store(signal, std::memory_order_relaxed); }
} // namespace

StopRequest::StopRequest() {
  if (living++ > 0)
    return;
  requested = 0;
  struct sigaction action{};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  // RESETHAND: the second signal finds the default action. RESTART: writes under way go on.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (int k = 0; k < 2; ++k) {
    sigaction(signals[k], nullptr, &before[k]);
    // A signal that the caller ignores (nohup, a background job's SIGINT) stays ignored.
    if (before[k].sa_handler != SIG_IGN)
      sigaction(signals[k], &action, nullptr);
  }
}

StopRequest::~StopRequest() {
  if (--living > 0)
    return;
  requested = 0; // who asks later asks of another run
  for (int k = 0; k < 2; ++k)
    sigaction(signals[k], &before[k], nullptr);
}

int StopRequest::signal() { return requested.load(std::memory_order_relaxed); }

const char *StopRequest::name() { return signal() == SIGINT ? "SIGINT" : "SIGTERM"; }

} // namespace facet::runtime
