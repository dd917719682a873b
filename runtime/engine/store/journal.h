// journal.h - the text of a journal: what a result depends on, then a line for each finished unit.
//
// It is PATH.journal.RANK, one file a process: appending to one file is not atomic on NFS. Lines:
//   facet-journal 1 CRC
//   part NAME VALUE CRC
//       one a part of the identity; \n and \\ stand for newlines and backslashes
//   dataset NAME OFFSET CRC
//       one a dataset, in bytes from the beginning of PATH.part
//   layout SIZE SUM UNITS CRC
//       bytes of PATH.part; CRC-32 of those outside the datasets
//   unit N DATASET[B:E,B:E,..]=SUM .. CRC
//       boxes of the unit with the CRC-32 of their bytes
//
// When a record is valid, and how resuming reads it:
//   1. A unit's bytes are written to PATH.part and PATH.sums and synced (fdatasync). Then its line
//      is appended, with the lines of all units that the same sync holds. So a line stands for
//      bytes on disk. The journal itself is not synced: a line lost in a crash costs only its unit.
//   2. A process holds a lock on its journal. Resuming refuses a result with a locked journal.
//   3. A line is valid if it ends with a newline and with the CRC-32 of the rest of it, 8 digits.
//      Other lines are passed over and counted. A torn last line is cut off before one is appended.
//   4. A head is valid if no line before its end is damaged; it ends with `layout`. Lines `unit`
//      count only behind a head, and only if N is below UNITS.
//   5. The first valid head, by rank, is that of the result. A journal with another one is passed
//      over. Without one nothing is trusted: all is computed anew.
//   6. Each `part` must be that of the run that resumes. The first that differs is named in an
//      Error, and all files stay.
//   7. If PATH.part is gone, or the datasets do not lie within SIZE, all is computed anew. If it is
//      shorter than SIZE, or SUM is not that of the bytes outside the datasets, it is laid out
//      again. If the new layout has other offsets or another size, all is computed anew.
//   8. A line of a unit is good if it names at least one box, and all its boxes are good. A box is
//      good if it lies within its dataset and its bytes, read back, have the sum of the line. A
//      unit is finished if one of its lines is good; other units are computed again.
//   9. What the disk refuses to read or to list is an Error, and all files stay: finished units
//      must not be taken for none.
#pragma once
#include "runtime/engine/store/boxes.h"
#include "runtime/engine/system/files.h"
#include <map>
#include <optional>

namespace facet::runtime {

/// What a result depends on, part by part: "kernel", "mesh", "grid" (hashes, see identity.h),
/// "plan" (the text of all that fixes the bits), "facet" (version). A run is resumed only if all
/// agree.
using Identity = std::map<std::string, std::string>;

namespace tiled {

/// A box that was written, with the sum of its bytes.
struct Piece {
  int dataset = 0;
  DatasetBox box;
  std::uint32_t sum = 0;
  bool operator==(const Piece &) const = default;
};
struct UnitLine {
  std::int64_t unit = 0;
  std::vector<Piece> pieces;
  std::int64_t end = 0; // bytes of the journal up to here
  bool operator==(const UnitLine &o) const { return unit == o.unit && pieces == o.pieces; }
};
struct Head {
  Identity identity;
  std::vector<std::string> datasets;
  std::vector<std::int64_t> offsets;
  std::int64_t size = 0, units = 0;
  std::uint32_t sum = 0;
  bool operator==(const Head &o) const {
    return identity == o.identity && datasets == o.datasets && offsets == o.offsets &&
           size == o.size && units == o.units;
  }
};

struct Journal {
  std::optional<Head> head; // none: the head is missing or not whole
  std::vector<UnitLine> units;
  std::int64_t whole = 0;   // bytes up to the end of the last line that ends
  std::int64_t damaged = 0; // lines whose sum is wrong, the torn last one too
};

std::string text(const Head &head);
std::string text(std::int64_t unit, const std::vector<Piece> &pieces);
/// Throws Error (Failed): finished units are kept where a refusal could be taken for none.
[[noreturn]] void cannotRead(const std::string &path, const std::string &what,
                             const std::error_code &why);
/// What is in the text of one.
Journal readJournal(std::istream &text);
/// A file that is not there is an empty journal. Throws Error (Failed) if it cannot be read.
Journal readJournal(const std::string &file);

std::string journalOf(const std::string &path, int rank);
/// The journals beside PATH, by rank. Throws Error (Failed) if the folder cannot be listed:
/// finished units must not be taken for none.
std::map<int, std::string> journalsOf(const std::string &path);
/// Removes those that can be found.
void removeJournals(const std::string &path);
/// The first whole head of several journals, and only those journals that have the same.
std::map<int, Journal> readJournals(const std::string &path, std::optional<Head> &head);

} // namespace tiled
} // namespace facet::runtime
