// tiles_left.cpp - the tiles that queues of a device still have to take.
#include "runtime/plan/sums/tiles_left.h"
#include <algorithm>

namespace facet::runtime {

// Calls of fewer records free nothing worth it.
constexpr std::int64_t leastRecords = 64;

bool TilesLeft::take(Hyperblock &block) {
  const std::lock_guard lock(mutex_);
  if (!halves_.empty()) {
    block = halves_.back();
    halves_.pop_back();
  } else if (next_ < layout_->tileCount()) {
    block = hyperblock(*layout_, next_++);
  } else {
    return false;
  }
  cut(block);
  return true;
}

bool TilesLeft::shrink(Hyperblock &block, std::int64_t records) {
  const std::lock_guard lock(mutex_);
  Hyperblock first = block;
  if (halve(first, variant_->pad).points() > 0) {
    most_ = std::min(most_, first.points());
    cut(block);
    return true;
  }
  records_ = std::min(records_, std::max(leastRecords, records / 2));
  return records > leastRecords;
}

std::int64_t TilesLeft::records() {
  const std::lock_guard lock(mutex_);
  return records_;
}

bool TilesLeft::adjust(Layout &layout) const {
  Hyperblock whole{{}, layout.tile, 0};
  while (whole.points() > most_ && halve(whole, variant_->pad).points() > 0)
    ;
  const bool changed = whole.end != layout.tile || records_ != layout.block;
  layout.block = records_;
  setTiles(layout, whole.end);
  return changed;
}

void TilesLeft::cut(Hyperblock &block) {
  while (block.points() > most_) {
    const Hyperblock second = halve(block, variant_->pad);
    if (second.points() == 0)
      return;
    halves_.push_back(second);
  }
}

} // namespace facet::runtime
