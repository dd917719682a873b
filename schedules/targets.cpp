// targets.cpp - looks targets up by name.
#include "stages.h"

namespace facet::schedules {

const Architecture *find(std::string_view target) {
#define FACET_TARGET(name, halide, cpu, doc)                                                       \
  if (target == #name)                                                                             \
    return &(name);
#include "targets.def"
  return nullptr;
}

std::string_view halideTarget(std::string_view target) {
#define FACET_TARGET(name, halide, cpu, doc)                                                       \
  if (target == #name)                                                                             \
    return halide;
#include "targets.def"
  return {};
}

} // namespace facet::schedules
