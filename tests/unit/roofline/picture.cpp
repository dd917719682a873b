// picture.cpp - pictures and JSON of made-up readings.
#include "made_up.h"
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own.
struct Scratch {
  fs::path path = fs::temp_directory_path() / ("facet-roofline-" + std::to_string(getpid()));
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
  std::string operator/(const std::string &name) const { return (path / name).string(); }
};

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Roofline madeUpRoofline() {
  Reading precise = at(separableReading(), 0.9);
  precise.klass = "f64";
  return {madeUpMachine(),
          {at(separableReading(), 0.9), at(directReading(), 0.8), precise},
          "a \"CPU\"",
          "2026-11-21"};
}

TEST(RooflinePicture, IsDrawnAsPngAndAsSvg) {
  const Scratch folder;
  writeRoofline(madeUpRoofline(), folder / "r.png");
  writeRoofline(madeUpRoofline(), folder / "r.svg");
  EXPECT_EQ(bytesOf(folder / "r.png").substr(1, 3), "PNG");
  EXPECT_NE(bytesOf(folder / "r.svg").find("<svg"), std::string::npos);
}

TEST(RooflinePicture, ThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured) {
  const Scratch folder;
  EXPECT_THROW(checkPicture(folder / "missing/r.png"), Error);
  EXPECT_THROW(checkPicture(folder / "r.jpeg"), Error);
  EXPECT_NO_THROW(checkPicture(folder / "r.png"));
  EXPECT_TRUE(fs::is_empty(folder.path));
}

TEST(RooflineJson, HasTheNumbersAndTheWords) {
  const std::string text = rooflineJson(madeUpRoofline());
  for (const char *part :
       {R"("cpu": "a \"CPU\"")", R"("flops_a_q": "12 nt + 8")", R"("level": "memory")",
        R"("bound": "multiply-adds")", "bounded by multiply-adds: 90% of the 6 a TQP"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(RooflineText, SaysAgainstWhichRoofEachLevelIs) {
  const std::string text = rooflineText(madeUpRoofline());
  EXPECT_NE(text.find("f32           100.0 GFLOP/s of fused multiply-adds"), std::string::npos)
      << text;
  EXPECT_NE(text.find("tile_y 4, tile_z 2, block_t 192"), std::string::npos) << text;
  EXPECT_NE(text.find("under the roof of arithmetic"), std::string::npos) << text;
}

} // namespace
} // namespace facet::runtime
