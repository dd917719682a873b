// begin.cpp - results begun and joined: PATH.part laid out with its room reserved and no tile in
// it, the journal's head written, one run at a time.
#include "runtime/output/hdf5/lay_out.h"
#include "runtime/output/tiled/state.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace facet::runtime {

namespace fs = std::filesystem;
using namespace tiled;

TiledFile tiledFile(const Grid &grid, const std::string &title, const std::string &unit) {
  check(grid);
  nexus::GridFile described = nexus::describe(grid, title, unit);
  const auto &groups = described.file.groups;
  Square square{nexus::pathOf(groups[0], groups[0].signals[0]),
                nexus::pathOf(groups[1], groups[1].signals[0]), described.layout};
  return {std::move(described.file), {std::move(square)}};
}

FoundResult findResult(const std::string &path) {
  FoundResult found;
  std::error_code failed;
  if (!fs::exists(path + ".part", failed)) {
    if (fs::is_regular_file(path, failed))
      found.state = FoundResult::State::Finished;
    return found;
  }
  std::optional<Head> head;
  const auto journals = readJournals(path, head);
  if (!head)
    return found;
  std::vector<bool> done(static_cast<std::size_t>(head->units));
  for (const auto &[rank, journal] : journals)
    for (const auto &unit : journal.units)
      done[static_cast<std::size_t>(unit.unit)] = true;
  found.state = FoundResult::State::Unfinished;
  found.identity = head->identity;
  found.units = head->units;
  found.done = std::count(done.begin(), done.end(), true);
  return found;
}

namespace tiled {

Signals signalsOf(const TiledFile &file) {
  Signals result;
  for (const auto &group : file.file.groups)
    for (const auto &signal : group.signals)
      result.push_back(&signal);
  return result;
}

void eachOutside(const Head &head, const Signals &signals,
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

std::optional<std::uint32_t> sumOutside(int part, const Head &head, const Signals &signals) {
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
  pending.must(part && fstat(part.get(), &status) == 0);
  head.size = status.st_size;
  const auto sum = sumOutside(part.get(), head, signalsOf(file));
  if (!sum)
    pending.fail(EIO);
  head.sum = *sum;
}

namespace {
[[noreturn]] void inUse(const std::string &path) {
  throw Error(path, "another run is writing this result",
              "wait for its end, or write to another file with -o FILE", Exit::Failed);
}

/// A lock that ends with its process; file systems without locks are let pass.
bool lock(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }
} // namespace

void refuseInUse(const std::string &path) {
  for (const auto &[rank, file] : journalsOf(path)) {
    const Descriptor journal(open(file.c_str(), O_RDWR | O_CLOEXEC));
    if (journal && !lock(journal.get()))
      inUse(path);
  }
}

Descriptor openJournal(const std::string &path, int rank) {
  const std::string file = journalOf(path, rank);
  Descriptor journal(open(file.c_str(), O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0666));
  if (!journal)
    throw Error(file, fmt::format("cannot write: {}", std::strerror(errno)), "", Exit::Failed);
  if (!lock(journal.get()))
    inUse(path);
  return journal;
}

void continueJournal(State &state) {
  const Journal journal = readJournal(journalOf(state.path, state.rank));
  const bool same = journal.head && *journal.head == state.head;
  // A torn last line goes, so that the next one begins where a line begins.
  state.must(ftruncate(state.journal.get(), same ? journal.whole : 0) == 0);
  const std::string head = text(state.head);
  if (!same)
    state.check(writeAt(state.journal.get(), head.data(), std::ssize(head), 0));
  state.must(fsync(state.journal.get()) == 0);
  state.seen[state.rank] = same ? journal.whole : std::ssize(head);
}

std::unique_ptr<State> makeState(const std::string &path, const TiledFile &file,
                                 const Identity &identity, std::int64_t units,
                                 const TiledOptions &options) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->description = file;
  state->signals = signalsOf(state->description);
  state->besideThem = {asideName, nexus::Element::Real, {file.aside}, "", ""};
  state->options = options;
  state->head.identity = identity;
  std::string datasets;
  for (const auto *signal : state->signals) {
    datasets += fmt::format("{}{}[", datasets.empty() ? "" : " ", signal->name);
    for (std::size_t k = 0; k < signal->shape.size(); ++k)
      datasets += fmt::format("{}{}", k == 0 ? "" : ",", signal->shape[k]);
    datasets += signal->element == nexus::Element::Complex ? "] complex" : "] real";
  }
  if (file.aside > 0)
    datasets += fmt::format(" {}[{}] real", asideName, file.aside);
  state->head.identity["datasets"] = datasets;
  state->head.identity["units"] = std::to_string(units);
  state->head.units = units;
  state->done.assign(static_cast<std::size_t>(units), false);
  state->finishedHere.assign(static_cast<std::size_t>(units), false);
  return state;
}

int State::openAside(int flags) {
  if (description.aside == 0)
    return 0;
  aside = Descriptor(::open(asidePath().c_str(), O_RDWR | O_CLOEXEC | flags, 0666));
  return aside ? reserve(aside.get(), 8 * description.aside) : errno;
}

void beginAnew(State &state) {
  state.closed = true;
  {
    const PendingFile trial(state.path);
  } // names an unwritable folder
  refuseInUse(state.path);
  state.journal = openJournal(state.path, 0);
  try {
    PendingFile pending(state.path);
    // First what says that units are finished, then the file that holds them.
    pending.must(ftruncate(state.journal.get(), 0) == 0);
    for (const auto &[rank, file] : journalsOf(state.path))
      if (rank != 0)
        unlink(file.c_str());
    unlink(state.partPath().c_str());
    layOutPart(pending, state.description, state.head);
    state.part = Descriptor(open(pending.temporary().c_str(), O_RDWR | O_CLOEXEC));
    pending.must(static_cast<bool>(state.part));
    pending.commit(state.partPath());
    pending.check(reserve(state.part.get(), state.head.size));
    pending.must(fsync(state.part.get()) == 0);
    pending.check(state.openAside(O_CREAT | O_TRUNC));
    syncFolderOf(state.path);
    continueJournal(state); // from here on --resume finds it
  } catch (...) {
    state.removeFiles();
    throw;
  }
  state.closed = false;
}

} // namespace tiled

