// finalise.cpp - the last steps of a result: |F|^2, where it is from, compression, the final name.
#include "runtime/output/hdf5/lay_out.h"
#include "runtime/output/tiled/state.h"
#include <algorithm>
#include <cerrno>
#include <complex>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::runtime {

using namespace tiled;
using nexus::Shape;

namespace {
/// All units, those of other processes by their journals.
void refuseMissing(const State &state) {
  std::vector<bool> all = state.done;
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = all[k] || state.finishedHere[k];
  std::optional<Head> head = state.head;
  for (const auto &[rank, journal] : readJournals(state.path, head)) {
    auto seen = state.seen.find(rank);
    for (const auto &unit : journal.units)
      if (seen == state.seen.end() || unit.end > seen->second)
        all[static_cast<std::size_t>(unit.unit)] = true;
  }
  const auto missing = std::find(all.begin(), all.end(), false);
  if (missing != all.end())
    throw Error(state.path,
                fmt::format("unit {} of {} is not finished", missing - all.begin(), all.size()),
                "go on with --resume", Exit::Failed);
}

/// Reads elements that lie side by side.
template <class T>
void readRun(const State &state, int dataset, std::int64_t element, std::int64_t count, T *to) {
  if (int error = readAt(state.part.get(), to, count * static_cast<std::int64_t>(sizeof(T)),
                         state.at(dataset, element));
      error != 0)
    state.fail(error);
}

/// I = |F|^2 by blocks of at most 512 x 512 pixels, or 2^18 values of what is no image. In an image
/// either rows or columns lie side by side in F.
void makeSquare(const State &state, int f, int i, const PictureLayout &layout) {
  const bool image = layout.view == View::Image;
  const std::int64_t rows = image ? layout.rows : 1;
  const std::int64_t columns = image ? layout.columns : nexus::elements(state.signal(i).shape);
  const std::int64_t high = image ? 512 : 1, wide = image ? 512 : std::int64_t{1} << 18;
  const bool upright = image && rows > 1 && layout.index(1, 0) - layout.index(0, 0) == 1;
  std::vector<std::complex<double>> values;
  std::vector<double> block;
  for (std::int64_t row = 0; row < rows; row += high)
    for (std::int64_t column = 0; column < columns; column += wide) {
      const std::int64_t r = std::min(high, rows - row), c = std::min(wide, columns - column);
      values.resize(static_cast<std::size_t>(upright ? r : c));
      block.resize(static_cast<std::size_t>(r * c));
      for (std::int64_t k = 0; k < (upright ? c : r); ++k) {
        const std::int64_t first = !image    ? column
                                   : upright ? layout.index(row, column + k)
                                             : layout.index(row + k, column);
        readRun(state, f, first, upright ? r : c, values.data());
        for (std::size_t j = 0; j < values.size(); ++j)
          block[upright ? j * static_cast<std::size_t>(c) + static_cast<std::size_t>(k)
                        : static_cast<std::size_t>(k * c) + j] = std::norm(values[j]);
      }
      for (std::int64_t k = 0; k < r; ++k)
        if (int error = writeAt(state.part.get(), block.data() + k * c, c * 8,
                                state.at(i, (row + k) * columns + column));
            error != 0)
          state.fail(error);
    }
}

/// Copies a dataset chunk by chunk.
void copySignal(const TiledResult &result, int number, const nexus::Signal &signal, hid_t to) {
  const Shape chunk = nexus::chunkOf(signal.shape);
  std::vector<char> values(
      static_cast<std::size_t>(nexus::elements(chunk) * nexus::bytesOf(signal.element)));
  Shape begin(signal.shape.size(), 0);
  for (std::size_t k = 0; k != SIZE_MAX;) {
    Shape end = begin, count = begin;
    for (std::size_t a = 0; a < begin.size(); ++a) {
      end[a] = std::min(begin[a] + chunk[a], signal.shape[a]);
      count[a] = end[a] - begin[a];
    }
    result.read(number, begin, end, values.data());
    nexus::writeBox(to, signal, begin, count, values.data());
    for (k = begin.size() - 1; k != SIZE_MAX && (begin[k] += chunk[k]) >= signal.shape[k]; --k)
      begin[k] = 0;
  }
}
} // namespace

void TiledResult::finalise(const nexus::Process &process, bool compress) {
  State &state = *state_;
  flush();
  refuseMissing(state);
  for (const auto &square : state.description.squares)
    makeSquare(state, dataset(square.f), dataset(square.i), square.layout);

  if (compress) {
    PendingFile pending(state.path);
    h5::fillFile(pending, [&](hid_t root) {
      int number = 0;
      nexus::layOut(root, state.description.file, nexus::Storage::Compressed,
                    [&](const nexus::Group &, const nexus::Signal &signal, hid_t to) {
                      copySignal(*this, number++, signal, to);
                    });
      nexus::writeProcess(root, process);
    });
    const Descriptor file(::open(pending.temporary().c_str(), O_RDWR | O_CLOEXEC));
    if (!file || fsync(file.get()) != 0)
      pending.fail(errno);
    pending.commit();
  } else {
    // A kill in here damages the file's metadata, which resume lays out again.
    const int error = h5::addToFile(state.partPath(), [&](hid_t root) {
      if (h5::has(root, "/entry/process")) // of a finalise that failed
        h5::must(H5Ldelete(root, "/entry/process", H5P_DEFAULT));
      nexus::writeProcess(root, process);
    });
    if (error >= 0)
      state.fail(error);
    if (fsync(state.part.get()) != 0)
      state.fail(errno);
    if (std::rename(state.partPath().c_str(), state.path.c_str()) != 0)
      state.fail(errno);
  }
  syncFolderOf(state.path);
  state.closed = true;
  state.removeFiles();
}

} // namespace facet::runtime
