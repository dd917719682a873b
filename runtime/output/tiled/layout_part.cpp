// layout_part.cpp - PATH.part before its first tile: datasets with their room, nothing in them.
#include "runtime/output/hdf5/grid_file.h"
#include "runtime/output/hdf5/lay_out.h"
#include "runtime/output/tiled/state.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace facet::runtime {

TiledFile tiledFile(const Grid &grid, const std::string &title, const std::string &unit) {
  check(grid);
  nexus::GridFile described = nexus::describe(grid, title, unit);
  const auto &groups = described.file.groups;
  Square square{nexus::pathOf(groups[0], groups[0].signals[0]),
                nexus::pathOf(groups[1], groups[1].signals[0]), described.layout};
  return {std::move(described.file), {std::move(square)}};
}

namespace tiled {

std::vector<const nexus::Signal *> signalsOf(const TiledFile &file) {
  std::vector<const nexus::Signal *> result;
  for (const auto &group : file.file.groups)
    for (const auto &signal : group.signals)
      result.push_back(&signal);
  return result;
}

void eachOutside(const Head &head, const std::vector<const nexus::Signal *> &signals,
                 const std::function<void(std::int64_t, std::int64_t)> &call) {
  std::vector<std::pair<std::int64_t, std::int64_t>> inside;
  inside.reserve(signals.size());
  for (std::size_t k = 0; k < signals.size(); ++k)
    inside.emplace_back(head.offsets[k],
                        nexus::elements(signals[k]->shape) * nexus::bytesOf(signals[k]->element));
  std::sort(inside.begin(), inside.end());
  std::int64_t at = 0;
  for (const auto &[offset, bytes] : inside) {
    if (offset > at)
      call(at, offset - at);
    at = offset + bytes;
  }
  if (head.size > at)
    call(at, head.size - at);
}

std::optional<std::uint32_t> sumOutside(int part, const Head &head,
                                        const std::vector<const nexus::Signal *> &signals) {
  std::uint32_t sum = 0;
  int error = 0;
  eachOutside(head, signals, [&](std::int64_t offset, std::int64_t bytes) {
    if (error == 0)
      error = readPieces(part, bytes, offset, [&](const char *piece, std::int64_t n, auto) {
        sum = addToSum(sum, piece, n);
        return 0;
      });
  });
  return error == 0 ? std::optional(sum) : std::nullopt;
}

namespace {
/// HDF5 cannot leave a file that it could not write: a full disk is to be found before.
void checkRoom(const PendingFile &pending, const TiledFile &file) {
  std::int64_t bytes = 65536;
  for (const auto &group : file.file.groups) {
    for (const auto &signal : group.signals)
      bytes += nexus::elements(signal.shape) * nexus::bytesOf(signal.element);
    for (const auto &numbers : group.numbers)
      bytes += 8 * nexus::elements(numbers.shape);
  }
  pending.checkRoom(bytes);
}
} // namespace

void layOutPart(const PendingFile &pending, const TiledFile &file, Head &head) {
  checkRoom(pending, file);
  head.datasets.clear();
  head.offsets.clear();
  h5::fillFile(pending, [&](hid_t root) {
    nexus::layOut(root, file.file, nexus::Storage::Early,
                  [&](const nexus::Group &group, const nexus::Signal &signal, hid_t dataset) {
                    const haddr_t offset = H5Dget_offset(dataset);
                    if (offset == HADDR_UNDEF)
                      throw h5::WriteError{EIO};
                    head.datasets.push_back(nexus::pathOf(group, signal));
                    head.offsets.push_back(static_cast<std::int64_t>(offset));
                  });
  });
  if (file.aside > 0) {
    head.datasets.emplace_back(asideName);
    head.offsets.push_back(0);
  }
  struct stat status{};
  const Descriptor part(open(pending.temporary().c_str(), O_RDWR | O_CLOEXEC));
  if (!part || fstat(part.get(), &status) != 0)
    pending.fail(errno);
  head.size = status.st_size;
  const auto sum = sumOutside(part.get(), head, signalsOf(file));
  if (!sum)
    pending.fail(EIO);
  head.sum = *sum;
}

} // namespace tiled
} // namespace facet::runtime
