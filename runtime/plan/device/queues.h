// queues.h - the queues of a device as sums of a plan take them.
#pragma once
#include "runtime/plan/pool.h"
#include <facet/abi.h>
#include <memory>
#include <string>

namespace facet::runtime {

/// One host thread with a queue of its own for each buffer of k-buffering: while one tile is
/// computed another is uploaded, a third is downloaded.
class Queues {
public:
  Queues() : pool_(most) {}
  Queues(const Queues &) = delete;
  Queues &operator=(const Queues &) = delete;
  virtual ~Queues() = default;

  static constexpr int most = 8; // knob `streams`
  /// Queue k < most; made when first asked for. By one thread at a time. Throws Error.
  virtual facet_device *queue(int k) = 0;
  /// "" where the device still answers, else what its driver says.
  virtual std::string lost(int k) = 0;
  /// "NVIDIA H200 (cuda:0)".
  virtual std::string name() const = 0;
  /// Bytes that are free on it.
  virtual double freeMemory() const = 0;
  /// Threads that feed the queues: worker k has queue k.
  Pool &pool() { return pool_; }

private:
  Pool pool_;
};

/// Of the device that runs a target. Throws Error where there is none.
std::unique_ptr<Queues> openQueues(const std::string &target);

/// What sums may take of a device: nine tenths of what is free on it, or what FACET_DEVICE_MEMORY
/// says ("2GB"); and of host memory for transfers, a quarter of `hostMemory`, bytes; 0: any. Throws
/// Error where the variable is no number of bytes.
double deviceRoom(const Queues &queues, double hostMemory);

} // namespace facet::runtime
