// launch.cpp - a block's lanes, each with a program counter of its own. The lanes at the first
// place in order go on together, so that lanes meet again where their paths do.
#include "launch.h"
#include "order.h"
#include "registers.h"
#include <algorithm>

namespace facet::ptx {
namespace {

constexpr std::size_t ended = static_cast<std::size_t>(-1);
constexpr int warp = 32;

class Block {
public:
  Block(const Kernel &kernel, const Launch &launch, GlobalMemory &memory, Clock &clock)
      : kernel(kernel), launch(launch), memory(memory), clock(clock),
        lanes(static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2])),
        registers(kernel, lanes), order(orderOf(kernel.code)),
        counters(static_cast<std::size_t>(lanes)), waits(static_cast<std::size_t>(lanes)) {
    order.push_back(ended - 1); // beyond the last instruction
  }

  void run(const Extent &at) {
    place = at;
    clock.block = ++clock.now;
    Region mine(0, launch.sharedBytes, "shared");
    shared = &mine;
    registers.begin(at, launch.block);
    std::fill(counters.begin(), counters.end(), 0);
    std::fill(waits.begin(), waits.end(), false);
    while (gather())
      go();
  }

private:
  const Kernel &kernel;
  const Launch &launch;
  GlobalMemory &memory;
  Clock &clock;
  int lanes;
  Registers registers;
  std::vector<std::size_t> order;    // of instructions
  std::vector<std::size_t> counters; // of each lane
  std::vector<bool> waits;           // at a barrier
  Extent place{};
  Region *shared = nullptr;
  Region *lastRegion = nullptr;
  // Lanes that go on together, from the counter that is first in order to the place of the next
  // where others are.
  std::vector<std::uint16_t> active;
  Mask mask;
  std::size_t counter = 0, until = 0;

  const Instruction &instruction() const { return kernel.code[counter]; }

  /// The place in order of where a lane goes on.
  std::size_t placeOf(std::size_t lane) const {
    return counters[lane] == ended ? ended : order[counters[lane]];
  }

  /// Whether lanes are left; they are made the active ones.
  bool gather() {
    counter = until = ended;
    std::size_t first = ended;
    for (std::size_t lane = 0; lane < counters.size(); ++lane)
      if (!waits[lane] && placeOf(lane) < first) {
        first = placeOf(lane);
        counter = counters[lane];
      }
    if (counter == ended)
      return release();
    active.clear();
    mask = {};
    for (std::size_t lane = 0; lane < counters.size(); ++lane) {
      if (waits[lane])
        continue;
      if (counters[lane] == counter) {
        active.push_back(static_cast<std::uint16_t>(lane));
        mask.set(static_cast<int>(lane));
      } else {
        until = std::min(until, placeOf(lane));
      }
    }
    return true;
  }

  /// All lanes wait at a barrier, or have ended.
  bool release() {
    const auto first = std::find(waits.begin(), waits.end(), true);
    if (first == waits.end())
      return false;
    counter = counters[static_cast<std::size_t>(first - waits.begin())];
    for (std::size_t lane = 0; lane < counters.size(); ++lane)
      if (counters[lane] != counter)
        fail(std::string("lanes diverge at a barrier: ") +
                 (counters[lane] == ended ? "this one has ended"
                                          : "this one waits at another, line " +
                                                std::to_string(kernel.code[counters[lane]].line)),
             static_cast<int>(lane));
    ++clock.now;
    std::fill(waits.begin(), waits.end(), false);
    std::fill(counters.begin(), counters.end(), counter + 1);
    return gather();
  }

  /// The active lanes go on until they part, wait, end, or meet others.
  void go() {
    while (order[counter] < until) {
      if (counter >= kernel.code.size())
        throw Fault(kernel.name + ": the code has no end");
      const Instruction &now = instruction();
      bool same = true; // all go to the next instruction
      try {
        same = step(now);
      } catch (const Registers::LaneFault &fault) {
        fail(fault.what(), fault.lane);
      }
      if (!same)
        return;
    }
    for (const std::uint16_t lane : active)
      counters[lane] = counter;
  }

