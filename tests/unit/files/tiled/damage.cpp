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
    EXPECT_EQ(bytesOf(run.path), whole);
    return notes;
  }
  void flip(const std::string &file, std::int64_t at) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(at);
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(at);
    stream.put(byte);
  }
  static void expectHas(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
  }
  const std::string whole = expected();
  const std::string part = run.path + ".part", journal = run.path + ".journal.0";
  std::int64_t finished = 0;
};
} // namespace

TEST_F(Damaged, AJournalTruncatedAnywhereIsSafe) {
  run.partly(6);
  const std::string lines = bytesOf(journal), tiles = bytesOf(part);
  std::int64_t least = 12, most = 0;
  for (std::size_t bytes = 0; bytes <= lines.size(); bytes += 37) {
    write("a.h5.part", tiles);
    write("a.h5.journal.0", lines.substr(0, bytes));
    resumed();
    least = std::min(least, finished);
    most = std::max(most, finished);
  }
  EXPECT_EQ(least, 0);
  EXPECT_EQ(most, 5); // the sixth is torn by any cut of these
}

TEST_F(Damaged, ATornLastLineDoesNotSpoilTheNext) {
  run.partly(6);
  std::filesystem::resize_file(journal, bytesOf(journal).size() - 4);
  { // stopped again, after one more unit
    TiledResult result = run.resume();
    EXPECT_EQ(result.finished(), 5);
    run.compute(result, 9);
  }
  expectHas(resumed(), "6 of 12 units are finished");
}

TEST_F(Damaged, ADamagedLineCostsItsUnit) {
  run.partly(6);
  const std::string lines = bytesOf(journal);
  flip(journal, static_cast<std::int64_t>(lines.find("unit 2") + 5));
  expectHas(resumed(), "1 torn line");
  EXPECT_EQ(finished, 5);
}

TEST_F(Damaged, ADamagedTileIsComputedAgain) {
  run.partly(6);
  const std::string bytes = bytesOf(part);
  // The first F is 1 + 0i; its second part of unit 3 is 4 + 0.1i.
  const double f[] = {4, 0.1};
  const auto at = bytes.find(std::string(reinterpret_cast<const char *>(f), 16));
  ASSERT_NE(at, std::string::npos);
  flip(part, static_cast<std::int64_t>(at) + 3);
  expectHas(resumed(), "1 unit is not as written: computed again");
  EXPECT_EQ(finished, 5);
}

TEST_F(Damaged, ADamagedSquareIsMadeAgain) {
  run.partly(6);
  const std::string bytes = bytesOf(part);
  // |F|^2 of the first two q of unit 3.
  const double squares[] = {16, std::norm(std::complex<double>(4, 0.1))};
  const auto at = bytes.find(std::string(reinterpret_cast<const char *>(squares), 16));
  ASSERT_NE(at, std::string::npos);
  flip(part, static_cast<std::int64_t>(at) + 3);
  expectHas(resumed(), "1 unit is not as written: computed again");
  EXPECT_EQ(finished, 5);
}

TEST_F(Damaged, AFileTruncatedAnywhereIsSafe) {
  run.partly(12);
  const std::string lines = bytesOf(journal), tiles = bytesOf(part);
  for (std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{2000}, std::size_t{4000},
                            tiles.size() / 2, tiles.size() - 1}) {
    write("a.h5.part", tiles.substr(0, bytes));
    write("a.h5.journal.0", lines);
    expectHas(resumed(), "is truncated");
  }
}

TEST_F(Damaged, WithoutJournalOrFileItBeginsAnew) {
  run.partly(6);
  std::filesystem::remove(journal);
  expectHas(resumed(), "the journal is gone, without which no tile is trusted");
  std::filesystem::remove(run.path);
  run.partly(6);
  write("a.h5.journal.0", "not this one\n");
  expectHas(resumed(), "the journal is damaged");
  std::filesystem::remove(run.path);
  run.partly(6);
  std::filesystem::remove(part);
  expectHas(resumed(), "a.h5.part is gone");
  EXPECT_EQ(finished, 0);
  std::filesystem::remove(run.path);
  expectHas(resumed(), "there is no stopped run to resume");
}
