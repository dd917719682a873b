// tiled_result.h - a result file written tile by tile, which survives a kill at any instant.
//
// PATH.part is laid out as the final HDF5 file before the first tile, with its room reserved and
// its metadata written; tiles go to their datasets' offsets by pwrite, without HDF5. What is
// finished stands in journals, PATH.journal.RANK, one file a process: journal.h has the rules.
#pragma once
#include "runtime/engine/store/journal.h"
#include "runtime/engine/store/share_file.h"
#include "runtime/engine/system/clock.h"
#include <condition_variable>
#include <exception>
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <mutex>
#include <thread>

namespace facet::runtime {

class TiledResult;
/// What the file holds. It points at the caller's numbers, which must live as long as the result.
struct TiledFile {
  nexus::File file;
  /// Set if each dataset of odd number is what is drawn of the one before, |F|^2 or a real F, in
  /// the order of this picture. A box of F then writes its box of that, both as part of the unit.
  std::optional<PictureLayout> squares = {};
  /// Makes what is made of finished datasets, by read() and put(); may be empty.
  std::function<void(TiledResult &)> complete = {};
  /// Numbers, 8 bytes each, that units may keep in PATH.sums until the file is finished: the
  /// dataset `asideName`, of one dimension.
  std::int64_t aside = 0;
};
inline const char *const asideName = "sums";
/// F and with it |F|^2 by tiles: the file that writeHdf5 writes.
TiledFile tiledFile(const Grid &grid, const std::string &title, const std::string &unit,
                    const std::vector<NamedOutput> &outputs = {}, const Sweep *sweep = nullptr);

/// What units alone write of it: for a share.
TiledFile unitsAlone(TiledFile file);

/// What lies at PATH from earlier runs. Reads journals only: tiles are not verified.
struct FoundResult {
  enum class State { Nothing, Unfinished, Finished } state = State::Nothing;
  Identity identity;                // of the unfinished run: its plan is the one to resume with
  std::int64_t done = 0, units = 0; // of the unfinished run
};
FoundResult findResult(const std::string &path);

/// What people call a part of an identity, and what they can choose again: "that mesh file".
struct IdentityPart {
  std::string name, text, choice;
};
/// Where two identities meet: "cannot resume: the mesh is not that of the stopped run".
struct RefusalText {
  std::string what, other; // "resume", "of the stopped run"
  std::string there;       // the second value's: "then"
  std::string help;        // with {} for the choice
};
/// Throws Error for the first part that differs, in the order of `parts`; others follow, by their
/// names.
void refuseOther(const std::string &path, const std::vector<IdentityPart> &parts,
                 const Identity &before, const Identity &now, const RefusalText &texts);
struct TiledOptions {
  bool overwrite = false; // discard the finished units of a stopped run
  /// How often units are synced, together, by a thread of its own; 0: each by the thread that
  /// finishes it.
  double syncSeconds = 0.5;
  /// Takes room as units are written, not before: for a share, which has some of them only.
  bool sparse = false;
  /// Parts of the identity in the order in which people would look; others follow, by their names.
  std::vector<IdentityPart> parts = {};
};

/// One process's hold on a result. write, read, finishUnit are safe for several threads; the rest
/// is called by one. Errors of the disk name PATH and what to do; finished units are kept.
class TiledResult {
public:
  /// Begins a result of so many units. Throws Error if folder or disk do not allow it (nothing is
  /// left then), another run is writing it, or an earlier run was stopped here with finished units.
  static TiledResult create(const std::string &path, const TiledFile &file,
                            const Identity &identity, std::int64_t units,
                            const TiledOptions &options = {});
  /// Goes on with a stopped run, verifying every finished unit by its checksums; see done() and
  /// notes(). Begins again if there is nothing that can be trusted. Throws Error if the result is
  /// finished already (Exit::Good), the identity differs (naming the part), or another run is
  /// writing it.
  static TiledResult resume(const std::string &path, const TiledFile &file,
                            const Identity &identity, std::int64_t units,
                            const TiledOptions &options = {});
  /// For another process than the one that has called create or resume, after that call: with a
  /// number of its own (1, 2, ..) and what done() said there.
  static TiledResult join(const std::string &path, const TiledFile &file, const Identity &identity,
                          std::int64_t units, int rank, const std::vector<bool> &done,
                          const TiledOptions &options = {});
  TiledResult(const TiledResult &) = delete;
  TiledResult &operator=(const TiledResult &) = delete;
  /// Syncs what is finished; removes the files if no unit is.
  ~TiledResult();

  /// For each unit, whether an earlier run has finished it.
  const std::vector<bool> &done() const { return done_; }
  /// What was found when resuming, in sentences for people.
  const std::vector<std::string> &notes() const { return notes_; }
  /// The number of a dataset "/entry/GROUP/NAME".
  int dataset(const std::string &name) const;
  /// The description of a dataset.
  const nexus::Signal &signal(int dataset) const {
    return *signals_.at(static_cast<std::size_t>(dataset));
  }
  /// Writes elements begin[k] <= index[k] < end[k] of a dataset, z (the last axis) fastest, as part
  /// of a unit. The same boxes of a unit may be written again before it is finished.
  void write(std::int64_t unit, int dataset, const nexus::Shape &begin, const nexus::Shape &end,
             const void *data);
  /// The same for a dataset that no unit writes: for TiledFile::complete.
  void put(int dataset, const nexus::Shape &begin, const nexus::Shape &end, const void *data);
  void read(int dataset, const nexus::Shape &begin, const nexus::Shape &end, void *data) const;
  /// All of the unit is written. It counts as finished once synced.
  void finishUnit(std::int64_t unit);
  /// Syncs all finished units now.
  void flush();
  /// Units known to be finished, now and before, by this process.
  std::int64_t finished() const;

