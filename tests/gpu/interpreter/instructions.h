// instructions.h - the table instructions.def as values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace facet::ptx {

/// Which lanes of a block take part: all of `count`, or those that are listed.
struct Lanes {
  const std::uint16_t *list = nullptr; // null: all
  int count = 0;
};

/// Computes a row of values, one a lane, from up to three rows.
using Compute = void (*)(void *result, const void *const *arguments, Lanes lanes);

enum class Kind { Compute, Memory, Matrices, Branch, Barrier, Return };
enum class Space { None, Param, Global, Constant, Shared }; // Constant: global, not to be written

/// A row of the table.
struct Definition {
  Kind kind = Kind::Compute;
  int count = 0;     // Compute: arguments
  int bytes[4] = {}; // Compute: of the result and of each argument
  Compute compute = nullptr;
  Space space = Space::None; // Memory
  bool write = false;        // Memory
  int size = 0, numbers = 0; // Memory: bytes of a number, how many
  int rows = 0, depth = 0;   // Matrices
};

/// The row of this spelling; null if there is none. Computes by the best instructions of this CPU.
const Definition *find(std::string_view spelling);
/// All spellings of the table.
std::vector<std::string> known();

/// By how much of their documented bounds sin.approx, cos.approx and ex2.approx err from now on:
/// -1, 0 or 1 times.
void setApproximation(int sign);

} // namespace facet::ptx
