// memory.cpp - what each access is checked for.
#include "memory.h"
#include <cstring>

namespace facet::ptx {

void Region::fail(const std::string &what, std::size_t at) const {
  throw Fault(std::string(name) + " memory, byte " + std::to_string(at) + " of " +
              std::to_string(bytes.size()) + ": " + what);
}

char *Region::at(std::uint64_t address, std::size_t size, std::size_t alignment) {
  const std::uint64_t place = address - base;
  if (address < base || place + size > bytes.size())
    throw Fault(std::string(name) + " memory, out of bounds: " + std::to_string(size) +
                " bytes from byte " + std::to_string(static_cast<std::int64_t>(place)) + " of " +
                std::to_string(bytes.size()));
  if (place % alignment != 0)
    fail("misaligned, " + std::to_string(alignment) + " bytes are accessed", place);
  return &bytes[place];
}

/// A cell was touched at `time` by thread `other`, and is touched now, one of them writing.
void Region::mustNotRace(const char *what, std::uint32_t time, int other, std::size_t k, int thread,
                         const Clock &clock) const {
  if (time < clock.launch)
    return;
  if (time < clock.block)
    fail(std::string("race: another block of this launch ") + what + " it too", 4 * k);
  if (time == clock.now && other != thread)
    fail(std::string("race: thread ") + (other == many ? "after thread" : std::to_string(other)) +
             " of the block " + what + " it too, with no barrier in between",
         4 * k);
}

void Region::readCell(std::size_t k, int thread, const Clock &clock, bool constant) {
  Cell &cell = cells[k];
  if (cell.writeTime == 0)
    fail("read, and never written", 4 * k);
  mustNotRace("writes", cell.writeTime, cell.writer, k, thread, clock);
  if (constant && cell.writeTime >= clock.launch)
    fail("read through the cache of constants (.nc), and written in the same launch", 4 * k);
  if (cell.readTime != clock.now)
    cell.reader = static_cast<std::uint16_t>(thread);
  else if (cell.reader != thread)
    cell.reader = many;
  cell.readTime = clock.now;
  if (cell.firstRead < clock.launch)
    cell.firstRead = clock.now;
}

void Region::writeCell(std::size_t k, int thread, const Clock &clock) {
  Cell &cell = cells[k];
  mustNotRace("writes", cell.writeTime, cell.writer, k, thread, clock);
  if (cell.firstRead < clock.block)
    mustNotRace("reads", cell.firstRead, many, k, thread, clock);
  mustNotRace("reads", cell.readTime, cell.reader, k, thread, clock);
  cell.writer = static_cast<std::uint16_t>(thread);
  cell.writeTime = clock.now;
}

const char *Region::read(std::uint64_t address, int size, int thread, const Clock &clock,
                         bool constant) {
  const auto length = static_cast<std::size_t>(size);
  const char *from = at(address, length, length);
  for (std::size_t k = (address - base) / 4; k < (address - base + length) / 4; ++k)
    readCell(k, thread, clock, constant);
  return from;
}

char *Region::write(std::uint64_t address, int size, int thread, const Clock &clock) {
  const auto length = static_cast<std::size_t>(size);
  char *to = at(address, length, length);
  for (std::size_t k = (address - base) / 4; k < (address - base + length) / 4; ++k)
    writeCell(k, thread, clock);
  return to;
}

void Region::upload(std::uint64_t address, const void *from, std::size_t size) {
  if (size == 0)
    return;
  std::memcpy(at(address, size, 4), from, size);
  for (std::size_t k = (address - base) / 4; k < (address - base + size + 3) / 4; ++k)
    cells[k] = {.writeTime = written};
}

void Region::download(std::uint64_t address, void *to, std::size_t size) const {
  if (size == 0)
    return;
  std::memcpy(to, const_cast<Region *>(this)->at(address, size, 4), size);
  for (std::size_t k = (address - base) / 4; k < (address - base + size) / 4; ++k)
    if (cells[k].writeTime == 0)
      fail("downloaded, and never written", 4 * k);
}

std::uint64_t GlobalMemory::allocate(std::size_t bytes) {
  constexpr std::uint64_t alignment = 256, gap = 1 << 20;
  const std::uint64_t made = next;
  regions.emplace(made, Region(made, bytes, "global"));
  next += (bytes + alignment - 1) / alignment * alignment + gap;
  return made;
}

void GlobalMemory::free(std::uint64_t address) {
  if (regions.erase(address) == 0)
    throw Fault("freed, and never allocated");
}

Region &GlobalMemory::of(std::uint64_t address) {
  auto after = regions.upper_bound(address);
  if (after == regions.begin())
    throw Fault("global memory, out of bounds: nothing is allocated at this address");
  return std::prev(after)->second; // which knows where it ends
}

} // namespace facet::ptx
