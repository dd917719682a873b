// on_device.cpp - sums on a device: tiles on its queues, smaller ones if its memory is short.
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/sum/sums.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {

namespace {

std::string showTile(const Layout &l) {
  return l.kind == FACET_POINTS ? fmt::format("{} points", l.tile[0])
                                : fmt::format("{} x {} x {}", l.tile[0], l.tile[1], l.tile[2]);
}

} // namespace

// Calls of fewer records would free too little memory.
constexpr std::int64_t leastRecords = 64;

/// The tiles that queues still have to take. Tiles and calls become smaller if the memory is short.
class TilesLeft {
public:
  TilesLeft(const Layout &layout, const std::int32_t pad[3])
      : tiles_(layout.tiles()), pad_(pad), most_(volume(layout.tile)), records_(layout.block) {}

  /// The next one; false if there is none left.
  bool take(Hyperblock &block) {
    const std::lock_guard lock(mutex_);
    if (!halves_.empty()) {
      block = halves_.back();
      halves_.pop_back();
    } else if (next_ < tiles_.count()) {
      block = {tiles_.at(next_++)};
    } else {
      return false;
    }
    cut(block);
    return true;
  }

  /// The device had no memory for `records` of this tile: makes it, and all that follow, smaller,
  /// or else calls take fewer records. False if neither can be.
  bool shrink(Hyperblock &block, std::int64_t records) {
    const std::lock_guard lock(mutex_);
    Hyperblock first = block;
    if (halve(first, pad_).size() > 0) {
      most_ = std::min(most_, first.size());
      cut(block);
      return true;
    }
    records_ = std::min(records_, std::max(leastRecords, records / 2));
    return records > leastRecords;
  }

  /// Records that a call takes now.
  std::int64_t records() {
    const std::lock_guard lock(mutex_);
    return records_;
  }

  /// Gives `layout` the tiles and calls it should have had from the beginning; false if it had
  /// them. Not while queues take tiles.
  bool adjust(Layout &layout) const {
    Hyperblock whole{{{}, layout.tile}};
    while (whole.size() > most_ && halve(whole, pad_).size() > 0)
      ;
    const bool changed = whole.end != layout.tile || records_ != layout.block;
    layout.block = records_;
    layout.tile = whole.end;
    return changed;
  }

private:
  void cut(Hyperblock &block) {
    while (block.size() > most_) {
      const Hyperblock second = halve(block, pad_);
      if (second.size() == 0)
        return;
      halves_.push_back(second);
    }
  }

  Cutter tiles_;
  const std::int32_t *pad_;
  std::mutex mutex_;
  std::vector<Hyperblock> halves_;
  std::int64_t next_ = 0, most_, records_;
};

int Sums::streams() const { return std::clamp(knobsOf(*variant_).streams, 1, Queues::most); }

DeviceRoom Sums::room() const { return {deviceRoom(*work_.queues, work_.memory), streams()}; }

// The error of a failed call. What earlier calls have added stays in the host's sums.
Error Sums::deviceError(int code, int stream) const {
  const double total = static_cast<double>(source_.size()) * static_cast<double>(layout_.size());
  std::string said = work_.queues->queue(stream)->message;
  std::string why, help;
  if (code == FACET_NO_MEMORY) {
    why = "has too little memory for the smallest tile";
    help = "free some of it, or take --target of a CPU";
  } else if (code == FACET_NO_DEVICE) {
    why = "is not what the kernel library was compiled for";
    help = "see `facet machines`, build the library again";
  } else if (code != FACET_DEVICE_FAILED) {
    why = fmt::format("the sum failed with code {}", code);
    help = "this is a fault of the kernel library: build it again";
  } else if (const std::string lost = work_.queues->lost(stream); !lost.empty()) {
    why = "was lost";
    said += said.empty() ? lost : "; " + lost;
    help = "ask its driver (dmesg), run again, there or with --target of a CPU";
  } else {
    why = "refused the kernel";
    help = "run again with other knobs, or with --target of a CPU";
  }
  return {"device " + work_.queues->name(),
          fmt::format("{} when {:.0f}% of the sums were done (class {}, target {}){}{}", why,
                      std::floor(100 * static_cast<double>(done_) / total),
                      className(variant_->klass), variant_->target, said.empty() ? "" : ": ", said),
          help + "; nothing was written", Exit::Failed};
}

void Sums::feed(TilesLeft &left, int stream) {
  facet_device *queue = work_.queues->queue(stream);
  const Recorder::Subscription listening(work_.recorder, *queue, stream);
  const std::int64_t records = source_.size();
  for (Hyperblock block; left.take(block);) {
    if (block.record == 0)
      clear(block, 0);
    while (block.record < records) {
      work_.look();
      facet_sum_args args = arguments(block, 0);
      args.device = queue;
      args.t_begin = block.record;
      args.t_end = std::min(args.t_begin + left.records(), records);
      queue->message[0] = 0;
      const int code = variant_->sum(&args);
      if (code == FACET_NO_MEMORY && left.shrink(block, args.t_end - args.t_begin))
        continue;
      if (code != FACET_DONE)
        throw deviceError(code, stream);
      done_.fetch_add(pointsOf(block) * (args.t_end - args.t_begin), std::memory_order_relaxed);
      block.record = args.t_end;
    }
  }
}

void Sums::sumOnDevice(const std::function<void()> &meanwhile) {
  const std::lock_guard turn(work_.queues->turn());
  TilesLeft left(layout_, variant_->pad);
  Pool &pool = work_.queues->pool();
  const int threads = static_cast<int>(std::min<std::int64_t>(streams(), layout_.tileCount()));
  pool.limit(threads);
  // A worker may take two of these tasks: it finds no tile left for the second.
  pool.run(threads, [&](std::int64_t, int worker) { feed(left, worker); }, meanwhile);
  if (left.adjust(layout_))
    shortOfMemory_ = true;
}

std::string Sums::device() const {
  if (variant_->interface_ == FACET_CPU)
    return "";
  const auto count = layout_.tileCount();
  std::string text =
      fmt::format("{}, {} stream{}, {} tile{} of {}", work_.queues->name(), streams(),
                  streams() == 1 ? "" : "s", count, count == 1 ? "" : "s", showTile(layout_));
  if (layout_.block < source_.size())
    text += fmt::format(", {} records a call", layout_.block);
  if (shortOfMemory_)
    text += "; smaller than planned: the device ran out of memory";
  return text;
}

} // namespace facet::runtime
