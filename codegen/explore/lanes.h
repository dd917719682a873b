// lanes.h - x86 vector instructions carried out on one lane, as if all lanes held the same number.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace facet::explore {

/// Each instruction is carried out for so many inputs at once.
constexpr std::size_t trials = 3;

/// What a register, a mask or a place of the memory holds: its bits, for each trial. A float has
/// the lower 32. `from`: the instruction of the loop that made it; -1: none.
struct Lane {
  std::array<std::uint64_t, trials> bits{};
  bool known = false;
  int from = -1;
  double value(std::size_t trial, bool isDouble) const;
};
Lane laneOf(const std::array<double, trials> &values, bool isDouble);

/// An operand in memory: disp(base, index, scale), or a label.
struct Memory {
  std::string base{}, index{}, label{};
  int scale = 1;
  std::int64_t displacement = 0;
  auto operator<=>(const Memory &) const = default;
  /// A place on the stack that holds one vector: LLVM's own, or a variable.
  bool isSlot() const { return (base == "rsp" || base == "rbp") && index.empty(); }
};

struct Operand {
  enum Kind : std::uint8_t { Vector, Mask, Other, Constant, InMemory } kind = Other;
  int number = 0; // of the register; of a constant its value
  Memory memory{};
};

/// An instruction in AT&T's notation: the last operand is where the result goes.
struct Operation {
  std::string name; // without the v of AVX, and without ps, pd, ss, sd
  std::vector<Operand> operands;
  bool isDouble = false, broadcast = false; // a broadcast from memory
  int mask = -1;                            // of AVX-512
  bool zero = false;                        // what is masked becomes 0
  bool isVector() const;
  bool isMultiplyAdd() const;
  bool isZero() const; // a register with itself, exclusively or
};
Operation operationOf(const std::string &text);

/// Registers, and what the memory is known to hold.
class Lanes {
public:
  std::map<int, Lane> vectors, masks;
  std::map<Memory, Lane> memory;

  /// Carries one out; what it does not know makes its result unknown. Returns the result, and in
  /// `read` the instructions that made what it read.
  Lane run(const Operation &instruction, int number, std::vector<int> &read);

private:
  Lane get(const Operand &operand) const;
  static Lane copied(const Operation &instruction, const std::vector<Lane> &in);
  static Lane result(const Operation &instruction, const std::vector<Lane> &in);
  /// False: it is not known what the instruction does.
  static bool makes(const Operation &instruction, const std::vector<Lane> &in, std::size_t trial,
                    std::uint64_t &out);
};

} // namespace facet::explore
