// memory.h - memory that knows who wrote and who read it, and when: races, reads of what was never
// written, places outside it.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace facet::ptx {

/// What must not be; the launch adds where.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Time as blocks see it: it goes on at each barrier, at each block, at each launch. What threads
/// of one block do at different times is in order; what different blocks do in one launch never is.
struct Clock {
  std::uint32_t now = 2, block = 2, launch = 2; // now; since when the block, and the launch, runs
};
constexpr std::uint32_t written = 1; // the time at which the host writes

/// Bytes, and for each four of them who was there last. All accesses are of 4 or 8 bytes.
class Region {
public:
  Region(std::uint64_t base, std::size_t bytes, const char *name)
      : base(base), bytes(bytes), cells((bytes + 3) / 4), name(name) {}

  bool holds(std::uint64_t address) const {
    return address >= base && address - base < bytes.size();
  }
  std::size_t size() const { return bytes.size(); }

  /// Where thread `thread` of the block reads `size` bytes; throws Fault. `constant`: nobody may
  /// write them in this launch.
  const char *read(std::uint64_t address, int size, int thread, const Clock &clock, bool constant);
  char *write(std::uint64_t address, int size, int thread, const Clock &clock);

  /// The same by the host; throws Fault for what was never written, or is outside.
  void upload(std::uint64_t address, const void *from, std::size_t size);
  void download(std::uint64_t address, void *to, std::size_t size) const;

private:
  struct Cell {
    std::uint32_t writeTime = 0, readTime = 0, firstRead = 0; // firstRead: of the last launch
    std::uint16_t writer = 0, reader = 0;                     // thread of the block; of two: many
  };
  static constexpr std::uint16_t many = 0xFFFF;
  std::uint64_t base;
  std::vector<char> bytes;
  std::vector<Cell> cells;
  const char *name;

  char *at(std::uint64_t address, std::size_t size, std::size_t alignment);
  void readCell(std::size_t k, int thread, const Clock &clock, bool constant);
  void writeCell(std::size_t k, int thread, const Clock &clock);
  void mustNotRace(const char *what, std::uint32_t time, int other, std::size_t k, int thread,
                   const Clock &clock) const;
  [[noreturn]] void fail(const std::string &what, std::size_t at) const;
};

/// A device's memory. Addresses are none of the host's, and between two allocations is a gap.
class GlobalMemory {
public:
  std::uint64_t allocate(std::size_t bytes);
  /// Throws Fault if nothing was allocated there.
  void free(std::uint64_t address);
  /// The allocation that an address lies in; throws Fault.
  Region &of(std::uint64_t address);

private:
  std::map<std::uint64_t, Region> regions;
  std::uint64_t next = std::uint64_t{1} << 62;
};

} // namespace facet::ptx
