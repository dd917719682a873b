// take_units.cpp - one queue of units for all threads of a process.
#include "runtime/blocks/take_units.h"
#include "runtime/files/clock.h"
#include "runtime/files/stop_request.h"
#include "runtime/plan/sums/algorithm.h"
#include "runtime/plan/sums/pool.h"
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace facet::runtime {
namespace {

/// A batch system kills a job some 30 s after it has requested a stop.
constexpr double longWait = 10;
/// Nothing is said of a shorter wait.
constexpr double soon = 1;

class Taking {
public:
  explicit Taking(const UnitsToTake &all)
      : all_(all), began_(static_cast<std::size_t>(std::clamp<std::int64_t>(
                       static_cast<std::int64_t>(all.units.size()), 1, std::max(1, all.workers)))) {
  }

  UnitsTaken run() {
    left_ = began_.size();
    std::vector<std::thread> threads = startThreads(
        static_cast<int>(began_.size()), [this](int k) { work(static_cast<std::size_t>(k)); });
    {
      const std::lock_guard lock(mutex_);
      left_ -= began_.size() - threads.size();
    }
    watch();
    for (std::thread &t : threads)
      t.join();
    if (failure_)
      std::rethrow_exception(failure_);
    return {done_, done_ < static_cast<std::int64_t>(all_.units.size())};
  }

private:
  void work(std::size_t worker) {
    try {
      const OneUnit one = all_.worker(&leave_);
      while ((!all_.stops || StopRequest::signal() == 0) && !failed_) {
        const std::size_t k = next_++;
        if (k >= all_.units.size())
          break;
        begin(worker);
        one(all_.units[k]);
        end(worker);
      }
    } catch (const Abandoned &) { // the unit is done again
    } catch (...) {
      failed_ = true;
      const std::lock_guard lock(mutex_);
      if (!failure_)
        failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    began_[worker].reset();
    --left_;
    end_.notify_one();
  }

  void begin(std::size_t worker) {
    const std::lock_guard lock(mutex_);
    began_[worker] = Clock::now();
  }
  void end(std::size_t worker) {
    const std::lock_guard lock(mutex_);
    seconds_ += secondsSince(*began_[worker]);
    began_[worker].reset();
    ++done_;
  }

  /// Until the units in hand are done, each as long as those before.
  double wait() const {
    const double each = done_ > 0 ? seconds_ / static_cast<double>(done_) : all_.seconds;
    double wait = 0;
    for (const std::optional<Clock::time_point> &began : began_)
      if (began)
        wait = std::max(wait, each - secondsSince(*began));
    return wait;
  }

  /// Once a stop is requested, `seconds` before what is in hand is expected to end.
  void answer(double seconds) {
    if (!asked_)
      asked_ = Clock::now();
    const double waited = secondsSince(*asked_);
    const bool leaves = all_.stops && std::max(waited, seconds) > longWait;
    const bool first = !told_ && std::max(waited, seconds) > soon;
    if (first || (leaves && !leave_))
      all_.stopping(seconds, leaves);
    told_ = told_ || first;
    leave_ = leaves || leave_;
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, std::chrono::milliseconds(100), [&] { return left_ == 0; })) {
      const double seconds = wait();
      lock.unlock();
      if (StopRequest::signal() != 0)
        answer(seconds);
      all_.meanwhile();
      lock.lock();
    }
  }

  const UnitsToTake &all_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false}, leave_{false};
  std::optional<Clock::time_point> asked_; // to stop
  bool told_ = false;
  std::mutex mutex_; // of what follows
  std::condition_variable end_;
  std::vector<std::optional<Clock::time_point>> began_; // the unit in hand, by thread
  double seconds_ = 0;                                  // of those that are done
  std::int64_t done_ = 0;
  std::size_t left_ = 0;
  std::exception_ptr failure_;
};

} // namespace

UnitsTaken takeUnits(const UnitsToTake &all) { return Taking(all).run(); }

} // namespace facet::runtime
