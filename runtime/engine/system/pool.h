// pool.h - worker threads that run numbered tasks.
#pragma once
#include "runtime/engine/system/machine.h"
#include <algorithm>
#include <atomic>
#include <cmath>
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

/// What a step takes on one thread, s, to an order of magnitude: for Pool::run.
namespace seconds {
constexpr double ofTerm = 2e-9;       // one record at one q, in a sum kernel
constexpr double ofRecord = 20e-9;    // packed, or added to the totals
constexpr double ofFinish = 50e-9;    // one q
constexpr double ofReference = 50e-9; // one record at one q
} // namespace seconds

/// Threads that are started by the first work that is worth it, and then wait between runs. Tasks
/// run on these and on the calling thread, unless that has something else to do meanwhile. Tasks
/// that are soon done run on the calling thread alone. A task always runs at the same place of a
/// stack page: the stack position was seen to move a kernel by 28%.
class Pool {
public:
  /// Work of which less is expected, s, is done by the calling thread: waking others took 10 to 120
  /// us each on a virtual machine.
  static constexpr double worthWaking = 50e-6;
  /// How long threads look for the next run before they sleep, s: about what waking them would
  /// take. Runs often follow each other.
  static constexpr double beforeSleeping = 50e-6;
  /// How often `meanwhile` is called, s. One thread gets work that takes longer, so that the caller
  /// can; without `meanwhile` the caller would only wait for it.
  static constexpr double meanwhileEvery = 0.1;

  explicit Pool(int threads);
  Pool(Pool &&) = delete;
  ~Pool();

  /// How many of the threads take tasks from now on; 0: all.
  void limit(int threads) { limit_ = threads; }
  int active() const { return limit_ > 0 ? std::min(limit_, size()) : size(); }
  /// All threads there are, or are going to be, the caller's among them; a worker's number is
  /// below.
  int size() const { return size_; }
  /// Runs work(task, worker) for each task in [0, tasks), returns when all are done. `meanwhile` is
  /// called on this thread about ten times a second. `expected`: seconds of all tasks on one
  /// thread, to an order of magnitude. Rethrows the first exception of a task or of `meanwhile`,
  /// when all threads have stopped. Throws Error in a process forked since, and if there is a
  /// `meanwhile` and the system gives no thread. If the system gives fewer threads than are wanted,
  /// there are fewer, at last the caller alone.
  void run(std::int64_t tasks, const std::function<void(std::int64_t, int)> &work,
           const std::function<void()> &meanwhile = {}, double expected = HUGE_VAL);

private:
  bool isForCaller(double expected, bool hasMeanwhile) const;
  void start(bool all);
  void begin(std::int64_t tasks, const std::function<void(std::int64_t, int)> &work,
             bool callerWorks);
  void wait(int worker);
  void drain(int worker);
  void spread(int worker);
  /// Keeps an exception of the body, and lets tasks that have not begun be.
  template <class Body> void attempt(const Body &body);

  const pid_t process_ = getpid();
  int size_;
  std::thread own_;                    // worker 0 where the caller has something else to do
  std::vector<std::thread> helpers_;   // the others
  std::vector<std::atomic<int>> cpus_; // where each worker last began a run
  struct Signals {
    std::mutex mutex;
    std::condition_variable begin, end;
  };
  std::unique_ptr<Signals> signals_ = std::make_unique<Signals>();
  const std::function<void(std::int64_t, int)> *work_ = nullptr;
  std::atomic<std::int64_t> next_{0};
  std::int64_t tasks_ = 0;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> callerWorks_{true};
  int limit_ = 0;
  std::atomic<bool> stop_{false};
  std::exception_ptr failure_;
};

/// Calls work(begin, end) on parts of [0, n), on so many threads at most. A part has 4096 numbers
/// at least, so that its work is worth a thread.
void inParallel(std::size_t n, int threads,
                const std::function<void(std::size_t, std::size_t)> &work);

} // namespace facet::runtime
