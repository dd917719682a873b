// boxes.cpp - stretches and squares of a box; sums of bytes.
#include "runtime/engine/store/boxes.h"
#include "runtime/engine/system/files.h"
#include <algorithm>
#include <complex>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <zlib.h>

namespace facet::runtime::tiled {

std::int64_t elements(const DatasetBox &box) {
  std::int64_t count = 1;
  for (std::size_t k = 0; k < box.begin.size(); ++k)
    count *= box.end[k] - box.begin[k];
  return count;
}

bool within(const DatasetBox &box, const Shape &shape) {
  if (box.begin.size() != shape.size() || box.end.size() != shape.size())
    return false;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (box.begin[k] < 0 || box.begin[k] >= box.end[k] || box.end[k] > shape[k])
      return false;
  return true;
}

int eachRun(const Shape &shape, const DatasetBox &box,
            const std::function<int(std::int64_t, std::int64_t, std::int64_t)> &call) {
  // Axes that the box holds whole join the one before them.
  std::size_t axes = shape.size();
  std::int64_t inner = 1;
  while (axes > 1 && box.begin[axes - 1] == 0 && box.end[axes - 1] == shape[axes - 1])
    inner *= shape[--axes];
  const std::size_t last = axes - 1;
  const std::int64_t run = (box.end[last] - box.begin[last]) * inner;
  Shape at = box.begin;
  for (std::int64_t done = 0;;) {
    if (const int stop = call(nexus::flat(shape, at), done, run); stop != 0)
      return stop;
    done += run;
    std::size_t k = last;
    while (k > 0 && ++at[k - 1] == box.end[k - 1]) {
      at[k - 1] = box.begin[k - 1];
      --k;
    }
    if (k == 0)
      return 0;
  }
}

int readPieces(int file, std::int64_t bytes, std::int64_t offset,
               const std::function<int(const char *, std::int64_t, std::int64_t)> &call) {
  std::vector<char> piece(static_cast<std::size_t>(std::min<std::int64_t>(bytes, 1 << 20)));
  int error = 0;
  for (std::int64_t at = 0, n = 0; at < bytes && error == 0; at += n) {
    n = std::min<std::int64_t>(bytes - at, std::ssize(piece));
    error = readAt(file, piece.data(), n, offset + at);
    if (error == 0)
      error = call(piece.data(), n, offset + at);
  }
  return error;
}

std::uint32_t addToSum(std::uint32_t sum, const void *data, std::int64_t bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(sum, static_cast<const Bytef *>(data), static_cast<z_size_t>(bytes)));
}

int addToSum(std::uint32_t &sum, int file, std::int64_t bytes, std::int64_t offset) {
  return readPieces(file, bytes, offset, [&](const char *piece, std::int64_t n, auto) {
    sum = addToSum(sum, piece, n);
    return 0;
  });
}

void syncFolderOf(const std::string &path) {
  const Descriptor folder(std::filesystem::absolute(path).parent_path(), O_RDONLY | O_DIRECTORY);
  if (folder)
    fsync(folder.get());
}

namespace {
double itself(double real) { return real; }
double squared(double real) { return real * real; }
double norm(const std::complex<double> &f) { return std::norm(f); }

template <class Value, double drawn(Value)>
SquaredBox drawnOf(const Shape &f, const Shape &i, const PictureLayout &layout,
                   const DatasetBox &box, const void *values) {
  const auto *from = static_cast<const std::remove_cvref_t<Value> *>(values);
  SquaredBox to{box, std::vector<double>(static_cast<std::size_t>(elements(box)))};
  if (f.size() != 3 || i.size() != 2) {
    // A curve: at most one of the axes of the box is long.
    if (const std::int64_t first = nexus::flat(f, box.begin); i.size() < f.size())
      to.box = {{first}, {first + elements(box)}};
    for (std::size_t k = 0; k < to.values.size(); ++k)
      to.values[k] = drawn(from[k]);
    return to;
  }
  // Rows are the later axis, along which F lies side by side.
  const auto y = static_cast<std::size_t>(layout.rowAxis),
             x = static_cast<std::size_t>(layout.columnAxis);
  to.box = {{box.begin[y], box.begin[x]}, {box.end[y], box.end[x]}};
  const auto rows = static_cast<std::size_t>(to.box.end[0] - to.box.begin[0]);
  const auto columns = static_cast<std::size_t>(to.box.end[1] - to.box.begin[1]);
  constexpr std::size_t tile = 32; // both sides of the turn stay in the cache
  for (std::size_t r0 = 0; r0 < rows; r0 += tile)
    for (std::size_t c0 = 0; c0 < columns; c0 += tile)
      for (std::size_t r = r0; r < std::min(r0 + tile, rows); ++r)
        for (std::size_t c = c0; c < std::min(c0 + tile, columns); ++c)
          to.values[r * columns + c] = drawn(from[c * rows + r]);
  return to;
}
} // namespace

SquaredBox squaresOf(const nexus::Signal &f, const Shape &i, const PictureLayout &layout,
                     const DatasetBox &box, const void *values) {
  const auto make = f.element == nexus::Element::Complex
                        ? drawnOf<const std::complex<double> &, norm>
                    : f.squared ? drawnOf<double, squared>
                                : drawnOf<double, itself>;
  // A sweep's steps are an axis before those of the grid; a box is of one.
  const std::size_t ofGrid = layout.product ? 3 : layout.view == View::Image ? 2 : 1;
  const auto steps = static_cast<std::ptrdiff_t>(f.shape.size() - ofGrid);
  const auto inGrid = [&](const Shape &all) { return Shape(all.begin() + steps, all.end()); };
  SquaredBox made =
      make(inGrid(f.shape), inGrid(i), layout, {inGrid(box.begin), inGrid(box.end)}, values);
  made.box.begin.insert(made.box.begin.begin(), box.begin.begin(), box.begin.begin() + steps);
  made.box.end.insert(made.box.end.begin(), box.end.begin(), box.end.begin() + steps);
  return made;
}

} // namespace facet::runtime::tiled
