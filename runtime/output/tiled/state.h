// state.h - what a TiledResult holds, and the steps of beginning and resuming.
#pragma once
#include "runtime/files/clock.h"
#include "runtime/files/files.h"
#include "runtime/output/tiled/journal.h"
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace facet::runtime::tiled {

using Signals = std::vector<const nexus::Signal *>; // by number of the dataset

struct State {
  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();

  std::string path;
  TiledFile description;
  Signals signals;
  nexus::Signal besideThem; // what PATH.sums holds, after them
  Head head;
  TiledOptions options;
  int rank = 0;
  Descriptor part, aside, journal;
  std::vector<bool> done; // by earlier runs
  std::vector<std::string> notes;
  std::map<int, std::int64_t> seen; // bytes of each journal that are of earlier runs
  bool closed = false;              // the destructor has nothing to do

  std::mutex mutex;                                // of what follows
  std::map<std::int64_t, std::vector<Piece>> open; // units begun and not finished
  std::string lines;                               // of finished units, waiting for their sync
  std::vector<std::int64_t> waiting;               // those units
  std::vector<bool> finishedHere;                  // those in the journal
  Clock::time_point synced = Clock::now();
  int syncing = 0; // threads that are at it
  bool stop = false;
  std::exception_ptr failure; // of the thread that syncs
  std::condition_variable wake;
  std::thread syncer; // begins with the first finished unit

  std::string partPath() const { return path + ".part"; }
  std::string asidePath() const { return path + ".sums"; }
  bool isAside(int dataset) const {
    return description.aside > 0 && dataset == static_cast<int>(signals.size());
  }
  const nexus::Signal &signal(int dataset) const {
    return isAside(dataset) ? besideThem : *signals.at(static_cast<std::size_t>(dataset));
  }
  /// The file a dataset is in.
  int fileOf(int dataset) const { return isAside(dataset) ? aside.get() : part.get(); }
  std::int64_t elementBytes(int dataset) const { return nexus::bytesOf(signal(dataset).element); }
  /// The byte of its file where an element is.
  std::int64_t at(int dataset, std::int64_t element) const {
    return head.offsets[static_cast<std::size_t>(dataset)] + element * elementBytes(dataset);
  }
  /// Writes a box; throws Error.
  void put(int dataset, const Box &box, const void *data) const;
  /// The same as part of a unit.
  void put(std::int64_t unit, int dataset, const Box &box, const void *data);
  /// A unit's line is in `lines`: has it synced, now or later. Throws the Error of an earlier sync.
  void finished(std::unique_lock<std::mutex> &lock);
  /// Returns when all finished units are synced; throws Error.
  void flush();
  /// Syncs tiles, then appends the lines of the finished units. `lock` is of `mutex`; it is let go
  /// while the disk works.
  void sync(std::unique_lock<std::mutex> &lock);
  void syncInBackground();
  /// Throws the Error of a disk that did not take bytes.
  [[noreturn]] void fail(int error) const;
  /// fail(errno) unless `good`; fail(error) unless it is 0.
  void must(bool good) const;
  void check(int error) const;
  /// Opens PATH.sums, if there is to be one, and takes its room; 0 or errno.
  [[nodiscard]] int openAside(int flags);
  /// Removes PATH.part, PATH.sums, all journals, and what runs killed before their first tile have
  /// left.
  void removeFiles() const;
};

std::unique_ptr<State> makeState(const std::string &path, const TiledFile &file,
                                 const Identity &identity, std::int64_t units,
                                 const TiledOptions &options);

/// Lays the file out under its pending name; fills in the head's offsets, size and sum.
void layOutPart(const PendingFile &pending, const TiledFile &file, Head &head);
Signals signalsOf(const TiledFile &file);
/// Calls with each stretch (offset, bytes) outside the datasets.
void eachOutside(const Head &head, const Signals &signals,
                 const std::function<void(std::int64_t, std::int64_t)> &call);
/// CRC-32 of those stretches; nullopt if they cannot be read.
std::optional<std::uint32_t> sumOutside(int part, const Head &head, const Signals &signals);

/// Throws Error if another process holds a journal of PATH.
void refuseInUse(const std::string &path);
/// Throws Error for the first part that differs.
void refuseOther(const std::string &path, const Identity &before, const Identity &now);
/// Opens the journal of a rank and holds its lock; throws Error.
Descriptor openJournal(const std::string &path, int rank);
/// Makes the open journal end with a whole line: its own, or the head's.
void continueJournal(State &state);
/// A new PATH.part and journal in the place of all earlier ones; throws Error, leaving none.
void beginAnew(State &state);

} // namespace facet::runtime::tiled
