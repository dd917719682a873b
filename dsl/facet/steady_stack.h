// steady_stack.h - calls a sum with the stack at the same place of a page, wherever the caller's
// is.
//
// A processor takes a load for one of a store before it when their addresses agree in the low 12
// bits, and waits. Sums keep tables of rows, and what does not fit the registers, on the stack, so
// that the place of the caller's stack in its page would move their speed.
#pragma once
#include "abi.h"

namespace facet::steady {

constexpr unsigned long page = 4096; // bytes: addresses are compared within it

/// Calls sum(args). At the call the stack pointer's place in its page is the same for all callers.
#ifdef __wasm__ // its engine chooses the stack
inline int call(facet_sum_fn sum, const facet_sum_args *args) { return sum(args); }
#else
__attribute__((noinline)) inline int call(facet_sum_fn sum, const facet_sum_args *args) {
  const auto frame = reinterpret_cast<unsigned long>(__builtin_frame_address(0));
  void *room = __builtin_alloca(frame % page); // multiples of 16, as frames are: nothing is rounded
  __asm__ volatile("" : : "r"(room) : "memory");
  const int result = sum(args);
  __asm__ volatile("" : : "r"(room) : "memory"); // no tail call: the room must last
  return result;
}
#endif

} // namespace facet::steady
