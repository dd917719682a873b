// compute.h - the functions of instructions that compute, once for every CPU and once for newer
// ones.
#pragma once
#include "instructions.h"

namespace facet::ptx {

struct Named {
  const char *spelling;
  int count;    // of arguments
  int bytes[4]; // of the result and of each argument
  Compute function;
};

struct FunctionSet {
  const Named *functions;
  std::size_t count;
  void (*setApproximation)(int sign);
};
extern const FunctionSet plainFunctions;
#ifdef __x86_64__
extern const FunctionSet fusedFunctions; // AVX2 and FMA
#endif

} // namespace facet::ptx
