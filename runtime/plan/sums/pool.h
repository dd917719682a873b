// pool.h - worker threads that run numbered tasks.
#pragma once
#include "runtime/planner/machine.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace facet::runtime {

/// Threads that wait between runs. Kernels always run on these, even if there is only one, each at
/// the same place of its stack page: the caller's stack position was seen to move a kernel by 28%.
class Pool {
public:
  /// Fewer threads if the system gives no more. Throws Error if it gives none.
  explicit Pool(int threads);
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool();

  /// How many of the threads take tasks from now on; 0: all.
  void limit(int threads) { limit_ = threads; }
  int active() const { return limit_ > 0 ? std::min(limit_, size()) : size(); }
  /// All threads there are; a worker's number is below.
  int size() const { return static_cast<int>(workers_.size()); }
  /// Runs work(task, worker) for each task in [0, tasks), returns when all are done. `meanwhile` is
  /// called on this thread about ten times a second. Rethrows the first exception of a task or of
  /// `meanwhile`, when all threads have stopped. Throws Error in a process forked since.
  void run(std::int64_t tasks, const std::function<void(std::int64_t, int)> &work,
           const std::function<void()> &meanwhile = {});

private:
  void wait(int worker);
  void drain(int worker);
  void spread(int worker);
  /// Keeps an exception of the body, and lets tasks that have not begun be.
  template <class Body> void attempt(const Body &body);

  const pid_t process_ = getpid();
  std::vector<std::thread> workers_;
  std::vector<std::atomic<int>> cpus_; // where each worker last began a run
  struct Signals {
    std::mutex mutex;
    std::condition_variable begin, end;
  };
  std::unique_ptr<Signals> signals_ = std::make_unique<Signals>();
  const std::function<void(std::int64_t, int)> *work_ = nullptr;
  std::atomic<std::int64_t> next_{0};
  std::int64_t tasks_ = 0;
  std::uint64_t round_ = 0;
  int busy_ = 0, limit_ = 0;
  bool stop_ = false;
  std::exception_ptr failure_;
};

} // namespace facet::runtime