TiledResult TiledResult::create(const std::string &path, const TiledFile &file,
                                const Identity &identity, std::int64_t units,
                                const TiledOptions &options) {
  auto state = makeState(path, file, identity, units, options);
  const FoundResult found = findResult(path);
  if (found.done > 0 && !options.overwrite) {
    refuseInUse(path);
    throw Error(
        path,
        fmt::format("an earlier run of this result was stopped with {} of {} units finished",
                    found.done, found.units),
        "go on with it by --resume, or discard it by --overwrite");
  }
  beginAnew(*state);
  return TiledResult(std::move(state));
}

TiledResult TiledResult::join(const std::string &path, const TiledFile &file,
                              const Identity &identity, std::int64_t units, int rank,
                              const std::vector<bool> &done, const TiledOptions &options) {
  auto state = makeState(path, file, identity, units, options);
  state->rank = rank;
  state->done = done;
  state->closed = true; // until all is open
  const Journal first = readJournal(journalOf(path, 0));
  state->part = Descriptor(open(state->partPath().c_str(), O_RDWR | O_CLOEXEC));
  if (!first.head || !state->part)
    throw Error(path,
                fmt::format("process {} does not see the result that process 0 has begun", rank),
                "write to a file system that all machines share", Exit::Failed);
  refuseOther(path, first.head->identity, state->head.identity);
  state->head = *first.head;
  state->check(state->openAside(0));
  state->journal = openJournal(path, rank);
  continueJournal(*state);
  state->closed = false;
  return TiledResult(std::move(state));
}

} // namespace facet::runtime
