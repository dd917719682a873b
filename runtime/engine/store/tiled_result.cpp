// tiled_result.cpp - tiles written and read; finished units go to disk, bytes first, then lines, on
// a thread beside those that compute; where a result is from, compression, the final name.
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/store/lay_out.h"
#include "runtime/engine/system/stop_request.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace facet::runtime {

using namespace tiled;

void TiledResult::fail(int error) const {
  throw Error(path_, fmt::format("cannot write: {}", std::strerror(error)),
              fmt::format("{} and go on with --resume; finished units are kept in {}",
                          isFull(error) ? "free some space" : "mend the disk", partPath()),
              Exit::Failed);
}

void TiledResult::must(bool good) const {
  if (!good)
    fail(errno);
}

void TiledResult::check(int error) const {
  if (error != 0)
    fail(error);
}

void TiledResult::removeFiles() const {
  // The journals first: without them nothing in PATH.part counts.
  removeJournals(path_);
  unlink(partPath().c_str());
  unlink(asidePath().c_str());
  PendingFile::removeLeft(path_);
}

int TiledResult::dataset(const std::string &name) const {
  const auto &names = head_.datasets;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(path_, fmt::format("this result has no dataset {}", name), "", Exit::Failed);
  return static_cast<int>(found - names.begin());
}

int TiledResult::eachStretch(int dataset, const DatasetBox &box,
                             const std::function<int(const Stretch &)> &call) const {
  const nexus::Signal &of = signal(dataset);
  if (!within(box, of.shape))
    throw Error(path_, "a tile lies outside its dataset", "", Exit::Failed);
  const int file = &of == &aside_ ? asideFile_.get() : part_.get();
  const std::int64_t offset = head_.offsets[static_cast<std::size_t>(dataset)],
                     size = nexus::bytesOf(of.element);
  return eachRun(of.shape, box, [&](std::int64_t at, std::int64_t inBox, std::int64_t count) {
    return call({file, offset + at * size, inBox * size, count * size});
  });
}

void TiledResult::put(int dataset, const Shape &begin, const Shape &end, const void *data) {
  check(eachStretch(dataset, {begin, end}, [&](const Stretch &s) {
    return writeAt(s.file, static_cast<const char *>(data) + s.inBox, s.bytes, s.at);
  }));
}

void TiledResult::read(int dataset, const Shape &begin, const Shape &end, void *data) const {
  const int error = eachStretch(dataset, {begin, end}, [&](const Stretch &s) {
    return readAt(s.file, static_cast<char *>(data) + s.inBox, s.bytes, s.at);
  });
  if (error != 0)
    throw Error(partPath(), fmt::format("cannot read: {}", std::strerror(error)), "", Exit::Failed);
}

void TiledResult::keep(std::int64_t unit, int dataset, const DatasetBox &box, const void *data) {
  put(dataset, box.begin, box.end, data);
  const std::uint32_t sum =
      addToSum(0, data, elements(box) * nexus::bytesOf(signal(dataset).element));
  const std::lock_guard lock(mutex_);
  auto &pieces = open_[unit];
  const auto same = std::ranges::find_if(
      pieces, [&](const Piece &piece) { return piece.dataset == dataset && piece.box == box; });
  if (same == pieces.end())
    pieces.push_back({dataset, box, sum});
  else
    same->sum = sum;
}

void TiledResult::write(std::int64_t unit, int dataset, const Shape &begin, const Shape &end,
                        const void *data) {
  const DatasetBox box{begin, end};
  keep(unit, dataset, box, data);
  if (file_.squares && dataset % 2 == 0) {
    const SquaredBox made =
        squaresOf(signal(dataset), signal(dataset + 1).shape, *file_.squares, box, data);
    keep(unit, dataset + 1, made.box, made.values.data());
  }
}

void TiledResult::finishUnit(std::int64_t unit) {
  std::unique_lock lock(mutex_);
  const auto found = open_.find(unit);
  if (unit < 0 || unit >= head_.units || found == open_.end())
    throw Error(path_, fmt::format("unit {} is finished before it is written", unit), "",
                Exit::Failed);
  lines_ += text(unit, found->second);
  waiting_.push_back(unit);
  open_.erase(found);
  if (failure_)
    std::rethrow_exception(failure_);
  // After a request to stop, the next signal ends the process: what is finished waits for nothing.
  if (options_.syncSeconds <= 0 || StopRequest::signal() != 0) {
    sync(lock);
    return;
  }
  try {
    if (!syncer_.joinable())
      syncer_ = std::jthread([this](const std::stop_token &stop) { syncInBackground(stop); });
  } catch (const std::system_error &) { // no more threads: this one waits for the disk
    sync(lock);
  }
  wake_.notify_all();
}

void TiledResult::flush() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return syncing_ == 0; });
  if (failure_)
    std::rethrow_exception(failure_);
  sync(lock);
}

