// tiled_result.cpp - tiles written and read; finished units go to disk, bytes first, then lines, on
// a thread beside those that compute; where a result is from, compression, the final name.
#include "runtime/files/stop_request.h"
#include "runtime/output/hdf5/lay_out.h"
#include "runtime/output/tiled/state.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace facet::runtime {

namespace tiled {

void State::fail(int error) const {
  throw Error(path, fmt::format("cannot write: {}", std::strerror(error)),
              fmt::format("{} and go on with --resume; finished units are kept in {}",
                          isFull(error) ? "free some space" : "mend the disk", partPath()),
              Exit::Failed);
}

void State::must(bool good) const {
  if (!good)
    fail(errno);
}

void State::check(int error) const {
  if (error != 0)
    fail(error);
}

void State::removeFiles() const {
  // The journals first: without them nothing in PATH.part counts.
  for (const auto &[rank, file] : journalsOf(path))
    unlink(file.c_str());
  unlink(partPath().c_str());
  unlink(asidePath().c_str());
  PendingFile::removeLeft(path);
}

void State::put(int dataset, const Box &box, const void *data) const {
  const auto *bytes = static_cast<const char *>(data);
  const std::int64_t size = elementBytes(dataset);
  check(eachRun(
      signal(dataset).shape, box, [&](std::int64_t element, std::int64_t from, std::int64_t count) {
        return writeAt(fileOf(dataset), bytes + from * size, count * size, at(dataset, element));
      }));
}

void State::put(std::int64_t unit, int dataset, const Box &box, const void *data) {
  put(dataset, box, data);
  const std::uint32_t sum = addToSum(0, data, elements(box) * elementBytes(dataset));
  const std::lock_guard lock(mutex);
  auto &pieces = open[unit];
  const auto same = std::find_if(pieces.begin(), pieces.end(), [&](const Piece &piece) {
    return piece.dataset == dataset && piece.box == box;
  });
  if (same == pieces.end())
    pieces.push_back({dataset, box, sum});
  else
    same->sum = sum;
}

State::~State() {
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_all();
  if (syncer.joinable())
    syncer.join();
}

void State::finished(std::unique_lock<std::mutex> &lock) {
  if (failure)
    std::rethrow_exception(failure);
  // After a request to stop, the next signal ends the process: what is finished waits for nothing.
  if (options.syncSeconds <= 0 || StopRequest::signal() != 0) {
    sync(lock);
    return;
  }
  if (!syncer.joinable())
    syncer = std::thread([this] { syncInBackground(); });
  wake.notify_all();
}

void State::flush() {
  std::unique_lock lock(mutex);
  wake.wait(lock, [this] { return syncing == 0; });
  if (failure)
    std::rethrow_exception(failure);
  sync(lock);
}

void State::syncInBackground() {
  std::unique_lock lock(mutex);
  const auto every = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.syncSeconds));
  while (!stop && !failure) {
    wake.wait(lock, [this] { return stop || !waiting.empty(); });
    if (wake.wait_until(lock, synced + every, [this] { return stop; }))
      return; // what is left is the destructor's, or finalise's, to flush
    try {
      sync(lock);
    } catch (...) {
      failure = std::current_exception();
    }
  }
}

void State::sync(std::unique_lock<std::mutex> &lock) {
  if (waiting.empty())
    return;
  ++syncing;
  const std::string text = std::exchange(lines, {});
  const std::vector<std::int64_t> units = std::exchange(waiting, {});
  lock.unlock();
  int error = fdatasync(part.get()) == 0 ? 0 : errno;
  if (error == 0 && aside && fdatasync(aside.get()) != 0)
    error = errno;
  // O_APPEND: the lines go to the end in one write. Lost in a crash of the machine, they only cost
  // their units, so the journal itself is not waited for.
  if (error == 0) {
    const ssize_t written = ::write(journal.get(), text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size()))
      error = written < 0 ? errno : ENOSPC;
  }
  lock.lock();
  --syncing;
  synced = Clock::now();
  wake.notify_all();
  if (error != 0) {
    closed = true; // a torn line may be the last: nothing is appended to it
    fail(error);
  }
  for (const std::int64_t unit : units)
    finishedHere[static_cast<std::size_t>(unit)] = true;
}

} // namespace tiled

