// poni.cpp - calibrations of three versions, and what is refused with which words.
#include "runtime/scattering/detector/detector.h"
#include "tests/unit/run/refusal.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace facet::test {
namespace {
using namespace facet::runtime;

const std::string place = "Distance: 2.5\nPoni1: 0.03\nPoni2: 0.08\nRot1: 0.01\nRot2: -0.02\n"
                          "Rot3: 1e-3\nWavelength: 1.24e-10\n";
const std::string generic = "poni_version: 2.1\nDetector: Detector\nDetector_config: "
                            R"({"pixel1": 1e-4, "pixel2": 2e-4, "max_shape": [1043, 981], )"
                            R"("orientation": 2})"
                            "\n";

Detector read(const std::string &text) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("facet_unit_detector_" + std::to_string(getpid()) + ".poni");
  std::ofstream(path) << text;
  struct Remove {
    std::filesystem::path path;
    ~Remove() { std::filesystem::remove(path); }
  } const remove{path};
  return readPoni(path.string());
}
std::string refused(const std::string &text) {
  return refusal([&] { read(text); });
}
/// `text` without the line that begins with `key`.
std::string without(std::string text, const std::string &key) {
  const auto at = text.find(key);
  return text.erase(at, text.find('\n', at) + 1 - at);
}

TEST(Poni, Version21) {
  const Detector d = read("# Nota: C-Order, 1 refers to the Y axis\n" + generic + place);
  EXPECT_EQ(d.name, "Detector");
  EXPECT_EQ(d.rows, 1043);
  EXPECT_EQ(d.columns, 981);
  EXPECT_EQ(d.pixel1, 1e-4);
  EXPECT_EQ(d.pixel2, 2e-4);
  EXPECT_EQ(d.orientation, 2);
  EXPECT_EQ(d.distance, 2.5);
  EXPECT_EQ(d.poni1, 0.03);
  EXPECT_EQ(d.poni2, 0.08);
  EXPECT_EQ(d.rotation[0], 0.01);
  EXPECT_EQ(d.rotation[1], -0.02);
  EXPECT_EQ(d.rotation[2], 1e-3);
  EXPECT_DOUBLE_EQ(d.wavelength, 0.124);
}

TEST(Poni, Version3WithoutParallax) {
  std::string text = generic + place;
  text.replace(text.find("2.1"), 3, "3");
  for (const char *none : {"", "Parallax: False\n", "parallax: null\n"})
    EXPECT_EQ(read(text + none).pixel2, 2e-4) << none;
  for (const char *one : {"Parallax: True\n", "parallax: {\"sensor\": \"Si\"}\n"})
    EXPECT_HAS(refused(text + one),
               ".poni:11: a correction of parallax, which facet does not know");
}

TEST(Poni, Version2TakesSizesFromTheName) {
  const Detector d =
      read("poni_version: 2\r\nDetector: Pilatus1M\r\nDetector_config: {}\r\n" + place);
  EXPECT_EQ(d.rows, 1043);
  EXPECT_EQ(d.columns, 981);
  EXPECT_DOUBLE_EQ(d.pixel1, 172e-6);
  EXPECT_EQ(d.orientation, 3);
  EXPECT_EQ(
      read("poni_version: 2\nDetector: Eiger2 CdTe_1M-W\nDetector_config: null\n" + place).columns,
      2068);
}

TEST(Poni, Version1) {
  const Detector d = read("PixelSize1: 0.00005\nPixelSize2: 6e-05\n" + place);
  EXPECT_EQ(d.pixel1, 5e-5);
  EXPECT_EQ(d.pixel2, 6e-5);
  EXPECT_EQ(d.rows, 0); // not said: the experiment has to
  EXPECT_EQ(read("Detector: Pilatus 300k\n" + place).rows, 619);
  EXPECT_EQ(read("pixelsize1: 5e-5\npixelsize2: 5e-5\nSplineFile: None\n" + place).pixel1, 5e-5);
}

TEST(Poni, LastOfTwoCalibrationsCounts) {
  EXPECT_EQ(read(generic + place + "Distance: 3\n").distance, 3);
}

TEST(Poni, WavelengthMayBeMissing) {
  EXPECT_EQ(read(generic + without(place, "Wavelength")).wavelength, 0);
}

