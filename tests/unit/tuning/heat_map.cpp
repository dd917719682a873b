// heat_map.cpp - the heat map shows the knobs that matter most, the best of each cell, and what was
// left out. The ring of what was tuned shows the colour of its cell, which it would hide.
#include "runtime/engine/tune/tuner.h"
#include "runtime/picture/scale.h"
#include "tests/support/folder.h"
#include <cctype>
#include <gtest/gtest.h>
#include <string>

namespace facet::test {
namespace {
using namespace facet::runtime;

Trial trial(int tileY, int tileZ, int blockT, double throughput, const char *skipped = "") {
  Trial t;
  t.knobs.tileY = tileY, t.knobs.tileZ = tileZ, t.knobs.blockT = blockT;
  t.throughput = throughput;
  t.skipped = skipped;
  return t;
}

/// Tiles of 1, 2, 4 rows by 1, 2, 3 vectors; two blocks at the best of them.
TuneResult tuning() {
  TuneResult r;
  for (const int y : {1, 2, 4})
    for (const int z : {1, 2, 3})
      r.trials.push_back(trial(y, z, 128, y + z));
  r.trials.push_back(trial(4, 3, 64, 8));
  r.trials.push_back(trial(8, 3, 128, 0, "model"));
  return r;
}

TEST(Cells, AreOfTheKnobsThatTellMost) {
  const Cells c = cellsOf(tuning());
  EXPECT_EQ(c.x->name, "tile_y");
  EXPECT_EQ(c.y->name, "tile_z");
  EXPECT_EQ(c.xs, (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(c.ys, (std::vector<int>{1, 2, 3}));
}

TEST(Cells, KeepTheBestOfTheOtherKnobs) {
  const Cells c = cellsOf(tuning());
  EXPECT_EQ(c.best, 8);
  EXPECT_EQ(c.at(2, 2).best, 8);
  EXPECT_EQ(c.at(0, 1).best, 3);
  EXPECT_FALSE(c.at(0, 1).skipped);
}

TEST(Cells, TellWhatWasSkippedFromWhatWasNotTried) {
  const Cells c = cellsOf(tuning());
  EXPECT_TRUE(c.at(3, 2).skipped);
  EXPECT_EQ(c.at(3, 2).best, 0);
  EXPECT_FALSE(c.at(3, 0).skipped);
  EXPECT_EQ(c.at(3, 0).best, 0);
}

TEST(Cells, OfOneTrialAreOneTile) {
  TuneResult r;
  r.trials.push_back(trial(4, 1, 128, 1));
  const Cells c = cellsOf(r);
  EXPECT_EQ(c.cells.size(), 1U);
  EXPECT_EQ(c.x->name, "tile_y");
}

/// As cairo writes it in SVG, whole percents.
std::string fill(Colour c) {
  const auto percent = [](int value) { return std::to_string(100 * value / 255) + "%"; };
  return "rgb(" + percent(c.r) + "," + percent(c.g) + "," + percent(c.b) + ")";
}

TEST(HeatMap, ShowsTheTunedCellInItsRing) {
  TuneResult r;
  for (const int y : {1, 2, 4})
    for (const int z : {1, 2, 3})
      r.trials.push_back(trial(y, z, 128, 1e9 * (7 + y - z)));
  r.initial = r.trials[0].knobs;
  r.tuned.knobs = r.trials[4].knobs; // 7 of 10: the review may choose another than the best
  const Folder folder;
  const std::string file = folder.path / "a.svg";
  writeHeatMap({r}, file);
  std::string text = textOf(file), plain;
  bool fraction = false; // "99.215686%, 90.5%" to "99%,90%"
  for (const char c : text) {
    fraction = c == '.' || (fraction && std::isdigit(static_cast<unsigned char>(c)));
    if (!fraction && c != ' ')
      plain += c;
  }
  const double low = 0.5; // 5 of 10 is the least
  EXPECT_NE(plain.find(fill(colourAt((0.7 - low) / (1 - low)))), std::string::npos);
  EXPECT_NE(plain.find(fill(colourAt(1))), std::string::npos); // in the legend
}

} // namespace
} // namespace facet::test
