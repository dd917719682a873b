// lay_out.h - a described result file as HDF5.
#pragma once
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/store/layout.h"
#include "runtime/engine/store/nexus.h"
#include <facet/runtime/output.h>

namespace facet::runtime::nexus {

/// How signals lie in the file. Whole: HDF5's default. Early: contiguous, with their room taken and
/// no fill values written, so that tiles can be written at the dataset's offset without HDF5.
/// Compressed: in chunks, shuffled and deflated.
enum class Storage { Whole, Early, Compressed };

/// Inside h5::fillFile: makes all groups and datasets, writes all that is known or can be made, and
/// calls `fill` for each other signal.
using Fill = std::function<void(const Group &, const Signal &, hid_t dataset)>;
void layOut(hid_t root, const File &file, Storage storage, const Fill &fill);
void writeProcess(hid_t root, const Process &process);
/// Writes a file of which all is known, and renames it when it is whole; throws Error.
void writeFile(const std::string &path, const File &file, const Process &process);

/// Calls with (begin, end, count) of each chunk of Storage::Compressed, in order.
void eachChunk(const Shape &shape,
               const std::function<void(const Shape &, const Shape &, const Shape &)> &call);
/// Writes a box of a dataset: `begin` and `count` in elements, values in its order.
void writeBox(hid_t dataset, const Signal &signal, const Shape &begin, const Shape &count,
              const void *values);

/// The file of F on a grid: groups "amplitude" with complex F, and one named by the view of
/// layoutOf(grid) with I = |F|^2 in its order, which is the plot. Outputs with names have such a
/// pair each: NAME and NAME_image (.. _curve); I of a real output is F. It points into the grid and
/// the sweep, which must outlive it. `unit` is of F, empty if it is not stated; `sweep`: the
/// slowest axis of F and I, or null.
File describe(const Grid &grid, const std::string &title, const std::string &unit,
              const Sweep *sweep = nullptr, const std::vector<NamedOutput> &outputs = {});

} // namespace facet::runtime::nexus