TEST(Poni, MissingKeysAreNamed) {
  for (const std::string key : {"Distance", "Poni1", "Poni2", "Rot1", "Rot2", "Rot3"})
    EXPECT_HAS(refused(generic + without(place, key)), "no key '" + key + "'");
  EXPECT_HAS(refused(place), "no key 'PixelSize1'");
  EXPECT_HAS(refused("PixelSize1: 1e-4\n" + place), "no key 'PixelSize2'");
  EXPECT_HAS(refused("poni_version: 2\n" + place), "no key 'Detector'");
  EXPECT_SAYS(readPoni("/nonexistent.poni"), "/nonexistent.poni: no such file");
}

TEST(Poni, WrongValuesAreShownWithTheirLine) {
  EXPECT_HAS(refused(generic + "Distance: far\n" + without(place, "Distance")),
             ".poni:4: Distance: 'far' is no number");
  EXPECT_HAS(refused(generic + place + "Rot1: nan\n"), "Rot1: 'nan' is no number");
  EXPECT_HAS(refused(generic + place + "Distance: -1\n"), "the distance is -1 m");
  EXPECT_HAS(refused("poni_version: 4\n" + place), "version 4 of .poni files");
}

TEST(Poni, UnknownDetectorsNeedSizes) {
  const std::string binned = "poni_version: 2\nDetector: Pilatus1M\nDetector_config: {\"pixel1\": "
                             "344e-6, \"pixel2\": 344e-6";
  EXPECT_HAS(refused(binned + "}\n" + place),
             "detector 'Pilatus1M' has pixels of 0.000172 x 0.000172 m");
  EXPECT_EQ(read(binned + ", \"max_shape\": [521, 490]}\n" + place).rows, 521);
  EXPECT_HAS(refused("poni_version: 2\nDetector: Pilatus1N\nDetector_config: {}\n" + place),
             "detector 'Pilatus1N' is unknown, and its pixels have no size\n  help: did you mean "
             "'pilatus1m'?");
  EXPECT_HAS(refused("poni_version: 2\nDetector: Homemade\nDetector_config: {}\n" + place),
             "give pixel1, pixel2 (m) and max_shape");
  EXPECT_EQ(read("poni_version: 2\nDetector: Homemade\nDetector_config: {\"pixel1\": 1e-4, "
                 "\"pixel2\": 1e-4}\n" +
                 place)
                .pixel1,
            1e-4);
}

TEST(Poni, DetectorsThatAreNotFlatAndEvenAreRefused) {
  EXPECT_HAS(refused("poni_version: 2\nDetector: Aarhus\nDetector_config: {\"pixel1\": 1e-4, "
                     "\"pixel2\": 1e-4}\n" +
                     place),
             "detector 'Aarhus' is curved");
  EXPECT_HAS(refused("poni_version: 2\nDetector: Homemade\nDetector_config: {\"pixel1\": 1e-4, "
                     "\"pixel2\": 1e-4, \"radius\": 0.3}\n" +
                     place),
             "facet does not know 'radius'");
  EXPECT_HAS(refused("PixelSize1: 1e-4\nPixelSize2: 1e-4\nSplineFile: frelon.spline\n" + place),
             "a distortion by splines");
}

TEST(Poni, WrongConfigurationsAreRefused) {
  const auto config = [](const std::string &json) {
    return refused("poni_version: 2\nDetector: Detector\nDetector_config: " + json + "\n" + place);
  };
  EXPECT_HAS(config("{pixel1: 1}"), "Detector_config is no JSON object");
  EXPECT_HAS(config(R"({"pixel1": "small"})"), R"(pixel1 is "small", not a size in m)");
  EXPECT_HAS(config(R"({"pixel1": 0})"), "pixel1 is 0, not a size in m");
  EXPECT_HAS(config(R"({"max_shape": [10]})"), "max_shape is [10], not [rows, columns]");
  EXPECT_HAS(config(R"({"max_shape": [18446744073709551615, 1]})"), "not [rows, columns]");
  EXPECT_HAS(config(R"({"orientation": 5})"), "orientation is 5, not 1 to 4");
  EXPECT_HAS(config(R"({"orientation": 0})"), "orientation is 0, not 1 to 4");
}

} // namespace
} // namespace facet::test
