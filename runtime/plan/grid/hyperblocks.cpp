// hyperblocks.cpp - tiles of a grid for a device, and those its queues still have to take.
#include "runtime/plan/grid/hyperblocks.h"
#include "runtime/planner/budget.h"
#include <algorithm>

namespace facet::runtime {

namespace {

double recordBytes(const facet_variant &v) {
  return std::max(1.0, (v.klass == FACET_F64 ? 8.0 : 4.0) * v.narrow_fields + 8.0 * v.wide_fields);
}

} // namespace

std::int64_t recordsPerCall(const facet_variant &variant, const DeviceRoom &room) {
  constexpr double least = 64; // fewer, and a call would be all launch
  const double queue = room.bytes / room.streams;
  const double most = std::min(queue / 2, bytes::largestBuffer) / recordBytes(variant);
  return std::min<std::int64_t>(variant.t_block, static_cast<std::int64_t>(std::max(most, least)));
}

void setTiles(Layout &layout, const std::array<std::int64_t, 3> &tile) {
  layout.tile = tile;
  for (std::size_t k = 0; k < 3; ++k)
    layout.tiles[k] = quotientUp(layout.padded[k], tile[k]);
}

void cutHyperblocks(Layout &layout, const facet_variant &variant, const DeviceRoom &room) {
  const double all = static_cast<double>(layout.paddedSize());
  const double queue = room.bytes / room.streams;
  const double fits =
      std::min(queue / 2 / bytes::ofComplex, bytes::largestBuffer / bytes::ofNumber);
  const double overlaps =
      std::max(all / (3.0 * room.streams), static_cast<double>(leastHyperblock));
  const auto most = static_cast<std::int64_t>(std::max(1.0, std::min(fits, overlaps)));
  std::array<std::int64_t, 3> tile = layout.padded;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t pad = variant.pad[k];
    const std::int64_t others = tile[0] * tile[1] * tile[2] / tile[k];
    std::int64_t longest = std::clamp<std::int64_t>(most / others / pad * pad, pad, tile[k]);
    if (variant.tile[k] > 0)
      longest = std::min(longest, roundUp(variant.tile[k], pad));
    // Even parts: a last tile that is a strip leaves the device idle.
    const std::int64_t parts = quotientUp(layout.padded[k], longest);
    tile[k] = roundUp(quotientUp(layout.padded[k], parts), pad);
  }
  setTiles(layout, tile);
}

Hyperblock halve(Hyperblock &block, const std::int32_t pad[3]) {
  std::size_t longest = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (block.extent(k) / pad[k] > block.extent(longest) / pad[longest])
      longest = k;
  Hyperblock second = block;
  second.begin[longest] += roundUp(quotientUp(block.extent(longest), 2), pad[longest]);
  block.end[longest] = std::min(second.begin[longest], block.end[longest]);
  second.begin[longest] = block.end[longest];
  return second;
}

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
  if (halve(first, variant_->pad).size() > 0) {
    most_ = std::min(most_, first.size());
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
  Hyperblock whole{{{}, layout.tile}};
  while (whole.size() > most_ && halve(whole, variant_->pad).size() > 0)
    ;
  const bool changed = whole.end != layout.tile || records_ != layout.block;
  layout.block = records_;
  setTiles(layout, whole.end);
  return changed;
}

void TilesLeft::cut(Hyperblock &block) {
  while (block.size() > most_) {
    const Hyperblock second = halve(block, variant_->pad);
    if (second.size() == 0)
      return;
    halves_.push_back(second);
  }
}

} // namespace facet::runtime
