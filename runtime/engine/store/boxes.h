// boxes.h - boxes of datasets as bytes of a file: read, written, summed.
#pragma once
#include "runtime/engine/store/layout.h"
#include "runtime/engine/store/nexus.h"
#include <functional>
#include <string>

namespace facet::runtime::tiled {

using nexus::Shape;

struct DatasetBox {
  Shape begin, end;
  bool operator==(const DatasetBox &other) const {
    return begin == other.begin && end == other.end;
  }
};
std::int64_t elements(const DatasetBox &box);
/// Whether it is a box of this shape, with at least one element.
bool within(const DatasetBox &box, const Shape &shape);
/// Calls with (element in the dataset, element in the box, count) for each stretch of elements that
/// lie side by side in the dataset, in the box's order. Stops when a call returns other than 0, and
/// returns that.
[[nodiscard]] int eachRun(const Shape &shape, const DatasetBox &box,
                          const std::function<int(std::int64_t, std::int64_t, std::int64_t)> &call);

/// |F|^2 of a box of a dataset, or F itself if it is real, and the box of the picture of this shape
/// that it fills.
struct SquaredBox {
  DatasetBox box;
  std::vector<double> values;
};
SquaredBox squaresOf(const nexus::Signal &f, const Shape &i, const PictureLayout &layout,
                     const DatasetBox &box, const void *values);

/// Reads so many bytes and calls with pieces of them, their length and place, until a call returns
/// other than 0. Returns that, 0 or errno.
[[nodiscard]] int
readPieces(int file, std::int64_t bytes, std::int64_t offset,
           const std::function<int(const char *, std::int64_t, std::int64_t)> &call);
/// The CRC-32 (zlib's) of more bytes behind those that `sum` is of; begin with 0.
std::uint32_t addToSum(std::uint32_t sum, const void *data, std::int64_t bytes);
/// The same for bytes of a file; returns 0 or errno.
[[nodiscard]] int addToSum(std::uint32_t &sum, int file, std::int64_t bytes, std::int64_t offset);
/// Syncs a folder's entries (renames) to disk, if the file system can.
void syncFolderOf(const std::string &path);

} // namespace facet::runtime::tiled
