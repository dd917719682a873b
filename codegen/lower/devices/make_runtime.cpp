// make_runtime.cpp - a program of the build: Halide's runtime for devices as an object. It is the
// same for every library, and takes Halide longer than a short sum: facetc carries it
// (runtime.cpp).
//   facet_make_device_runtime FILE.o
#include "schedules/targets.h"
#include <Halide.h>
#include <exception>
#include <fmt/format.h>

namespace {

/// All devices, and the host as its part of their code is compiled (gpu.cpp).
Halide::Target allDevices() {
  using Halide::Target;
  Target all(fmt::format("{}-user_context", facet::schedules::baseline().halide));
  for (const facet::schedules::TargetInfo &target : facet::schedules::targetTable())
    for (const Target::Feature feature : {Target::OpenCL, Target::CLDoubles, Target::CUDA})
      if (facet::schedules::isDevice(target) &&
          Target(fmt::format("host-{}", target.halide)).has_feature(feature))
        all.set_feature(feature);
  return all;
}

} // namespace

int main(int count, char **words) {
  if (count != 2) {
    fmt::print(stderr, "usage: facet_make_device_runtime FILE.o\n");
    return 2;
  }
  try {
    Halide::compile_standalone_runtime(words[1], allDevices());
  } catch (const std::exception &error) {
    fmt::print(stderr, "facet_make_device_runtime: {}\n", error.what());
    return 1;
  }
  return 0;
}
