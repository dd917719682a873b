// shared_units.cpp - units of a result written as a share of it, and taken from shares.
#include "runtime/engine/store/tiled_result.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace facet::runtime {

using namespace tiled;

TiledFile unitsAlone(TiledFile file) {
  for (nexus::Group &group : file.file.groups) {
    std::erase_if(group.signals, [](const nexus::Signal &signal) {
      return signal.values != nullptr || signal.make;
    });
    for (nexus::Signal &signal : group.signals)
      signal.uncertainties.clear();
    group = {group.name, group.title, {}, std::move(group.signals)};
  }
  std::erase_if(file.file.groups, [](const nexus::Group &group) { return group.signals.empty(); });
  file.file.canSas = false;
  file.complete = {};
  return file;
}

std::vector<UnitLine> TiledResult::linesOf(const std::vector<std::int64_t> &units) const {
  const std::set<std::int64_t> wanted(units.begin(), units.end());
  std::map<std::int64_t, UnitLine> found;
  std::optional<Head> head = head_;
  for (const auto &[rank, journal] : readJournals(path_, head))
    for (const UnitLine &line : journal.units)
      if (wanted.contains(line.unit) && !found.contains(line.unit) && verified(line))
        found[line.unit] = line;
  std::vector<UnitLine> lines;
  for (const std::int64_t unit : wanted)
    if (const auto line = found.find(unit); line != found.end())
      lines.push_back(line->second);
    else
      throw Error(path_, fmt::format("unit {} is not finished", unit), "go on with --resume",
                  Exit::Failed);
  return lines;
}

void TiledResult::finaliseShare(const ShareNumber &share, const std::vector<std::int64_t> &units,
                                const nexus::Process &process) {
  flush();
  const std::vector<UnitLine> lines = linesOf(units);
  std::string journal = text(head_);
  std::int64_t count = 0;
  for (const UnitLine &line : lines) {
    journal += text(line.unit, line.pieces);
    for (const Piece &piece : line.pieces)
      count += elements(piece.box) * nexus::bytesOf(signal(piece.dataset).element) / 8;
  }
  std::vector<double> buffer(1 << 17);
  const std::int64_t most = 8 * std::ssize(buffer);
  writeShare(path_, share, journal, process, count, [&](const auto &give) {
    for (const UnitLine &line : lines)
      for (const Piece &piece : line.pieces)
        check(eachStretch(piece.dataset, piece.box, [&](const Stretch &s) {
          for (std::int64_t done = 0; done < s.bytes; done += most) {
            const std::int64_t bytes = std::min(most, s.bytes - done);
            if (const int error = readAt(s.file, buffer.data(), bytes, s.at + done); error != 0)
              return error;
            give(buffer.data(), bytes / 8);
          }
          return 0;
        }));
  });
  tiled::syncFolderOf(path_);
  closed_ = true;
  removeFiles();
}

void TiledResult::adoptPiece(const Piece &piece, ShareFile::Values &values,
                             const ShareFile &share) {
  std::vector<double> buffer(1 << 17);
  const std::int64_t most = 8 * std::ssize(buffer);
  std::uint32_t sum = 0;
  check(eachStretch(piece.dataset, piece.box, [&](const Stretch &s) {
    for (std::int64_t done = 0; done < s.bytes; done += most) {
      const std::int64_t bytes = std::min(most, s.bytes - done);
      values.take(buffer.data(), bytes / 8);
      sum = addToSum(sum, buffer.data(), bytes);
      if (const int error = writeAt(s.file, buffer.data(), bytes, s.at + done); error != 0)
        return error;
    }
    return 0;
  }));
  if (sum != piece.sum)
    share.refuse("its values are not as written");
}

void TiledResult::adopt(const ShareFile &share) {
  refuseOther(share.path(), options_.parts, head_.identity, share.identity(),
              {"merge", "of the files and the program here", "here",
               "merge with {}, or run all shares again"});
  ShareFile::Values values(share);
  for (const UnitLine &line : share.units()) {
    const auto known = [&](const Piece &piece) {
      return piece.dataset >= 0 && piece.dataset < std::ssize(signals_) &&
             within(piece.box, signal(piece.dataset).shape);
    };
    if (line.unit >= head_.units || line.pieces.empty() || !std::ranges::all_of(line.pieces, known))
      share.refuse("its list of units is damaged");
    const auto unit = static_cast<std::size_t>(line.unit);
    for (const Piece &piece : line.pieces)
      if (done_[unit])
        values.skip(elements(piece.box) * nexus::bytesOf(signal(piece.dataset).element) / 8);
      else
        adoptPiece(piece, values, share);
    if (done_[unit])
      continue;
    {
      const std::lock_guard lock(mutex_);
      open_[line.unit] = line.pieces;
    }
    finishUnit(line.unit);
    done_[unit] = true;
  }
  flush();
}

} // namespace facet::runtime