  bool step(const Instruction &now) {
    switch (now.what->kind) {
    case Kind::Compute:
      compute(now);
      break;
    case Kind::Memory:
      access(now);
      break;
    case Kind::Matrices:
      multiply(now);
      break;
    case Kind::Branch:
      return branch(now);
    case Kind::Barrier:
      return wait();
    case Kind::Return:
      for (const std::uint16_t lane : active)
        counters[lane] = ended;
      return false;
    }
    ++counter;
    return true;
  }

  void compute(const Instruction &now) {
    const void *from[3] = {};
    for (std::size_t k = 0; k < now.arguments.size(); ++k) {
      registers.mustHave(now.arguments[k], mask);
      from[k] = registers.row(now.arguments[k]);
    }
    const bool all = active.size() == counters.size();
    now.what->compute(registers.row(now.results[0]), from,
                      {all ? nullptr : active.data(), static_cast<int>(active.size())});
    registers.wrote(now.results[0], mask);
  }

  bool branch(const Instruction &now) {
    if (now.guard >= 0)
      registers.mustHave(now.guard, mask);
    std::size_t taken = 0;
    for (const std::uint16_t lane : active) {
      const bool goes =
          now.guard < 0 || (registers.get<std::uint8_t>(now.guard, lane) != 0) == now.guardWanted;
      counters[lane] = goes ? now.target : counter + 1;
      taken += goes;
    }
    if (taken != 0 && taken != active.size())
      return false;
    counter = counters[active[0]];
    return order[counter] < until;
  }

  /// bar.sync is aligned: all lanes of a warp come to it at once.
  bool wait() {
    mustBeWhole("a barrier");
    for (const std::uint16_t lane : active) {
      counters[lane] = counter;
      waits[lane] = true;
    }
    return false;
  }
  void mustBeWhole(const std::string &at) const {
    std::array<bool, 1024 / warp> here{};
    for (const std::uint16_t lane : active)
      here[static_cast<std::size_t>(lane / warp)] = true;
    for (int lane = 0; lane < lanes; ++lane)
      if (!mask.has(lane) && here[static_cast<std::size_t>(lane / warp)])
        fail("lanes diverge at " + at + ": this one is not here with its warp", lane);
  }

  void access(const Instruction &now) {
    if (now.what->space == Space::Param)
      return loadParameter(now);
    if (now.address >= 0)
      registers.mustHave(now.address, mask);
    for (const int row : now.arguments)
      registers.mustHave(row, mask);
    for (const std::uint16_t lane : active) {
      try {
        accessOne(now, lane);
      } catch (const Fault &fault) {
        fail(fault.what(), lane);
      }
    }
    for (const int row : now.results)
      registers.wrote(row, mask);
  }

  void accessOne(const Instruction &now, int lane) {
    const Definition &what = *now.what;
    const std::uint64_t address = addressOf(now, lane);
    Region &region = regionOf(what.space, address);
    if (address % static_cast<unsigned>(what.size * what.numbers) != 0)
      throw Fault("misaligned: a vector of " + std::to_string(what.size * what.numbers) + " bytes");
    for (int k = 0; k < what.numbers; ++k) {
      const std::uint64_t here = address + static_cast<unsigned>(k * what.size);
      const auto size = static_cast<std::size_t>(what.size);
      if (what.write)
        std::memcpy(region.write(here, what.size, lane, clock),
                    registers.row(now.arguments[static_cast<std::size_t>(k)]) + lane * what.size,
                    size);
      else
        std::memcpy(registers.row(now.results[static_cast<std::size_t>(k)]) + lane * what.size,
                    region.read(here, what.size, lane, clock, what.space == Space::Constant), size);
    }
  }

  std::uint64_t addressOf(const Instruction &now, int lane) {
    std::uint64_t base = 0;
    if (now.address >= 0)
      base = kernel.rows[static_cast<std::size_t>(now.address)].bytes == 8
                 ? registers.get<std::uint64_t>(now.address, lane)
                 : registers.get<std::uint32_t>(now.address, lane);
    return base + static_cast<std::uint64_t>(now.offset);
  }

