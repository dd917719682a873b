// mask.cpp - masks of detectors read from HDF5, and their runs.
#include "runtime/scattering/detector/mask.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/system/reader.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace facet::runtime {
namespace {

const char *const maskHelp = "a dataset [rows, columns], not 0 where a pixel is masked; in "
                             "Python detector.mask is an array, as fabio reads one of other files";

bool isHdf5(const std::string &path) {
  FileReader in(path, FileReader::Content::Bytes);
  std::array<char, 8> start{};
  return in && in.read(start.data(), start.size()) &&
         std::string_view(start.data(), start.size()) == "\x89HDF\r\n\x1a\n";
}

/// Adds the paths of masks below an object. One may be below itself: `depth` ends that.
void addMasks(const h5::Object &below, const std::string &path, int depth,
              std::vector<std::string> &found) {
  for (const std::string &name : below.names()) {
    const h5::Object one = below.open(name);
    const std::string at = path + "/" + name;
    if (one.isNumbers() && (name == "pixel_mask" || name == "mask"))
      found.push_back(at);
    else if (depth > 0)
      addMasks(one, at, depth - 1, found);
  }
}

std::string onlyMask(const h5::Object &file, const std::string &path) {
  constexpr int deepest = 6;
  std::vector<std::string> found;
  addMasks(file, "", deepest, found);
  if (found.size() == 1)
    return found[0];
  throw Error(path,
              found.empty() ? std::string("holds no dataset pixel_mask or mask")
                            : fmt::format("holds several masks: {}", fmt::join(found, ", ")),
              fmt::format("name its dataset: mask = \"{}:{}\"", path,
                          found.empty() ? "/entry/mask" : found[0]));
}

} // namespace

PixelMask readMask(const std::string &from) {
  const std::size_t colon = from.rfind(":/");
  const std::string path = from.substr(0, colon);
  if (FileReader(path, FileReader::Content::Bytes) && !isHdf5(path))
    throw Error(path, "a mask is in a file of HDF5, and this is none", maskHelp);
  const h5::Object file(path);
  const std::string name =
      colon != std::string::npos ? from.substr(colon + 1) : onlyMask(file, path);
  if (!file.has(name.substr(1)))
    throw Error(path, fmt::format("there is no dataset {}", name), maskHelp);
  const h5::Object data = file.open(name.substr(1));
  if (!data.isNumbers())
    throw Error(path, fmt::format("{} is no dataset of numbers", name), maskHelp);
  h5::Shape shape = data.shape();
  while (shape.size() > 2 && shape.front() == 1) // one frame
    shape.erase(shape.begin());
  if (shape.size() != 2)
    throw Error(path, fmt::format("{} has {} axes", name, shape.size()), maskHelp);
  const std::vector<double> values = data.doubles();
  PixelMask mask{shape[0], shape[1], std::vector<bool>(values.size())};
  for (std::size_t i = 0; i < values.size(); ++i)
    mask.bad[i] = values[i] != 0;
  return mask;
}

std::vector<std::array<std::int64_t, 2>> runsOf(const PixelMask &mask) {
  std::vector<std::array<std::int64_t, 2>> runs;
  for (std::int64_t i = 0; i < std::ssize(mask.bad); ++i) {
    if (!mask.bad[static_cast<std::size_t>(i)])
      continue;
    if (runs.empty() || runs.back()[0] + runs.back()[1] != i)
      runs.push_back({i, 0});
    ++runs.back()[1];
  }
  return runs;
}

PixelMask maskOf(const std::array<std::int64_t, 2> &shape,
                 const std::vector<std::array<std::int64_t, 2>> &runs) {
  constexpr std::int64_t most = 1'000'000'000; // pixels, and to each side
  const auto [rows, columns] = shape;
  if (rows < 1 || columns < 1 || rows > most || columns > most / rows)
    throw Error("mask", fmt::format("{} x {} pixels are out of reach", rows, columns));
  PixelMask mask{rows, columns, std::vector<bool>(static_cast<std::size_t>(rows * columns))};
  for (const auto &[first, count] : runs) {
    if (first < 0 || count < 0 || count > rows * columns || first > rows * columns - count)
      throw Error("mask", fmt::format("{} pixels from {} on are outside of {} x {}", count, first,
                                      rows, columns));
    std::fill_n(mask.bad.begin() + first, count, true);
  }
  return mask;
}

} // namespace facet::runtime
