// boxes.cpp - stretches and squares of a box; reads and writes that finish what they begin.
#include "runtime/output/tiled/boxes.h"
#include <algorithm>
#include <cerrno>
#include <complex>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace facet::runtime::tiled {

std::int64_t elements(const Box &box) {
  std::int64_t count = 1;
  for (std::size_t k = 0; k < box.begin.size(); ++k)
    count *= box.end[k] - box.begin[k];
  return count;
}

bool within(const Box &box, const Shape &shape) {
  if (box.begin.size() != shape.size() || box.end.size() != shape.size())
    return false;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (box.begin[k] < 0 || box.begin[k] >= box.end[k] || box.end[k] > shape[k])
      return false;
  return true;
}

int eachRun(const Shape &shape, const Box &box,
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
    std::int64_t flat = 0;
    for (std::size_t k = 0; k < axes; ++k)
      flat = flat * shape[k] + at[k];
    if (const int stop = call(flat * inner, done, run); stop != 0)
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

Descriptor::Descriptor(Descriptor &&other) noexcept : file_(std::exchange(other.file_, -1)) {}

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

Descriptor::~Descriptor() {
  if (file_ >= 0)
    close(file_);
}

namespace {
template <class Call, class Byte>
int whole(Call call, int file, Byte *bytes, std::int64_t count, std::int64_t offset) {
  while (count > 0) {
    const ssize_t n = call(file, bytes, static_cast<std::size_t>(count), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    bytes += n;
    count -= n;
    offset += n;
  }
  return 0;
}

/// One or both of the long axes of a product: which become rows and columns of the picture.
Box turned(const Box &box, int rows, int columns) {
  const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
  return {{box.begin[r], box.begin[c]}, {box.end[r], box.end[c]}};
}

/// The stretch of a curve: of the three axes of the box one at most is long.
Box stretch(const Shape &shape, const Box &box) {
  std::int64_t first = 0;
  for (std::size_t k = 0; k < shape.size(); ++k)
    first = first * shape[k] + box.begin[k];
  return {{first}, {first + elements(box)}};
}

} // namespace

int readAt(int file, void *data, std::int64_t bytes, std::int64_t offset) {
  return whole(pread, file, static_cast<char *>(data), bytes, offset);
}

int writeAt(int file, const void *data, std::int64_t bytes, std::int64_t offset) {
  return whole(pwrite, file, static_cast<const char *>(data), bytes, offset);
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

void syncFolderOf(const std::string &path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  const Descriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file)
    fsync(file.get());
}

Squared squaresOf(const Shape &f, const Shape &i, const PictureLayout &layout, const Box &box,
                  const void *values) {
  const auto *from = static_cast<const std::complex<double> *>(values);
  Squared to{box, std::vector<double>(static_cast<std::size_t>(elements(box)))};
  const bool turn = f.size() == 3 && i.size() == 2;
  if (!turn) {
    if (i.size() < f.size())
      to.box = stretch(f, box);
    for (std::size_t k = 0; k < to.values.size(); ++k)
      to.values[k] = std::norm(from[k]);
    return to;
  }
  // Rows are the later axis, along which F lies side by side.
  to.box = turned(box, layout.rowAxis, layout.columnAxis);
  const auto rows = static_cast<std::size_t>(to.box.end[0] - to.box.begin[0]);
  const auto columns = static_cast<std::size_t>(to.box.end[1] - to.box.begin[1]);
  constexpr std::size_t tile = 32; // both sides of the turn stay in the cache
  for (std::size_t r0 = 0; r0 < rows; r0 += tile)
    for (std::size_t c0 = 0; c0 < columns; c0 += tile)
      for (std::size_t r = r0; r < std::min(r0 + tile, rows); ++r)
        for (std::size_t c = c0; c < std::min(c0 + tile, columns); ++c)
          to.values[r * columns + c] = std::norm(from[c * rows + r]);
  return to;
}

} // namespace facet::runtime::tiled