  Region &regionOf(Space space, std::uint64_t address) {
    if (space == Space::Shared)
      return *shared;
    if (lastRegion == nullptr || !lastRegion->holds(address))
      lastRegion = &memory.of(address);
    return *lastRegion;
  }

  void loadParameter(const Instruction &now) {
    std::uint64_t value = 0; // a byte fills a register of two
    std::memcpy(&value, launch.arguments[now.offset], static_cast<std::size_t>(now.what->size));
    const int bytes = kernel.rows[static_cast<std::size_t>(now.results[0])].bytes;
    for (const std::uint16_t lane : active)
      std::memcpy(registers.row(now.results[0]) + lane * bytes, &value,
                  static_cast<std::size_t>(bytes));
    registers.wrote(now.results[0], mask);
  }

  /// c + a b for each warp; lane 4 g + m has a[g (+ 8)][m (+ 4)], b[m (+ 4)][g], c[g (+ 8)][2 m (+
  /// 1)] (PTX ISA, fragments of mma.m8n8k4 and m16n8k8 with .f64).
  void multiply(const Instruction &now) {
    for (const int row : now.arguments)
      registers.mustHave(row, mask);
    if (lanes % warp != 0)
      fail("a matrix product takes a warp of 32 lanes", 0);
    mustBeWhole("a matrix product");
    for (std::size_t k = 0; k < active.size(); k += warp)
      multiplyOne(now, active[k]);
    for (const int row : now.results)
      registers.wrote(row, mask);
  }

  void multiplyOne(const Instruction &now, int first) {
    const int halves = now.what->rows / 8, steps = now.what->depth / 4, b = halves * steps,
              c = b + steps;
    const auto value = [&](int argument, int lane) {
      return registers.get<double>(now.arguments[static_cast<std::size_t>(argument)], first + lane);
    };
    std::array<std::array<double, 4>, warp> made{};
    for (int lane = 0; lane < warp; ++lane)
      for (int k = 0; k < 2 * halves; ++k) {
        const int group = lane / 4, column = 2 * (lane % 4) + k % 2, half = k / 2;
        double sum = value(c + k, lane);
        for (int depth = 0; depth < now.what->depth; ++depth)
          sum = __builtin_fma(value(half + halves * (depth / 4), 4 * group + depth % 4),
                              value(b + depth / 4, 4 * column + depth % 4), sum);
        made[static_cast<std::size_t>(lane)][static_cast<std::size_t>(k)] = sum;
      }
    for (int lane = 0; lane < warp; ++lane)
      for (int k = 0; k < 2 * halves; ++k)
        registers.put(now.results[static_cast<std::size_t>(k)], first + lane,
                      made[static_cast<std::size_t>(lane)][static_cast<std::size_t>(k)]);
  }

  [[noreturn]] void fail(const std::string &what, int lane) const {
    const auto triple = [](const Extent &at) {
      return "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
             std::to_string(at[2]) + ")";
    };
    const auto linear = static_cast<unsigned>(lane);
    const Extent thread{linear % launch.block[0], linear / launch.block[0] % launch.block[1],
                        linear / launch.block[0] / launch.block[1]};
    throw Fault(what + "\n  kernel " + kernel.name + ", line " +
                std::to_string(instruction().line) + ": " + instruction().text + "\n  block " +
                triple(place) + ", thread " + triple(thread) + ", number " + std::to_string(lane) +
                " of its block");
  }
};

} // namespace

void run(const Kernel &kernel, const Launch &launch, GlobalMemory &memory, Clock &clock) {
  clock.launch = ++clock.now;
  Block block(kernel, launch, memory, clock);
  for (unsigned z = 0; z < launch.grid[2]; ++z)
    for (unsigned y = 0; y < launch.grid[1]; ++y)
      for (unsigned x = 0; x < launch.grid[0]; ++x)
        block.run({x, y, z});
}

} // namespace facet::ptx
