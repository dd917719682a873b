// absent.cpp - a process with a wrong path of FINUFFT has none, lays out all the same, and says
// so when it should transform.
#include "runtime/nufft/transforms.h"
#include <cstdio>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <string>

int main() {
  using namespace facet::runtime;
  setenv("FACET_FINUFFT", "/nowhere/libfinufft.so", 1);
  Grid grid;
  for (Axis &axis : grid.axes)
    axis = linspace(0, 1, 30);
  NufftRequest request;
  request.records = 10;
  if (nufftAvailable() || !layOutNufft(grid, request).possible())
    return 1;
  try {
    NufftTransforms transforms(grid, request);
  } catch (const Error &error) {
    std::puts(error.what());
    return std::string(error.what()).find("install it with") == std::string::npos;
  }
  return 1;
}
