// tiled_result.cpp - tiles written and read, units finished: bytes first, then the line.
#include "runtime/output/tiled/tiled_result.h"
#include "runtime/files/files.h"
#include "runtime/files/stop_request.h"
#include "runtime/output/tiled/state.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
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
  const int error = eachRun(
      signal(dataset).shape, box, [&](std::int64_t element, std::int64_t from, std::int64_t count) {
        return writeAt(fileOf(dataset), bytes + from * size, count * size, at(dataset, element));
      });
  if (error != 0)
    fail(error);
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

} // namespace tiled

using tiled::Box;
using tiled::State;

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

namespace {
void refuseOutside(const State &state, int dataset, const Box &box) {
  if (!tiled::within(box, state.signal(dataset).shape))
    throw Error(state.path, "a tile lies outside its dataset", "", Exit::Failed);
}
} // namespace

void TiledResult::write(std::int64_t unit, int dataset, const nexus::Shape &begin,
                        const nexus::Shape &end, const void *data) {
  State &s = *state_;
  const Box box{begin, end};
  refuseOutside(s, dataset, box);
  s.put(unit, dataset, box, data);
  for (const Square &square : s.description.squares)
    if (const int i = this->dataset(square.i); this->dataset(square.f) == dataset) {
      const auto made =
          tiled::squaresOf(s.signal(dataset).shape, s.signal(i).shape, square.layout, box, data);
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
  const int error = tiled::eachRun(s.signal(dataset).shape, box,
                                   [&](std::int64_t element, std::int64_t to, std::int64_t count) {
                                     return tiled::readAt(s.fileOf(dataset), bytes + to * size,
                                                          count * size, s.at(dataset, element));
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
  s.lines += tiled::text(unit, found->second);
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

} // namespace facet::runtime
