// sync.cpp - finished units go to disk: their bytes first, then their lines, on a thread beside
// those that compute.
#include "runtime/files/stop_request.h"
#include "runtime/output/tiled/state.h"
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace facet::runtime::tiled {

State::~State() {
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_all();
  if (syncer.joinable())
    syncer.join();
}

void State::finished(std::unique_lock<std::mutex> &lock) {
  if (failure)
    std::rethrow_exception(failure);
  // Once a stop was asked for the next signal ends the process: what is finished waits for nothing.
  if (options.syncSeconds <= 0 || StopRequest::signal() != 0) {
    sync(lock);
    return;
  }
  if (!syncer.joinable())
    syncer = std::thread([this] { syncInBackground(); });
  wake.notify_all();
}

void State::flush() {
  std::unique_lock lock(mutex);
  wake.wait(lock, [this] { return syncing == 0; });
  if (failure)
    std::rethrow_exception(failure);
  sync(lock);
}

void State::syncInBackground() {
  std::unique_lock lock(mutex);
  const auto every = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.syncSeconds));
  while (!stop && !failure) {
    wake.wait(lock, [this] { return stop || !waiting.empty(); });
    if (wake.wait_until(lock, synced + every, [this] { return stop; }))
      return; // what is left is the destructor's, or finalise's, to flush
    try {
      sync(lock);
    } catch (...) {
      failure = std::current_exception();
    }
  }
}

void State::sync(std::unique_lock<std::mutex> &lock) {
  if (waiting.empty())
    return;
  ++syncing;
  const std::string text = std::exchange(lines, {});
  const std::vector<std::int64_t> units = std::exchange(waiting, {});
  lock.unlock();
  int error = fdatasync(part.get()) == 0 ? 0 : errno;
  if (error == 0 && aside && fdatasync(aside.get()) != 0)
    error = errno;
  // O_APPEND: the lines go to the end in one write. Lost in a crash of the machine, they only cost
  // their units, so the journal itself is not waited for.
  if (error == 0) {
    const ssize_t written = ::write(journal.get(), text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size()))
      error = written < 0 ? errno : ENOSPC;
  }
  lock.lock();
  --syncing;
  synced = Clock::now();
  wake.notify_all();
  if (error != 0) {
    closed = true; // a torn line may be the last: nothing is appended to it
    fail(error);
  }
  for (const std::int64_t unit : units)
    finishedHere[static_cast<std::size_t>(unit)] = true;
}

} // namespace facet::runtime::tiled
