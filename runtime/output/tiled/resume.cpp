// resume.cpp - a stopped run taken up again: its identity compared, its file repaired, its tiles
// verified.
#include "runtime/output/tiled/state.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace facet::runtime {

namespace fs = std::filesystem;

namespace tiled {

namespace {
struct Part {
  const char *name, *text, *help;
};
/// In the order in which people would look.
constexpr Part parts[] = {
    {"facet", "version of facet", "resume with that version"},
    {"kernel", "kernel", "resume with that kernel file and its parameters"},
    {"mesh", "mesh", "resume with that mesh file, shape, unit and rotation"},
    {"beam", "beam", "resume with that wavelength and angle of incidence"},
    {"sample", "sample", "resume with those layers"},
    {"particles", "particles", "resume with those particles and objects"},
    {"grid", "grid", "resume with those axes, points or detector"},
    {"accuracy", "accuracy", "resume with that accuracy"},
    {"plan", "plan",
     "resume with the options of the stopped run (target, class, algorithm, memory)"},
};

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

void refusePart(const std::string &path, const Part &part, const Identity &before,
                const Identity &now) {
  const std::string then = valueOf(before, part.name), today = valueOf(now, part.name);
  if (then != today)
    throw Error(path,
                fmt::format("cannot resume: the {} is not that of the stopped run ({}, then {})",
                            part.text, shown(today, then), shown(then, today)),
                fmt::format("{}, or begin anew with --overwrite", part.help));
}

bool verified(const State &state, const UnitLine &unit) {
  for (const auto &piece : unit.pieces) {
    if (piece.dataset < 0 || piece.dataset >= std::ssize(state.head.datasets) ||
        !within(piece.box, state.signal(piece.dataset).shape))
      return false;
    std::uint32_t sum = 0;
    const std::int64_t size = state.elementBytes(piece.dataset);
    const int error = eachRun(state.signal(piece.dataset).shape, piece.box,
                              [&](std::int64_t element, std::int64_t, std::int64_t count) {
                                return readPieces(state.fileOf(piece.dataset), count * size,
                                                  state.at(piece.dataset, element),
                                                  [&](const char *bytes, std::int64_t n, auto) {
                                                    sum = addToSum(sum, bytes, n);
                                                    return 0;
                                                  });
                              });
    if (error != 0 || sum != piece.sum)
      return false;
  }
  return !unit.pieces.empty();
}

/// Bytes outside the datasets as they were laid out; false if today's layout is another one.
bool layOutAgain(const State &state) {
  PendingFile fresh(state.path);
  Head head = state.head;
  layOutPart(fresh, state.description, head);
  if (head.offsets != state.head.offsets || head.size != state.head.size)
    return false;
  const Descriptor from(open(fresh.temporary().c_str(), O_RDONLY | O_CLOEXEC));
  int error = from ? 0 : errno;
  eachOutside(head, state.signals, [&](std::int64_t offset, std::int64_t bytes) {
    if (error == 0)
      error = readPieces(from.get(), bytes, offset, [&](const char *piece, auto n, auto at) {
        return writeAt(state.part.get(), piece, n, at);
      });
  });
  state.check(error);
  return true;
}

/// PATH.part with its whole size and its metadata; false if that cannot be.
bool repair(State &state) {
  struct stat status{};
  state.must(fstat(state.part.get(), &status) == 0);
  if (status.st_size < state.head.size)
    state.notes.push_back(
        fmt::format("{} is truncated ({} of {} bytes): what is lost is computed again",
                    state.partPath(), status.st_size, state.head.size));
  state.must(status.st_size <= state.head.size ||
             ftruncate(state.part.get(), state.head.size) == 0);
  state.check(reserve(state.part.get(), state.head.size));
  return sumOutside(state.part.get(), state.head, state.signals) == state.head.sum ||
         layOutAgain(state);
}

void verify(State &state, const std::map<int, Journal> &journals) {
  std::vector<bool> bad(state.done.size());
  std::int64_t damaged = 0;
  for (const auto &[rank, journal] : journals) {
    state.seen[rank] = journal.whole;
    damaged += journal.damaged;
    for (const auto &unit : journal.units) {
      const auto k = static_cast<std::size_t>(unit.unit);
      if (state.done[k])
        continue;
      state.done[k] = verified(state, unit);
      bad[k] = !state.done[k];
    }
  }
  const auto count = [](const std::vector<bool> &of) {
    return std::count(of.begin(), of.end(), true);
  };
  if (damaged > 0)
    state.notes.push_back(fmt::format("the journal has {} torn line{}, which {} not counted",
                                      damaged, damaged == 1 ? "" : "s",
                                      damaged == 1 ? "is" : "are"));
  if (count(bad) > 0)
    state.notes.push_back(fmt::format("{} unit{} not as written: computed again", count(bad),
                                      count(bad) == 1 ? " is" : "s are"));
  state.notes.push_back(
      fmt::format("{} of {} units are finished", count(state.done), state.head.units));
}
} // namespace

void refuseOther(const std::string &path, const Identity &before, const Identity &now) {
  for (const auto &part : parts)
    refusePart(path, part, before, now);
  // Other parts, the datasets and the number of units among them, follow from the experiment.
  for (const auto *identity : {&before, &now})
    for (const auto &[name, value] : *identity)
      refusePart(path, {name.c_str(), name.c_str(), "resume with the same experiment"}, before,
                 now);
}

} // namespace tiled

using namespace tiled;

TiledResult TiledResult::resume(const std::string &path, const TiledFile &file,
                                const Identity &identity, std::int64_t units,
                                const TiledOptions &options) {
  auto state = makeState(path, file, identity, units, options);
  const auto anew = [&](const std::string &why) {
    state->notes.push_back(why + ": everything is computed anew");
    beginAnew(*state);
    return TiledResult(std::move(state));
  };
  if (findResult(path).state == FoundResult::State::Finished) {
    refuseInUse(path);
    state->removeFiles(); // journals, if the kill was after the rename
    throw Error(path, "this result is finished already; there is nothing to resume",
                "without --resume it is computed again", Exit::Good);
  }
  refuseInUse(path);
  std::optional<Head> before;
  const auto journals = readJournals(path, before);
  const bool part = fs::exists(state->partPath());
  if (!before)
    return anew(!part ? "there is no stopped run to resume"
                : journalsOf(path).empty()
                    ? "the journal is gone, without which no tile is trusted"
                    : "the journal is damaged, without which no tile is trusted");
  refuseOther(path, before->identity, state->head.identity);
  if (!part)
    return anew(state->partPath() + " is gone");
  state->head = *before;
  state->part = Descriptor(open(state->partPath().c_str(), O_RDWR | O_CLOEXEC));
  state->must(static_cast<bool>(state->part));
  state->journal = openJournal(path, 0);
  state->closed = true; // an Error leaves all files as they are
  state->check(state->openAside(O_CREAT));
  if (!repair(*state)) {
    state->journal = Descriptor();
    return anew(state->partPath() + " is damaged and was laid out by another HDF5");
  }
  verify(*state, journals);
  continueJournal(*state);
  state->closed = false;
  return TiledResult(std::move(state));
}

} // namespace facet::runtime
