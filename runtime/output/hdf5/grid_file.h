// grid_file.h - the result file of F on a grid: complex F in a group of its own, |F|^2 as the plot.
#pragma once
#include "runtime/output/hdf5/nexus.h"
#include "runtime/output/layout.h"

namespace facet::runtime::nexus {

struct GridFile {
  File file; // groups "amplitude" with F, and one named by the view with I
  PictureLayout layout;
};
/// The file points into the grid and the sweep, which must outlive it. `unit` is of F, empty where
/// not stated; `sweep`: the slowest axis of F and I, or null.
GridFile describe(const Grid &grid, const std::string &title, const std::string &unit,
                  const Sweep *sweep = nullptr);

} // namespace facet::runtime::nexus
