// tiled_result.h - a result file written tile by tile, which survives a kill at any instant.
//
// PATH.part is laid out as the final HDF5 file before the first tile, with its room reserved and
// its metadata written; tiles go to their datasets' offsets by pwrite, without HDF5. What is
// finished stands in journals, PATH.journal.RANK: one file a process, since appending by several
// machines to one file is not atomic on NFS, and since no lock is needed then. A unit's line is
// written after its bytes were synced, and tells their checksums. docs/scaling.md has the rest.
#pragma once
#include "runtime/output/hdf5/nexus.h"
#include "runtime/output/layout.h"
#include <facet/runtime/error.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

namespace tiled {
struct State;
}

/// What a result is of, part by part: "kernel", "mesh", "grid" (hashes, as of identity.h), "plan"
/// (the text of all that fixes the bits), "facet" (version). A run is resumed only if all agree.
using Identity = std::map<std::string, std::string>;

/// A dataset that is written with another: I = |F|^2, in the order of the picture. A box of F
/// writes its box of I, both as part of the unit.
struct Square {
  std::string f, i; // "/entry/GROUP/NAME"
  PictureLayout layout;
};
class TiledResult;
/// What the file holds. It points at the caller's numbers, which must live as long as the result.
struct TiledFile {
  nexus::File file;
  std::vector<Square> squares;
  /// Makes what is made of finished datasets, by read() and put(); may be empty.
  std::function<void(TiledResult &)> complete = {};
  /// Numbers, 8 bytes each, that units may keep in PATH.sums until the file is finished: the
  /// dataset `asideName`, of one dimension.
  std::int64_t aside = 0;
};
inline const char *const asideName = "sums";
/// F and with it |F|^2 by tiles: the file that writeHdf5 writes.
TiledFile tiledFile(const Grid &grid, const std::string &title, const std::string &unit);

/// What lies at PATH from earlier runs. Reads journals only: tiles are not verified.
struct FoundResult {
  enum class State { Nothing, Unfinished, Finished } state = State::Nothing;
  Identity identity;                // of the unfinished run: its plan is the one to resume with
  std::int64_t done = 0, units = 0; // of the unfinished run
};
FoundResult findResult(const std::string &path);

struct TiledOptions {
  bool overwrite = false; // discard the finished units of a stopped run
  /// Units are synced together, so often, by a thread of its own; 0: each by who finishes it.
  double syncSeconds = 0.5;
};

/// One process's hold on a result. write, read, finishUnit are safe for several threads; the rest
/// is called by one. Errors of the disk name PATH and what to do; finished units are kept.
class TiledResult {
public:
  /// Begins a result of so many units. Throws Error: folder or disk do not allow it (nothing is
  /// left then), another run is writing it, or an earlier run was stopped here with finished units.
  static TiledResult create(const std::string &path, const TiledFile &file,
                            const Identity &identity, std::int64_t units,
                            const TiledOptions &options = {});
  /// Goes on with a stopped run, verifying every finished unit by its checksums; see done() and
  /// notes(). Begins again if there is nothing that can be trusted. Throws Error: the result is
  /// finished already (Exit::Good), another identity (naming the part), another run is writing it.
  static TiledResult resume(const std::string &path, const TiledFile &file,
                            const Identity &identity, std::int64_t units,
                            const TiledOptions &options = {});
  /// For another process than the one that has called create or resume, after it: with a number of
  /// its own (1, 2, ..) and what done() said there.
  static TiledResult join(const std::string &path, const TiledFile &file, const Identity &identity,
                          std::int64_t units, int rank, const std::vector<bool> &done,
                          const TiledOptions &options = {});
  TiledResult(TiledResult &&) noexcept;
  TiledResult &operator=(TiledResult &&) noexcept;
  /// Syncs what is finished; removes the files if no unit is.
  ~TiledResult();

  /// By unit: finished by an earlier run.
  const std::vector<bool> &done() const;
  /// What was found when resuming, in sentences for people.
  const std::vector<std::string> &notes() const;
  /// The number of a dataset "/entry/GROUP/NAME".
  int dataset(const std::string &name) const;
  /// Elements begin[k] <= index[k] < end[k] of a dataset, z (the last axis) fastest, as part of a
  /// unit. The same boxes of a unit may be written again before it is finished.
  void write(std::int64_t unit, int dataset, const nexus::Shape &begin, const nexus::Shape &end,
             const void *data);
  /// The same of a dataset that no unit writes: for TiledFile::complete.
  void put(int dataset, const nexus::Shape &begin, const nexus::Shape &end, const void *data);
  void read(int dataset, const nexus::Shape &begin, const nexus::Shape &end, void *data) const;
  /// All of the unit is written. It counts as finished once synced.
  void finishUnit(std::int64_t unit);
  /// Syncs all finished units now.
  void flush();
  /// Units known to be finished, now and before, by this process.
  std::int64_t finished() const;

  /// In the process that created: calls `complete`, writes where the result is from, compresses
  /// if requested, renames to PATH, removes the journals. All processes must have flushed. Throws
  /// Error if a unit is missing; after any Error resume can try again.
  void finalise(const nexus::Process &process, bool compress = false);
  /// The Error to end with after a StopRequest: says how to go on (Exit::Stopped).
  Error stopped() const;

private:
  explicit TiledResult(std::unique_ptr<tiled::State> state);
  std::unique_ptr<tiled::State> state_;
};

} // namespace facet::runtime
