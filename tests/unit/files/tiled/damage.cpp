// damage.cpp - journals and files that are truncated, damaged or gone cost units, never bits.
#include "runs.h"

namespace {
class Damaged : public Tiled {
protected:
  /// Resumes and ends the run; notes of the resumption.
  std::string resumed() {
    TiledResult result = run.resume();
    std::string notes;
    for (const auto &note : result.notes())
      notes += note + "\n";
    finished = result.finished();
    run.computeAll(result);
    result.finalise(SmallRun::process());
    EXPECT_EQ(bytes("a.h5"), whole);
    return notes;
  }
  void flip(const std::string &file, std::int64_t at) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(at);
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(at);
    stream.put(byte);
  }
  /// Flips a bit behind the first place of two numbers in the file, and resumes.
  void expectUnit3Again(double first, double second) {
    run.partly(6);
    const double two[] = {first, second};
    const auto at = bytes("a.h5.part").find(std::string(reinterpret_cast<const char *>(two), 16));
    ASSERT_NE(at, std::string::npos);
    flip(part, static_cast<std::int64_t>(at) + 3);
    EXPECT_HAS(resumed(), "1 unit is not as written: computed again");
    EXPECT_EQ(finished, 5);
  }
  const std::string whole = expected();
  const std::string part = run.path + ".part", journal = run.path + ".journal.0";
  std::int64_t finished = 0;
};
} // namespace

TEST_F(Damaged, AJournalTruncatedAnywhereIsSafe) {
  run.partly(6);
  const std::string lines = bytes("a.h5.journal.0"), tiles = bytes("a.h5.part");
  std::int64_t least = 12, most = 0;
  for (std::size_t cut = 0; cut <= lines.size(); cut += 37) {
    write("a.h5.part", tiles);
    write("a.h5.journal.0", lines.substr(0, cut));
    resumed();
    least = std::min(least, finished);
    most = std::max(most, finished);
  }
  EXPECT_EQ(least, 0);
  EXPECT_EQ(most, 5); // the sixth is torn by any cut of these
}

TEST_F(Damaged, ATornLastLineDoesNotSpoilTheNext) {
  run.partly(6);
  std::filesystem::resize_file(journal, bytes("a.h5.journal.0").size() - 4);
  { // stopped again, after one more unit
    TiledResult result = run.resume();
    EXPECT_EQ(result.finished(), 5);
    run.compute(result, 9);
  }
  EXPECT_HAS(resumed(), "6 of 12 units are finished");
}

TEST_F(Damaged, ADamagedLineCostsItsUnit) {
  run.partly(6);
  const std::string lines = bytes("a.h5.journal.0");
  flip(journal, static_cast<std::int64_t>(lines.find("unit 2") + 5));
  EXPECT_HAS(resumed(), "1 torn line");
  EXPECT_EQ(finished, 5);
}

// The first F of unit 3 is 4 + 0i, its second 4 + 0.1i.
TEST_F(Damaged, ADamagedTileIsComputedAgain) { expectUnit3Again(4, 0.1); }
TEST_F(Damaged, ADamagedSquareIsMadeAgain) {
  expectUnit3Again(16, std::norm(std::complex<double>(4, 0.1)));
}

TEST_F(Damaged, AFileTruncatedAnywhereIsSafe) {
  run.partly(12);
  const std::string lines = bytes("a.h5.journal.0"), tiles = bytes("a.h5.part");
  for (std::size_t cut : {std::size_t{0}, std::size_t{100}, std::size_t{2000}, std::size_t{4000},
                          tiles.size() / 2, tiles.size() - 1}) {
    write("a.h5.part", tiles.substr(0, cut));
    write("a.h5.journal.0", lines);
    EXPECT_HAS(resumed(), "is truncated");
  }
}

TEST_F(Damaged, WithoutJournalOrFileItBeginsAnew) {
  run.partly(6);
  std::filesystem::remove(journal);
  EXPECT_HAS(resumed(), "the journal is gone, without which no tile is trusted");
  std::filesystem::remove(run.path);
  run.partly(6);
  write("a.h5.journal.0", "not this one\n");
  EXPECT_HAS(resumed(), "the journal is damaged");
  std::filesystem::remove(run.path);
  run.partly(6);
  std::filesystem::remove(part);
  EXPECT_HAS(resumed(), "a.h5.part is gone");
  EXPECT_EQ(finished, 0);
  std::filesystem::remove(run.path);
  EXPECT_HAS(resumed(), "there is no stopped run to resume");
}

// The second layout has fewer: the units between belong to no result.
TEST_F(Damaged, AJournalIsOfTheUnitsOfItsFirstLayout) {
  run.partly(6);
  tiled::Head head = *tiled::readJournal(journal).head;
  const std::string lines = bytes("a.h5.journal.0");
  head.units = 100'000;
  write("a.h5.journal.0", text(head) + tiled::text(99'999, {}) + lines);
  const tiled::Journal read = tiled::readJournal(journal);
  EXPECT_EQ(read.head->units, 100'000);
  EXPECT_EQ(read.units.front().unit, 99'999);
  EXPECT_HAS(resumed(), "the journal does not belong to this result");
}

// Whole lines with their sums, of numbers that would lead out of arrays and the file.
TEST_F(Damaged, AJournalOfOtherPlacesBeginsAnew) {
  const std::function<void(tiled::Head &)> changes[] = {
      [](auto &head) { head.units = 1'000'000; }, [](auto &head) { head.datasets.pop_back(); },
      [](auto &head) { head.offsets[0] = -8; },
      [](auto &head) { head.offsets[1] = head.size - 1; }};
  for (const auto &change : changes) {
    run.partly(6);
    tiled::Head head = *tiled::readJournal(journal).head;
    change(head);
    write("a.h5.journal.0", text(head));
    EXPECT_HAS(resumed(), "the journal does not belong to this result");
    EXPECT_EQ(finished, 0);
    std::filesystem::remove(run.path);
  }
}

// No disk has so much room, and a disk that had it would be filled.
TEST_F(Damaged, AJournalOfAnotherSizeBeginsAnew) {
  run.partly(6);
  tiled::Head head = *tiled::readJournal(journal).head;
  head.size = std::int64_t{1} << 46;
  write("a.h5.journal.0", text(head));
  EXPECT_HAS(resumed(), "a.h5.part is damaged, or was laid out by another HDF5");
  EXPECT_EQ(finished, 0);
}
