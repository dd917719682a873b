// text.h - PTX read: kernels with their parameters, registers and instructions.
#pragma once
#include "instructions.h"
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace facet::ptx {

/// A row of numbers, one a lane: a register, a special register, or a constant.
struct Row {
  int bytes = 0; // 1: a predicate
  enum class Of { Register, Thread, Block, Number } of = Of::Register;
  int axis = 0;             // Thread, Block
  std::uint64_t number = 0; // Number: its bits
};

struct Instruction {
  const Definition *what = nullptr;
  int line = 0;               // of the text, from 1
  std::string text;           // as it is written, for messages
  int guard = -1;             // row of the predicate of a branch; -1: none
  bool guardWanted = true;    // false: @!p
  std::vector<int> results;   // rows
  std::vector<int> arguments; // rows; of a matrix product those of a, b, c after one another
  int address = -1;           // Memory: row of the address; -1: none
  std::int64_t offset = 0;    // Memory: added to it
  std::size_t target = 0;     // Branch: index of an instruction
};

struct Kernel {
  std::string name;
  std::vector<int> parameters; // bytes of each
  std::vector<Row> rows;
  std::vector<Instruction> code;
};

/// What the text says that is not understood, with its line.
struct TextError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Kernels by name. Throws TextError.
std::map<std::string, Kernel> parse(const std::string &text);

/// What instructions a text has, each once, known or not.
std::vector<std::string> spellings(const std::string &text);

} // namespace facet::ptx
