// registers.h - the registers of a block as rows over its lanes, each with the lanes that have
// written it.
#pragma once
#include "memory.h"
#include "text.h"
#include <array>
#include <cstring>

namespace facet::ptx {

/// A set of a block's lanes.
class Mask {
public:
  void set(int lane) { words[static_cast<std::size_t>(lane) / 64] |= bit(lane); }
  bool has(int lane) const { return (words[static_cast<std::size_t>(lane) / 64] & bit(lane)) != 0; }
  void add(const Mask &other) {
    for (std::size_t k = 0; k < words.size(); ++k)
      words[k] |= other.words[k];
  }
  /// The first lane of `wanted` that is not in the set; -1: all are.
  int missing(const Mask &wanted) const {
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < words.size(); ++k)
      any |= wanted.words[k] & ~words[k];
    for (std::size_t k = 0; any != 0 && k < words.size(); ++k)
      if (const std::uint64_t left = wanted.words[k] & ~words[k]; left != 0)
        return static_cast<int>(64 * k) + __builtin_ctzll(left);
    return -1;
  }
  bool operator==(const Mask &) const = default;

private:
  static std::uint64_t bit(int lane) { return std::uint64_t{1} << (lane % 64); }
  std::array<std::uint64_t, 16> words{}; // 1024 lanes
};

class Registers {
public:
  Registers(const Kernel &kernel, int lanes)
      : kernel(kernel), lanes(lanes), offsets(kernel.rows.size()), has(kernel.rows.size()) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      offsets[k] = size;
      size += (static_cast<std::size_t>(kernel.rows[k].bytes * lanes) + 63) / 64 * 64;
    }
    storage.resize(size);
    for (int lane = 0; lane < lanes; ++lane)
      all.set(lane);
  }

  char *row(int number) { return &storage[offsets[static_cast<std::size_t>(number)]]; }
  template <class T> T get(int number, int lane) {
    T value;
    std::memcpy(&value, row(number) + lane * static_cast<int>(sizeof value), sizeof value);
    return value;
  }
  template <class T> void put(int number, int lane, T value) {
    std::memcpy(row(number) + lane * static_cast<int>(sizeof value), &value, sizeof value);
  }

  /// Nothing is written but numbers and places.
  void begin(const std::array<unsigned, 3> &block, const std::array<unsigned, 3> &threads) {
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const Row &row = kernel.rows[k];
      has[k] = row.of == Row::Of::Register ? Mask() : all;
      for (int lane = 0; lane < lanes && row.of != Row::Of::Register; ++lane)
        fill(static_cast<int>(k), row, lane, block, threads);
    }
  }

  void wrote(int number, const Mask &active) { has[static_cast<std::size_t>(number)].add(active); }
  /// Throws Fault, with the lane, if one of them has not written the row.
  void mustHave(int number, const Mask &active) const {
    const int lane = has[static_cast<std::size_t>(number)].missing(active);
    if (lane >= 0)
      throw LaneFault("a register is read, and was never written", lane);
  }

  struct LaneFault : Fault {
    LaneFault(const std::string &what, int lane) : Fault(what), lane(lane) {}
    int lane;
  };

private:
  const Kernel &kernel;
  int lanes;
  std::vector<char> storage;
  std::vector<std::size_t> offsets;
  std::vector<Mask> has;
  Mask all;

  void fill(int number, const Row &row, int lane, const std::array<unsigned, 3> &block,
            const std::array<unsigned, 3> &threads) {
    const auto axis = static_cast<std::size_t>(row.axis);
    const auto linear = static_cast<unsigned>(lane);
    const std::array<unsigned, 3> place{linear % threads[0], linear / threads[0] % threads[1],
                                        linear / threads[0] / threads[1]};
    const std::uint64_t value = row.of == Row::Of::Number   ? row.number
                                : row.of == Row::Of::Thread ? place[axis]
                                                            : block[axis];
    std::memcpy(this->row(number) + lane * row.bytes, &value, static_cast<std::size_t>(row.bytes));
  }
};

} // namespace facet::ptx
