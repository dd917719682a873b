// mask.h - which pixels of a detector do not count: from a file of HDF5, or as runs of pixels.
#pragma once
#include <array>
#include <facet/runtime/scene.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Reads "FILE" or "FILE:/entry/mask": numbers or booleans, row by row, of which those that are not
/// 0 are masked, as NeXus has it in pixel_mask of NXdetector. Without a dataset it takes the only
/// one of the file that is called pixel_mask or mask. Throws Error for another file, a dataset that
/// is not there, and one that is no image of numbers.
PixelMask readMask(const std::string &from);

/// The pixels that do not count as (first, how many), row by row from 0.
std::vector<std::array<std::int64_t, 2>> runsOf(const PixelMask &mask);
/// The mask of such runs, of an image of [rows, columns]. Throws Error for one that is outside.
PixelMask maskOf(const std::array<std::int64_t, 2> &shape,
                 const std::vector<std::array<std::int64_t, 2>> &runs);

} // namespace facet::runtime
