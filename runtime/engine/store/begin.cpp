// begin.cpp - results begun, joined and resumed. PATH.part is laid out with its room reserved and
// no tile in it, and the journal's head is written, one run at a time. A stopped run's identity is
// compared, its file repaired, its tiles verified.
#include "runtime/engine/store/lay_out.h"
#include "runtime/engine/store/tiled_result.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace facet::runtime {

namespace fs = std::filesystem;
using namespace tiled;

namespace {
std::vector<const nexus::Signal *> signalsOf(const nexus::File &file) {
  std::vector<const nexus::Signal *> result;
  for (const auto &group : file.groups)
    for (const auto &signal : group.signals)
      if (signal.values == nullptr && !signal.make) // those are written with the layout
        result.push_back(&signal);
  return result;
}

/// Each stretch (offset, bytes) of PATH.part outside the datasets.
std::vector<std::pair<std::int64_t, std::int64_t>> outside(const Head &head,
                                                           const nexus::File &file) {
  std::vector<std::pair<std::int64_t, std::int64_t>> inside, result;
  for (const auto *signal : signalsOf(file))
    inside.emplace_back(head.offsets[inside.size()], nexus::bytesOf(*signal));
  std::ranges::sort(inside);
  inside.emplace_back(head.size, 0);
  std::int64_t at = 0;
  for (const auto &[offset, bytes] : inside) {
    if (offset > at)
      result.emplace_back(at, offset - at);
    at = offset + bytes;
  }
  return result;
}

/// CRC-32 of the stretches outside the datasets; nullopt if they cannot be read.
std::optional<std::uint32_t> sumOutside(int part, const Head &head, const nexus::File &file) {
  std::uint32_t sum = 0;
  for (const auto &[offset, bytes] : outside(head, file))
    if (addToSum(sum, part, bytes, offset) != 0)
      return std::nullopt;
  return sum;
}

/// Lays the file out under its pending name; fills in the head's offsets, size and sum.
void layOutPart(const PendingFile &pending, const TiledFile &file, Head &head, bool sparse) {
  // HDF5 cannot let go of a file that it could not write: a full disk is to be found before.
  pending.checkRoom((sparse ? 0 : nexus::bytesOf(file.file)) + 65536);
  head.datasets.clear();
  head.offsets.clear();
  h5::fillFile(pending, [&](hid_t root) {
    nexus::layOut(root, file.file, nexus::Storage::Early,
                  [&](const nexus::Group &group, const nexus::Signal &signal, hid_t dataset) {
                    const haddr_t offset = H5Dget_offset(dataset);
                    if (offset == HADDR_UNDEF)
                      throw h5::WriteError{EIO};
                    head.datasets.push_back("/entry/" + group.name + "/" + signal.name);
                    head.offsets.push_back(static_cast<std::int64_t>(offset));
                  });
  });
  if (file.aside > 0) {
    head.datasets.emplace_back(asideName);
    head.offsets.push_back(0);
  }
  struct stat status{};
  const Descriptor part(pending.temporary(), O_RDWR);
  pending.must(part && fstat(part.get(), &status) == 0);
  head.size = status.st_size;
  const auto sum = sumOutside(part.get(), head, file.file);
  if (!sum)
    pending.fail(EIO);
  head.sum = *sum;
}

[[noreturn]] void inUse(const std::string &path) {
  throw Error(path, "another run is writing this result",
              "wait for its end, or write to another file with -o FILE", Exit::Failed);
}

/// Takes a lock that ends with its process; true also on file systems without locks.
bool lock(const Descriptor &file) {
  return flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// Throws Error if another process holds a journal of PATH.
void refuseInUse(const std::string &path) {
  for (const auto &[rank, file] : journalsOf(path)) {
    const Descriptor journal(file, O_RDWR);
    if (journal && !lock(journal))
      inUse(path);
  }
}

/// Whether a file is a journal, or is empty.
bool isJournal(const Descriptor &file) {
  constexpr std::string_view mark = "facet-journal";
  std::array<char, mark.size()> start{};
  const ssize_t n = pread(file.get(), start.data(), start.size(), 0);
  return n == 0 || std::string_view(start.data(), start.size()) == mark;
}

/// Opens the journal of a rank and holds its lock; throws Error.
Descriptor openJournal(const std::string &path, int rank) {
  const std::string file = journalOf(path, rank);
  Descriptor journal = openOwn(file, O_CREAT | O_RDWR | O_APPEND);
  if (!journal)
    throw Error(file, fmt::format("cannot write: {}", std::strerror(errno)), "", Exit::Failed);
  if (!fs::exists(path + ".part") && !isJournal(journal)) // beside a part it is a damaged one
    throw Error(file, "is there, and is no journal of facet's",
                "move it away, or write the result elsewhere");
  if (!lock(journal))
    inUse(path);
  return journal;
}

/// A value for people: the part of a long text in which it begins to differ.
std::string shown(const std::string &value, const std::string &other) {
  constexpr std::size_t most = 60;
  if (value.size() <= most)
    return value;
  std::size_t same = static_cast<std::size_t>(
      std::mismatch(value.begin(), value.end(), other.begin(), other.end()).first - value.begin());
  std::size_t begin = value.find_last_of(",{\n", same);
  begin = begin == std::string::npos || same - begin > most / 2 ? same - std::min(same, most / 2)
                                                                : begin + 1;
  return (begin > 0 ? ".." : "") + value.substr(begin, most) +
         (begin + most < value.size() ? ".." : "");
}

std::string valueOf(const Identity &identity, const std::string &name) {
  auto found = identity.find(name);
  return found == identity.end() ? "" : found->second;
}

} // namespace

void refuseOther(const std::string &path, const std::vector<IdentityPart> &parts,
                 const Identity &before, const Identity &now, const RefusalText &texts) {
  const auto refuse = [&](const IdentityPart &part) {
    const std::string then = valueOf(before, part.name), today = valueOf(now, part.name);
    if (then != today)
      throw Error(path,
                  fmt::format("cannot {}: the {} is not that {} ({}, {} {})", texts.what, part.text,
                              texts.other, shown(today, then), texts.there, shown(then, today)),
                  fmt::format(fmt::runtime(texts.help), part.choice));
  };
  std::ranges::for_each(parts, refuse);
  // Other parts, the datasets and the number of units among them, follow from the experiment.
  for (const auto *identity : {&before, &now})
    for (const auto &[name, value] : *identity)
      refuse({name, name, "the same experiment"});
}

namespace {
const RefusalText resuming{"resume", "of the stopped run", "then",
                           "resume with {}, or begin anew with --overwrite"};
} // namespace

TiledFile tiledFile(const Grid &grid, const std::string &title, const std::string &unit,
                    const std::vector<NamedOutput> &outputs, const Sweep *sweep) {
  check(grid);
  return {nexus::describe(grid, title, unit, sweep, outputs), layoutOf(grid)};
}

FoundResult findResult(const std::string &path) {
  FoundResult found;
  std::error_code failed;
  const bool part = fs::exists(path + ".part", failed);
  if (failed)
    cannotRead(path + ".part", "cannot be looked at", failed);
  if (!part) {
    if (fs::is_regular_file(path, failed))
      found.state = FoundResult::State::Finished;
    return found;
  }
  std::optional<Head> head;
  const auto journals = readJournals(path, head);
  if (!head)
    return found;
  std::set<std::int64_t> done; // the journal may be wrong about how many there are
  for (const auto &[rank, journal] : journals)
    for (const auto &unit : journal.units)
      done.insert(unit.unit);
  found.state = FoundResult::State::Unfinished;
  found.identity = head->identity;
  found.units = head->units;
  found.done = std::ssize(done);
  return found;
}

TiledResult::TiledResult(std::string path, const TiledFile &file, const Identity &identity,
                         std::int64_t units, const TiledOptions &options,
                         const std::function<void(TiledResult &)> &open)
    : path_(std::move(path)), file_(file),
      aside_{asideName, nexus::Element::Real, {file.aside}, "", ""},
      signals_(signalsOf(file_.file)), options_(options), done_(static_cast<std::size_t>(units)),
      finishedHere_(done_.size()) {
  if (file.aside > 0)
    signals_.push_back(&aside_);
  std::vector<std::string> datasets;
  for (const auto *signal : signals_)
    datasets.push_back(
        fmt::format("{}[{}] {}", signal->name, fmt::join(signal->shape, ","),
                    signal->element == nexus::Element::Complex ? "complex" : "real"));
  head_.identity = identity;
  head_.identity["datasets"] = fmt::format("{}", fmt::join(datasets, " "));
  head_.identity["units"] = std::to_string(units);
  head_.units = units;
  open(*this);
}

int TiledResult::takeRoom(int file, std::int64_t bytes) const {
  if (!options_.sparse)
    return reserve(file, bytes);
  return ftruncate(file, bytes) == 0 ? 0 : errno;
}

int TiledResult::openAside(int flags) {
  if (file_.aside == 0)
    return 0;
  asideFile_ = openOwn(asidePath(), O_RDWR | flags);
  return asideFile_ ? takeRoom(asideFile_.get(), nexus::bytesOf(aside_)) : errno;
}

void TiledResult::continueJournal() {
  const Journal journal = readJournal(journalOf(path_, rank_));
  const bool same = journal.head && *journal.head == head_;
  // A torn last line goes, so that the next one begins where a line begins.
  must(ftruncate(journal_.get(), same ? journal.whole : 0) == 0);
  const std::string head = text(head_);
  if (!same)
    check(writeAt(journal_.get(), head.data(), std::ssize(head), 0));
  must(fsync(journal_.get()) == 0);
  seen_[rank_] = same ? journal.whole : std::ssize(head);
}

void TiledResult::beginAnew() {
  PendingFile pending(path_); // names an unwritable folder
  refuseInUse(path_);
  openOwn(partPath(), O_RDWR); // a link there is refused, not removed
  journal_ = openJournal(path_, 0);
  try {
    // First removes what says that units are finished, then the file that holds them.
    pending.must(ftruncate(journal_.get(), 0) == 0);
    for (const auto &[rank, file] : journalsOf(path_))
      if (rank != 0)
        unlink(file.c_str());
    unlink(partPath().c_str());
    layOutPart(pending, file_, head_, options_.sparse);
    part_ = Descriptor(pending.temporary(), O_RDWR);
    pending.must(static_cast<bool>(part_));
    pending.commit(partPath());
    pending.check(takeRoom(part_.get(), head_.size));
    pending.must(fsync(part_.get()) == 0);
    pending.check(openAside(O_CREAT | O_TRUNC));
    syncFolderOf(path_);
    continueJournal(); // from here on --resume finds it
  } catch (...) {
    removeFiles();
    throw;
  }
}

TiledResult TiledResult::create(const std::string &path, const TiledFile &file,
                                const Identity &identity, std::int64_t units,
                                const TiledOptions &options) {
  return {path, file, identity, units, options, [&](TiledResult &result) {
            const FoundResult found = options.overwrite ? FoundResult() : findResult(path);
            if (found.done > 0) {
              refuseInUse(path);
              throw Error(path,
                          fmt::format("an earlier run of this result was stopped with {} of {} "
                                      "units finished",
                                      found.done, found.units),
                          "go on with it by --resume, or discard it by --overwrite");
            }
            result.beginAnew();
          }};
}

TiledResult TiledResult::join(const std::string &path, const TiledFile &file,
                              const Identity &identity, std::int64_t units, int rank,
                              const std::vector<bool> &done, const TiledOptions &options) {
  return {path, file, identity, units, options, [&](TiledResult &result) {
            result.rank_ = rank;
            result.done_ = done;
            const Journal first = readJournal(journalOf(path, 0));
            result.part_ = openOwn(result.partPath(), O_RDWR);
            if (!first.head || !result.part_)
              throw Error(
                  path,
                  fmt::format("process {} does not see the result that process 0 has begun", rank),
                  "write to a file system that all machines share", Exit::Failed);
            refuseOther(path, options.parts, first.head->identity, result.head_.identity, resuming);
            result.head_ = *first.head;
            result.check(result.openAside(0));
            result.journal_ = openJournal(path, rank);
            result.continueJournal();
          }};
}

TiledResult TiledResult::resume(const std::string &path, const TiledFile &file,
                                const Identity &identity, std::int64_t units,
                                const TiledOptions &options) {
  return {path, file, identity, units, options, [](TiledResult &result) { result.takeUp(); }};
}

void TiledResult::takeUp() {
  const auto anew = [&](const std::string &why) {
    notes_.push_back(why + ": everything is computed anew");
    beginAnew();
  };
  refuseInUse(path_);
  if (findResult(path_).state == FoundResult::State::Finished) {
    removeFiles(); // journals, if the kill was after the rename
    throw Error(path_, "this result is finished already; there is nothing to resume",
                "without --resume it is computed again", Exit::Good);
  }
  std::optional<Head> before;
  const auto journals = readJournals(path_, before);
  const bool part = fs::exists(partPath());
  if (!before)
    return anew(!part ? "there is no stopped run to resume"
                : journalsOf(path_).empty()
                    ? "the journal is gone, without which no tile is trusted"
                    : "the journal is damaged, without which no tile is trusted");
  refuseOther(path_, options_.parts, before->identity, head_.identity, resuming);
  if (!part)
    return anew(partPath() + " is gone");
  if (!fits(*before))
    return anew("the journal does not belong to this result, without which no tile is trusted");
  head_ = *before;
  part_ = openOwn(partPath(), O_RDWR);
  must(static_cast<bool>(part_));
  journal_ = openJournal(path_, 0);
  check(openAside(O_CREAT));
  if (!repair()) {
    journal_ = Descriptor();
    return anew(partPath() + " is damaged, or was laid out by another HDF5");
  }
  verify(journals);
  continueJournal();
}

bool TiledResult::fits(const Head &head) const {
  if (head.units != head_.units || head.datasets.size() != signals_.size())
    return false;
  for (std::size_t k = 0; k < signals_.size(); ++k) // sums are in a file of their own
    if (const std::int64_t bytes = signals_[k] == &aside_ ? 0 : nexus::bytesOf(*signals_[k]);
        head.offsets[k] < 0 || head.size < bytes || head.offsets[k] > head.size - bytes)
      return false;
  return true;
}

bool TiledResult::verified(const UnitLine &unit) const {
  for (const auto &piece : unit.pieces) {
    if (piece.dataset < 0 || piece.dataset >= std::ssize(signals_) ||
        !within(piece.box, signal(piece.dataset).shape))
      return false;
    std::uint32_t sum = 0;
    const int error = eachStretch(piece.dataset, piece.box, [&](const Stretch &s) {
      return addToSum(sum, s.file, s.bytes, s.at);
    });
    if (error != 0 || sum != piece.sum)
      return false;
  }
  return !unit.pieces.empty();
}

// Gives PATH.part its size, and writes the bytes outside the datasets again, as they were laid out.
bool TiledResult::layOutAgain() const {
  PendingFile fresh(path_);
  Head head = head_;
  layOutPart(fresh, file_, head, options_.sparse);
  if (head.offsets != head_.offsets || head.size != head_.size)
    return false;
  check(takeRoom(part_.get(), head_.size));
  const Descriptor from(fresh.temporary(), O_RDONLY);
  must(static_cast<bool>(from));
  for (const auto &[offset, bytes] : outside(head, file_.file))
    check(readPieces(from.get(), bytes, offset, [&](const char *piece, auto n, auto at) {
      return writeAt(part_.get(), piece, n, at);
    }));
  return true;
}

bool TiledResult::repair() {
  struct stat status{};
  must(fstat(part_.get(), &status) == 0);
  if (status.st_size < head_.size) { // a journal may name any size: it is to be that of the layout
    notes_.push_back(fmt::format("{} is truncated ({} of {} bytes): what is lost is computed again",
                                 partPath(), status.st_size, head_.size));
    return layOutAgain();
  }
  must(ftruncate(part_.get(), head_.size) == 0);
  check(takeRoom(part_.get(), head_.size));
  return sumOutside(part_.get(), head_, file_.file) == head_.sum || layOutAgain();
}

void TiledResult::verify(const std::map<int, Journal> &journals) {
  std::vector<bool> bad(done_.size());
  std::int64_t damaged = 0;
  for (const auto &[rank, journal] : journals) {
    seen_[rank] = journal.whole;
    damaged += journal.damaged;
    for (const auto &unit : journal.units) {
      const auto k = static_cast<std::size_t>(unit.unit);
      if (done_[k])
        continue;
      done_[k] = verified(unit);
      bad[k] = !done_[k];
    }
  }
  const auto again = std::ranges::count(bad, true);
  if (damaged > 0)
    notes_.push_back(fmt::format("the journal has {} torn line{}, which {} not counted", damaged,
                                 damaged == 1 ? "" : "s", damaged == 1 ? "is" : "are"));
  if (again > 0)
    notes_.push_back(fmt::format("{} unit{} not as written: computed again", again,
                                 again == 1 ? " is" : "s are"));
  notes_.push_back(
      fmt::format("{} of {} units are finished", std::ranges::count(done_, true), head_.units));
}

} // namespace facet::runtime