  /// In the process that created the result: calls `complete`, writes where the result is from,
  /// compresses if requested, renames to PATH, removes the journals. All processes must have
  /// flushed. Throws Error if a unit is missing; after any Error resume can try again.
  void finalise(const nexus::Process &process, bool compress = false);
  /// The same of a share: these units, in a file of their own (share_file.h), instead of a result.
  void finaliseShare(const ShareNumber &share, const std::vector<std::int64_t> &units,
                     const nexus::Process &process);
  /// Takes the units of a share for finished ones. Throws Error if it is of another result, or its
  /// values are not as written.
  void adopt(const ShareFile &share);
  /// The Error to end with after a StopRequest: says how to go on (Exit::Stopped).
  Error stopped() const;

private:
  /// `open` ends with a file and a journal that units can be written to, or throws.
  TiledResult(std::string path, const TiledFile &file, const Identity &identity, std::int64_t units,
              const TiledOptions &options, const std::function<void(TiledResult &)> &open);

  std::string partPath() const { return path_ + ".part"; }
  std::string asidePath() const { return path_ + ".sums"; }
  /// What lies in one piece in a file and in a box, in bytes.
  struct Stretch {
    int file;
    std::int64_t at, inBox, bytes;
  };
  /// Calls with each stretch of a box until a call returns other than 0, and returns that. Throws
  /// Error if it is no box of the dataset.
  [[nodiscard]] int eachStretch(int dataset, const tiled::DatasetBox &box,
                                const std::function<int(const Stretch &)> &call) const;
  /// The same as put(), as part of a unit.
  void keep(std::int64_t unit, int dataset, const tiled::DatasetBox &box, const void *data);

  /// Makes a new PATH.part and journal in place of all earlier ones; if it throws Error, none is
  /// left.
  void beginAnew();
  /// resume() of a file that is not open yet.
  void takeUp();
  /// Opens PATH.sums, if there is to be one, and takes its room; 0 or errno.
  [[nodiscard]] int openAside(int flags);
  /// Makes the open journal end with a whole line: its own, or the head's.
  void continueJournal();
  /// Whether a journal's head is of so many units, and of datasets that lie within the file.
  bool fits(const tiled::Head &head) const;
  /// Repairs PATH.part. False if it cannot be: its layout is not the journal's, nor that of this
  /// HDF5.
  bool repair();
  bool layOutAgain() const;
  void verify(const std::map<int, tiled::Journal> &journals);
  bool verified(const tiled::UnitLine &unit) const;
  /// One good line for each of these units.
  std::vector<tiled::UnitLine> linesOf(const std::vector<std::int64_t> &units) const;
  void adoptPiece(const tiled::Piece &piece, ShareFile::Values &values, const ShareFile &share);
  /// Gives a file its size; 0 or errno.
  [[nodiscard]] int takeRoom(int file, std::int64_t bytes) const;
  /// Removes PATH.part, PATH.sums, all journals, and what runs killed before their first tile have
  /// left.
  void removeFiles() const;

  /// Syncs tiles, then appends the lines of the finished units. `lock` holds `mutex_`, and lets go
  /// of it while the disk works.
  void sync(std::unique_lock<std::mutex> &lock);
  void syncInBackground(const std::stop_token &stop);
  /// Throws Error if there is a unit that no process has finished.
  void refuseMissing() const;
  /// Throws the Error of a disk that did not take bytes.
  [[noreturn]] void fail(int error) const;
  /// fail(errno) unless `good`; fail(error) unless it is 0.
  void must(bool good) const;
  void check(int error) const;

  const std::string path_;
  const TiledFile file_;
  const nexus::Signal aside_;
  std::vector<const nexus::Signal *> signals_; // by number of the dataset
  const TiledOptions options_;
  tiled::Head head_;
  int rank_ = 0;
  Descriptor part_, asideFile_, journal_;
  std::vector<bool> done_; // by earlier runs
  std::vector<std::string> notes_;
  std::map<int, std::int64_t> seen_; // bytes of each journal that are of earlier runs
  bool closed_ = false;              // the destructor has nothing to do

  mutable std::mutex mutex_;                               // guards what follows
  std::map<std::int64_t, std::vector<tiled::Piece>> open_; // units begun and not finished
  std::string lines_;                                      // of finished units, not synced yet
  std::vector<std::int64_t> waiting_;                      // those units
  std::vector<bool> finishedHere_;                         // those in the journal
  Clock::time_point synced_ = Clock::now();
  int syncing_ = 0;            // threads that are syncing
  std::exception_ptr failure_; // of the thread that syncs
  std::condition_variable_any wake_;
  std::jthread syncer_; // begins with the first finished unit; ends before the rest goes
};

} // namespace facet::runtime