void TiledResult::syncInBackground(const std::stop_token &stop) {
  std::unique_lock lock(mutex_);
  const auto every = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options_.syncSeconds));
  while (!failure_) {
    wake_.wait(lock, stop, [this] { return !waiting_.empty(); });
    wake_.wait_until(lock, stop, synced_ + every, [] { return false; });
    if (stop.stop_requested())
      return; // what is left is flushed by the destructor, or finalise
    try {
      sync(lock);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
}

void TiledResult::sync(std::unique_lock<std::mutex> &lock) {
  if (waiting_.empty())
    return;
  ++syncing_;
  const std::string text = std::exchange(lines_, {});
  const std::vector<std::int64_t> units = std::exchange(waiting_, {});
  lock.unlock();
  int error = fdatasync(part_.get()) == 0 ? 0 : errno;
  if (error == 0 && asideFile_ && fdatasync(asideFile_.get()) != 0)
    error = errno;
  // O_APPEND: the lines go to the end in one write. Lost in a crash of the machine, they only cost
  // their units, so the journal itself is not waited for.
  if (error == 0) {
    const ssize_t written = ::write(journal_.get(), text.data(), text.size());
    if (written != std::ssize(text))
      error = written < 0 ? errno : ENOSPC;
  }
  lock.lock();
  --syncing_;
  synced_ = Clock::now();
  wake_.notify_all();
  if (error != 0) {
    closed_ = true; // a torn line may be the last: nothing is appended to it
    fail(error);
  }
  for (const std::int64_t unit : units)
    finishedHere_[static_cast<std::size_t>(unit)] = true;
}

TiledResult::~TiledResult() {
  if (closed_)
    return;
  try {
    flush();
    // A run that has finished nothing leaves nothing.
    if (rank_ == 0 && findResult(path_).done == 0)
      removeFiles();
  } catch (const std::exception &) { // NOLINT: what is not synced is computed again
  }
}

std::int64_t TiledResult::finished() const {
  const std::lock_guard lock(mutex_);
  std::int64_t count = 0;
  for (std::size_t k = 0; k < done_.size(); ++k)
    count += done_[k] || finishedHere_[k] ? 1 : 0;
  return count;
}

Error TiledResult::stopped() const {
  const std::int64_t done = findResult(path_).done; // of all processes
  return {path_,
          fmt::format("stopped by {} with {} of {} units finished", StopRequest::name(), done,
                      head_.units),
          "go on with the same command and --resume", Exit::Stopped};
}

void TiledResult::refuseMissing() const {
  std::vector<bool> all = done_;
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = all[k] || finishedHere_[k];
  // The journals of other processes say which units these have finished.
  std::optional<Head> head = head_;
  for (const auto &[rank, journal] : readJournals(path_, head)) {
    const auto seen = seen_.find(rank);
    for (const auto &unit : journal.units)
      if (seen == seen_.end() || unit.end > seen->second)
        all[static_cast<std::size_t>(unit.unit)] = true;
  }
  const auto missing = std::find(all.begin(), all.end(), false);
  if (missing != all.end())
    throw Error(path_,
                fmt::format("unit {} of {} is not finished", missing - all.begin(), all.size()),
                "go on with --resume", Exit::Failed);
}

namespace {
/// Copies a dataset chunk by chunk.
void copySignal(const TiledResult &result, int number, const nexus::Signal &signal, hid_t to) {
  std::vector<char> values;
  nexus::eachChunk(signal.shape, [&](const Shape &begin, const Shape &end, const Shape &count) {
    values.resize(
        static_cast<std::size_t>(nexus::elements(count) * nexus::bytesOf(signal.element)));
    result.read(number, begin, end, values.data());
    nexus::writeBox(to, signal, begin, count, values.data());
  });
}
} // namespace

void TiledResult::finalise(const nexus::Process &process, bool compress) {
  flush();
  refuseMissing();
  if (file_.complete)
    file_.complete(*this);
  if (compress) {
    PendingFile pending(path_, fmt::format("all units are kept in {}: go on with --resume, which "
                                           "may leave out --compress",
                                           partPath()));
    h5::fillFile(pending, [&](hid_t root) {
      int number = 0;
      nexus::layOut(root, file_.file, nexus::Storage::Compressed,
                    [&](const nexus::Group &, const nexus::Signal &signal, hid_t to) {
                      copySignal(*this, number++, signal, to);
                    });
      nexus::writeProcess(root, process);
    });
    const Descriptor file(pending.temporary(), O_RDWR);
    pending.must(file && fsync(file.get()) == 0);
    pending.commit();
  } else {
    // A kill in here damages the file's metadata, which resume lays out again.
    const int error = h5::addToFile(partPath(), [&](hid_t root) {
      if (H5Lexists(root, "/entry/process", H5P_DEFAULT) > 0) // from a finalise that failed
        h5::must(H5Ldelete(root, "/entry/process", H5P_DEFAULT));
      nexus::writeProcess(root, process);
    });
    if (error >= 0)
      fail(error);
    must(fsync(part_.get()) == 0);
    must(std::rename(partPath().c_str(), path_.c_str()) == 0);
  }
  syncFolderOf(path_);
  closed_ = true;
  removeFiles();
}

} // namespace facet::runtime