using namespace tiled;

namespace {
void refuseOutside(const State &state, int dataset, const Box &box) {
  if (!within(box, state.signal(dataset).shape))
    throw Error(state.path, "a tile lies outside its dataset", "", Exit::Failed);
}

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

TiledResult::TiledResult(std::unique_ptr<State> state) : state_(std::move(state)) {}
TiledResult::TiledResult(TiledResult &&) noexcept = default;
TiledResult &TiledResult::operator=(TiledResult &&) noexcept = default;

TiledResult::~TiledResult() {
  if (!state_ || state_->closed)
    return;
  try {
    flush();
    // A run that has finished nothing leaves nothing.
    if (state_->rank == 0 && findResult(state_->path).done == 0)
      state_->removeFiles();
  } catch (const std::exception &) { // NOLINT: what is not synced is computed again
  }
}

const std::vector<bool> &TiledResult::done() const { return state_->done; }
const std::vector<std::string> &TiledResult::notes() const { return state_->notes; }

int TiledResult::dataset(const std::string &name) const {
  const auto &names = state_->head.datasets;
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(state_->path, fmt::format("this result has no dataset {}", name), "", Exit::Failed);
  return static_cast<int>(found - names.begin());
}

void TiledResult::write(std::int64_t unit, int dataset, const nexus::Shape &begin,
                        const nexus::Shape &end, const void *data) {
  State &s = *state_;
  const Box box{begin, end};
  refuseOutside(s, dataset, box);
  s.put(unit, dataset, box, data);
  for (const Square &square : s.description.squares)
    if (const int i = this->dataset(square.i); this->dataset(square.f) == dataset) {
      const auto made =
          squaresOf(s.signal(dataset).shape, s.signal(i).shape, square.layout, box, data);
      s.put(unit, i, made.box, made.values.data());
    }
}

void TiledResult::put(int dataset, const nexus::Shape &begin, const nexus::Shape &end,
                      const void *data) {
  const Box box{begin, end};
  refuseOutside(*state_, dataset, box);
  state_->put(dataset, box, data);
}

void TiledResult::read(int dataset, const nexus::Shape &begin, const nexus::Shape &end,
                       void *data) const {
  const State &s = *state_;
  const Box box{begin, end};
  refuseOutside(s, dataset, box);
  auto *bytes = static_cast<char *>(data);
  const std::int64_t size = s.elementBytes(dataset);
  const int error = eachRun(
      s.signal(dataset).shape, box, [&](std::int64_t element, std::int64_t to, std::int64_t count) {
        return readAt(s.fileOf(dataset), bytes + to * size, count * size, s.at(dataset, element));
      });
  if (error != 0)
    throw Error(s.partPath(), fmt::format("cannot read: {}", std::strerror(error)), "",
                Exit::Failed);
}

void TiledResult::finishUnit(std::int64_t unit) {
  State &s = *state_;
  std::unique_lock<std::mutex> lock(s.mutex);
  auto found = s.open.find(unit);
  if (unit < 0 || unit >= s.head.units || found == s.open.end())
    throw Error(s.path, fmt::format("unit {} is finished before it is written", unit), "",
                Exit::Failed);
  s.lines += text(unit, found->second);
  s.waiting.push_back(unit);
  s.open.erase(found);
  s.finished(lock);
}

void TiledResult::flush() { state_->flush(); }

std::int64_t TiledResult::finished() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::int64_t count = 0;
  for (std::size_t k = 0; k < state_->done.size(); ++k)
    count += state_->done[k] || state_->finishedHere[k] ? 1 : 0;
  return count;
}

Error TiledResult::stopped() const {
  return {state_->path,
          fmt::format("stopped by {} with {} of {} units finished", StopRequest::name(), finished(),
                      state_->head.units),
          "go on with the same command and --resume", Exit::Stopped};
}

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
    pending.must(file && fsync(file.get()) == 0);
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
    state.must(fsync(state.part.get()) == 0);
    state.must(std::rename(state.partPath().c_str(), state.path.c_str()) == 0);
  }
  syncFolderOf(state.path);
  state.closed = true;
  state.removeFiles();
}

} // namespace facet::runtime
