// journal.h - the text of a journal: what a result depends on, then a line for each finished unit.
//
// Every line ends with its own CRC-32, by which a torn or damaged one is recognised:
//   facet-journal 1 CRC
//   part NAME VALUE CRC
//       one a part of the identity; \n and \\ stand for newlines and backslashes
//   dataset NAME OFFSET CRC
//       one a dataset, in bytes from the beginning of PATH.part
//   layout SIZE SUM UNITS CRC
//       bytes of PATH.part; CRC-32 of those outside the datasets
//   unit N DATASET[B:E,B:E,..]=SUM .. CRC
//       boxes of the unit with the CRC-32 of their bytes
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
};
struct UnitLine {
  std::int64_t unit = 0;
  std::vector<Piece> pieces;
  std::int64_t end = 0; // bytes of the journal up to here
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
