// take_units.cpp - one queue of units for all threads of a process.
#include "runtime/engine/run/take_units.h"
#include "runtime/engine/sum/algorithm.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/pool.h"
#include "runtime/engine/system/stop_request.h"
#include <algorithm>
#include <mutex>
#include <optional>

namespace facet::runtime {
namespace {

/// A shorter wait is not reported.
constexpr double soon = 1;

class UnitLoop {
public:
  explicit UnitLoop(const UnitsToTake &all)
      : all_(all), began_(static_cast<std::size_t>(std::clamp<std::int64_t>(
                       std::ssize(all.units), 1, std::max(1, all.workers)))) {}

  UnitCount run() {
    Pool(static_cast<int>(began_.size()))
        .run(
            std::ssize(began_),
            [this](std::int64_t, int worker) { work(began_[static_cast<std::size_t>(worker)]); },
            [this] { watch(); });
    return {done_, done_ < std::ssize(all_.units)};
  }

private:
  using BeginTime = std::optional<Clock::time_point>;

  bool isLeft() const {
    return (!all_.stops || StopRequest::signal() == 0) && !failed_ && next_ < all_.units.size();
  }

  /// A worker that comes twice, since another has not come yet, finds nothing left.
  void work(BeginTime &began) {
    if (!isLeft())
      return;
    try {
      const OneUnit one = all_.worker(&leave_);
      while (isLeft()) {
        const std::size_t k = next_++;
        if (k >= all_.units.size())
          break;
        begin(began);
        one(all_.units[k]);
        end(began, true);
      }
    } catch (const AbandonedWork &) {
      end(began, false); // the unit is done again
    } catch (...) {
      failed_ = true;
      end(began, false);
      throw;
    }
  }

  void begin(BeginTime &began) {
    const std::lock_guard lock(mutex_);
    began = Clock::now();
  }
  void end(BeginTime &began, bool done) {
    const std::lock_guard lock(mutex_);
    if (done) {
      seconds_ += secondsSince(*began);
      ++done_;
    }
    began.reset();
  }

  /// Seconds until the units in hand are done, if each takes as long as those before.
  double wait() {
    const std::lock_guard lock(mutex_);
    const double each = done_ > 0 ? seconds_ / static_cast<double>(done_) : all_.seconds;
    double wait = 0;
    for (const BeginTime &began : began_)
      if (began)
        wait = std::max(wait, each - secondsSince(*began));
    return wait;
  }

  /// Symmetries a stop request, `seconds` before the units in hand are expected to end.
  void answer(double seconds) {
    if (!asked_)
      asked_ = Clock::now();
    const double waited = secondsSince(*asked_);
    const bool leaves =
        all_.stops && (StopRequest::insists() || std::max(waited, seconds) >= all_.patience);
    const bool first = !told_ && std::max(waited, seconds) > soon;
    if (first || (leaves && !leave_))
      all_.stopping(seconds, leaves);
    told_ = told_ || first;
    leave_ = leaves || leave_;
  }

  void watch() {
    if (StopRequest::signal() != 0)
      answer(wait());
    all_.meanwhile();
  }

  const UnitsToTake &all_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false}, leave_{false};
  std::optional<Clock::time_point> asked_; // when a stop was requested
  bool told_ = false;
  std::mutex mutex_;             // guards what follows
  std::vector<BeginTime> began_; // the unit in hand, by thread
  double seconds_ = 0;           // of finished units
  std::int64_t done_ = 0;
};

} // namespace

UnitCount takeUnits(const UnitsToTake &all) { return UnitLoop(all).run(); }

} // namespace facet::runtime
