// scratch.cpp - memory for the tables of a separable sum, as a kernel library gives it.
#include <cstdlib>

extern "C" {
__attribute__((visibility("hidden"))) void *halide_malloc(void *, std::size_t bytes) {
  return std::aligned_alloc(128, (bytes + 127) / 128 * 128);
}
__attribute__((visibility("hidden"))) void halide_free(void *, void *memory) { std::free(memory); }
}
