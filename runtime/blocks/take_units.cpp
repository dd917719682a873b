// take_units.cpp - one queue of units for all threads of a process.
#include "runtime/blocks/take_units.h"
#include "runtime/files/stop_request.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace facet::runtime {

UnitsTaken takeUnits(const std::vector<std::int64_t> &units, int workers,
                     const std::function<std::function<void(std::int64_t)>()> &worker,
                     const std::function<void()> &meanwhile, bool stops) {
  std::atomic<std::size_t> next{0}, done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex; // of what follows
  std::condition_variable end;
  std::exception_ptr failure;
  const int n = std::clamp<int>(static_cast<int>(units.size()), 1, std::max(1, workers));
  int left = n;
  const auto work = [&] {
    try {
      const std::function<void(std::int64_t)> one = worker();
      while ((!stops || StopRequest::signal() == 0) && !failed) {
        const std::size_t k = next++;
        if (k >= units.size())
          break;
        one(units[k]);
        ++done;
      }
    } catch (...) {
      failed = true;
      const std::lock_guard lock(mutex);
      if (!failure)
        failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    --left;
    end.notify_one();
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k)
    threads.emplace_back(work);
  {
    std::unique_lock lock(mutex);
    while (!end.wait_for(lock, std::chrono::milliseconds(100), [&] { return left == 0; })) {
      lock.unlock();
      meanwhile();
      lock.lock();
    }
  }
  for (std::thread &t : threads)
    t.join();
  if (failure)
    std::rethrow_exception(failure);
  return {static_cast<std::int64_t>(done), done < units.size()};
}

} // namespace facet::runtime
