// kernel_for.h - a kernel's library for a grid: as given, or compiled with the knobs tuned here.
#pragma once
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <functional>
#include <string>

namespace facet::runtime {

struct KernelRequest {
  std::string kernel{};    // a name, FILE, or FILE:NAME where a file holds several
  std::string target{};    // "": the best there is
  std::string algorithm{}; // "separable" wants a product grid's variants, however short its z
  std::string schedules{}; // as schedulesHere takes it
  std::function<void(const std::string &)> say{};       // gets remarks and warnings
  std::function<void(const std::string &)> compiling{}; // gets the target before facetc starts
};

struct KernelBuild {
  Kernel kernel;
  std::string file;
  bool compiled = false; // by this call
  double seconds = 0;    // that compiling took
};

/// The kind of grid that a library is compiled for first: a short z axis pads badly as a product,
/// unless the algorithm is "separable".
facet_grid_kind libraryGrid(const Grid &grid, const std::string &algorithm);
/// Throws Error if there is no such kernel or target here, or if facetc refuses the kernel.
KernelBuild kernelFor(const KernelRequest &wanted, const Grid &grid);

} // namespace facet::runtime
