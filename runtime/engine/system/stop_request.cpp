// stop_request.cpp - a handler that sets flags, and calls the one that was there.
#include "runtime/engine/system/stop_request.h"
#include <atomic>
#include <csignal>
#include <mutex>

namespace facet::runtime {

namespace {
std::atomic<int> requested{0}, again{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may set it");

constexpr int signals[] = {SIGTERM, SIGINT};
struct sigaction before[2];
std::mutex mutex;
int living = 0;

bool hasHandler(const struct sigaction &action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void handle(int signal, siginfo_t *about, void *context) {
  if (requested.exchange(signal, std::memory_order_relaxed) != 0)
    again.store(1, std::memory_order_relaxed);
  const struct sigaction &host = before[signal == signals[0] ? 0 : 1];
  if (!hasHandler(host))
    return;
  if ((host.sa_flags & SA_SIGINFO) != 0)
    host.sa_sigaction(signal, about, context);
  else
    host.sa_handler(signal);
}
} // namespace

StopRequest::StopRequest() {
  const std::lock_guard lock(mutex);
  if (living++ > 0)
    return;
  requested = again = 0;
  struct sigaction action{};
  action.sa_sigaction = handle;
  sigemptyset(&action.sa_mask);
  for (int k = 0; k < 2; ++k) {
    sigaction(signals[k], nullptr, &before[k]);
    // RESETHAND: the second signal finds the default action. RESTART: writes under way go on.
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (!hasHandler(before[k]))
      action.sa_flags |= static_cast<int>(SA_RESETHAND);
    // A signal that the caller ignores (nohup, a background job's SIGINT) stays ignored.
    if (before[k].sa_handler != SIG_IGN)
      sigaction(signals[k], &action, nullptr);
  }
}

StopRequest::~StopRequest() {
  const std::lock_guard lock(mutex);
  if (--living > 0)
    return;
  requested = again = 0; // who asks later asks of another run
  for (int k = 0; k < 2; ++k)
    sigaction(signals[k], &before[k], nullptr);
}

int StopRequest::signal() { return requested.load(std::memory_order_relaxed); }

bool StopRequest::insists() { return again.load(std::memory_order_relaxed) != 0; }

const char *StopRequest::name() { return signal() == SIGINT ? "SIGINT" : "SIGTERM"; }

} // namespace facet::runtime
