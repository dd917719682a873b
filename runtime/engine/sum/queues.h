// queues.h - the queues of a device as sums of a plan take them, and the times of their calls.
#pragma once
#include "runtime/engine/device/timeline.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/pool.h"
#include <array>
#include <facet/runtime/kernel.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace facet::runtime {

/// The queues of a device, each with a host thread of its own, one for each buffer of k-buffering.
/// While one tile is computed another is uploaded, a third is downloaded.
class Queues {
public:
  Queues() : pool_(most) {}
  Queues(Queues &&) = delete;
  virtual ~Queues() = default;

  static constexpr int most = 8; // knob `streams`
  /// How many units a run has at once: while the device sums one, others are finished and written.
  static constexpr int units = 3;
  /// Queue k < most, made at its first use; for one thread at a time. Throws Error.
  virtual facet_device *queue(int k) = 0;
  /// "" if the device still answers, else what its driver says.
  virtual std::string lost(int k) = 0;
  /// "NVIDIA H200 (cuda:0)".
  virtual std::string name() const = 0;
  /// Bytes that are free on it.
  virtual double freeMemory() const = 0;
  /// Threads that feed the queues: worker k has queue k.
  Pool &pool() { return pool_; }
  /// Held while sums feed the queues: others that have sums to make wait, and finish meanwhile.
  std::mutex &turn() { return turn_; }

private:
  Pool pool_;
  std::mutex turn_;
};

bool runsOnDevice(const Kernel &kernel, const std::string &target);
/// The queues of the device that runs a target. Throws Error if there is none.
std::unique_ptr<Queues> openQueues(const std::string &target);

/// Queues opened at their first use, for all that sum on the device of a target.
class SharedQueues {
public:
  /// Null if CPUs run the target. Throws Error if its device cannot be opened.
  Queues *of(const Kernel &kernel, const std::string &target);

private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Queues>> queues_; // by target
};

/// Bytes that sums may take of a device: nine tenths of what is free on it, or what
/// FACET_DEVICE_MEMORY says ("2GB"). Transfers take host memory, so it is at most a quarter of
/// `hostMemory` (bytes; 0: any). Throws Error if the variable is no number of bytes.
double deviceRoom(const Queues &queues, double hostMemory);

/// Keeps the times of calls. Until it is switched on nothing listens, and calls run as if it were
/// not there.
class Recorder {
public:
  void switchOn(bool on) { on_ = on; }
  /// Forgets earlier calls; times count from now.
  void start();
  /// The calls since start(). Not to be called while queues are at work.
  Timeline timeline() const;

  /// While it lives, the recorder listens to a queue, which is stream `stream`.
  class Subscription {
  public:
    Subscription(Recorder *recorder, facet_device &queue, int stream);
    ~Subscription();
    Subscription(Subscription &&) = delete;

  private:
    facet_device &queue_;
  };

private:
  /// Used by one thread at a time.
  struct Stream {
    int number = 0;
    Clock::time_point zero;
    DeviceCall call;
    std::vector<DeviceCall> calls;
  };
  static void step(facet_device *queue, std::int32_t which);

  bool on_ = false;
  Clock::time_point zero_;
  std::array<Stream, Queues::most> streams_;
};

} // namespace facet::runtime
