// recorder.h - listens to the steps of a device's calls and keeps their times.
#pragma once
#include "runtime/files/clock.h"
#include "runtime/plan/device/queues.h"
#include <array>
#include <facet/runtime/timeline.h>

namespace facet::runtime {

/// Until it is switched on nothing listens, and calls run as if it were not there.
class Recorder {
public:
  void switchOn(bool on) { on_ = on; }
  /// Forgets earlier calls; times count from now.
  void start();
  /// The calls since start(). Not while queues are at work.
  Timeline timeline() const;

  /// While it lives, the recorder listens to a queue, which is stream `stream`.
  class Listening {
  public:
    Listening(Recorder *recorder, facet_device &queue, int stream);
    ~Listening();
    Listening(const Listening &) = delete;
    Listening &operator=(const Listening &) = delete;

  private:
    facet_device &queue_;
  };

private:
  /// Of one thread at a time.
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
