// finalise.cpp - the last steps of a result: where it is from, compression, the final name.
#include "runtime/output/hdf5/lay_out.h"
#include "runtime/output/tiled/state.h"
#include <algorithm>
#include <cerrno>
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
  if (state.description.complete)
    state.description.complete(*this);
  if (compress) {
    PendingFile pending(state.path,
                        fmt::format("all units are kept in {}: go on with --resume, which may "
                                    "leave out --compress",
                                    state.partPath()));
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
      if (H5Lexists(root, "/entry/process", H5P_DEFAULT) > 0) // of a finalise that failed
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
