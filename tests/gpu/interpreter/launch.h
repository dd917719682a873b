// launch.h - a kernel run: block after block, the lanes of a block side by side.
#pragma once
#include "memory.h"
#include "text.h"
#include <array>

namespace facet::ptx {

using Extent = std::array<unsigned, 3>;

/// How a kernel is launched; arguments as cuLaunchKernel takes them.
struct Launch {
  Extent grid, block;
  unsigned sharedBytes;
  void **arguments;
};

/// Runs a kernel to its end. Throws Fault, with the kernel, the line of its text, block and thread.
/// Faults are a race, a read of what was never written, a place outside of memory or misaligned,
/// lanes that diverge at a barrier.
void run(const Kernel &kernel, const Launch &launch, GlobalMemory &memory, Clock &clock);

} // namespace facet::ptx
