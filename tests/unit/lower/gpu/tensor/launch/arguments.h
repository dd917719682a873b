// arguments.h - a kernel's parameters as cuLaunchKernel takes them, and pointers of a device that
// no host can follow.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace emulate {

/// Set in every pointer of the fake device's memory.
constexpr std::uint64_t ofDevice = std::uint64_t{1} << 62;

/// The memory itself; a pointer of the host ends the program.
inline void *memory(std::uint64_t pointer) {
  if ((pointer & ofDevice) == 0)
    std::abort();
  return reinterpret_cast<void *>(pointer & ~ofDevice);
}

template <class T> T value(void *argument) {
  if constexpr (std::is_pointer_v<T>)
    return static_cast<T>(memory(*static_cast<std::uint64_t *>(argument)));
  else
    return *static_cast<T *>(argument);
}

template <class... T, std::size_t... k>
void call(void (*kernel)(T...), void **arguments, std::index_sequence<k...>) {
  kernel(value<T>(arguments[k])...);
}
template <class... T> void call(void (*kernel)(T...), void **arguments) {
  call(kernel, arguments, std::index_sequence_for<T...>());
}

} // namespace emulate
