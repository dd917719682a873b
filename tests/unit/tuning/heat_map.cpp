// heat_map.cpp - the ring of what was tuned shows the colour of its cell, which it would hide.
#include "runtime/tuning/heat_map.h"
#include "runtime/output/scale.h"
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

namespace facet::test {
namespace {
using namespace facet::runtime;

/// As cairo writes it in SVG, whole percents.
std::string fill(Colour c) {
  const auto percent = [](int value) { return std::to_string(100 * value / 255) + "%"; };
  return "rgb(" + percent(c.r) + "," + percent(c.g) + "," + percent(c.b) + ")";
}

TEST(HeatMap, ShowsTheTunedCellInItsRing) {
  TuneResult r;
  for (const int y : {1, 2, 4})
    for (const int z : {1, 2, 3}) {
      Trial &t = r.trials.emplace_back();
      t.knobs.tileY = y, t.knobs.tileZ = z;
      t.throughput = 1e9 * (7 + y - z);
    }
  r.initial = r.trials[0].knobs;
  r.tuned.knobs = r.trials[4].knobs; // 7 of 10: the review may choose another than the best
  const auto folder = std::filesystem::temp_directory_path() / ("heat-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string file = folder / "a.svg";
  writeHeatMap({r}, file);
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}}, plain;
  bool fraction = false; // "99.215686%, 90.5%" to "99%,90%"
  for (const char c : text) {
    fraction = c == '.' || (fraction && std::isdigit(static_cast<unsigned char>(c)));
    if (!fraction && c != ' ')
      plain += c;
  }
  const double low = 0.5; // 5 of 10 is the least
  EXPECT_NE(plain.find(fill(colourAt((0.7 - low) / (1 - low)))), std::string::npos);
  EXPECT_NE(plain.find(fill(colourAt(1))), std::string::npos); // in the legend
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace facet::test
