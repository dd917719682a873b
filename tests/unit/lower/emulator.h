// emulator.h - a sum for another architecture, run on this machine under qemu-user.
#pragma once
#include "schedules/targets.h"
#include <HalideRuntime.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace facet::test {

/// One argument of a sum, in order: an integer, a double or a buffer.
struct CallArgument {
  enum Kind { Integer, Double, Input, Output } kind = Integer;
  std::int64_t integer = 0;
  double real = 0;
  halide_buffer_t *buffer = nullptr;
  std::size_t bytes = 0; // of the buffer's data
};

/// Why programs for an architecture cannot be made and run here, and what to install; "" if they
/// can.
std::string emulatorProblem(std::string_view architecture);

/// A program that makes calls of one sum, alive as long as this.
class Emulator {
public:
  /// Throws std::runtime_error if the object does not link: it may need nothing but memory.
  /// The machine has vectors as long as the target's.
  Emulator(const schedules::TargetInfo &target, const std::string &object,
           const std::string &symbol, const std::string &folder);
  Emulator(const Emulator &) = delete;
  Emulator &operator=(const Emulator &) = delete;
  ~Emulator();
  /// What the sum returns. Throws std::runtime_error if the program died.
  int operator()(const std::vector<CallArgument> &arguments) const;

private:
  void give(const void *data, std::size_t bytes) const;
  void take(void *data, std::size_t bytes) const;
  pid_t child = 0;
  int socket = -1;
};

} // namespace facet::test
