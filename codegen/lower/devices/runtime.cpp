// runtime.cpp - Halide's runtime for devices: an object that make_runtime.cpp made when facetc was
// built.
#include "codegen/lower/lower.h"
#include <fmt/format.h>
#include <fstream>

// The file itself, by the assembler.
asm(".pushsection .rodata\n"
    "facet_device_runtime: .incbin \"" FACET_DEVICE_RUNTIME "\"\n"
    "facet_device_runtime_end:\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const char facet_device_runtime[],
    facet_device_runtime_end[];

namespace facet::lower {

void emitDeviceRuntime(const std::string &path) {
  std::ofstream file(path, std::ios::binary);
  file.write(facet_device_runtime, facet_device_runtime_end - facet_device_runtime);
  file.close();
  if (!file)
    throw ir::Error{fmt::format("cannot write '{}', Halide's runtime for devices", path)};
}

} // namespace facet::lower
