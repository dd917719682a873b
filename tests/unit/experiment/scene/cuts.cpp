// cuts.cpp - line cuts of images whose steps are not even, or that lie the other way round. Each
// row or column that they meet is a point, from its nearest pixels.
#include "some_scene.h"
#include "tests/unit/run/refusal.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {
using namespace scenes;

/// The cut of an image whose pixels have value(0, row, column).
struct Cut {
  Cut(const std::string &image, const std::string &cut) {
    const Experiment e = experiment(std::string(head) + image +
                                    "[output]\ncurves = [{ name = " + "\"c\", " + cut + " }]\n");
    pixels = layoutOf(e).images[0].pixels;
    const CutPlan plan(*pixels, e.cuts[0]);
    std::vector<double> rows;
    const auto read = [&](std::int64_t first, std::int64_t last) {
      rows.clear();
      for (std::int64_t r = first; r < last; ++r)
        for (std::int64_t c = 0; c < pixels->columns(); ++c)
          rows.push_back(value(0, r, c));
      return rows.data();
    };
    at = plan.at;
    means = plan.means(*pixels, 3, read);
  }
  /// That it goes along row `row`, or, if that is < 0, along column `column`.
  void expectLine(std::int64_t row, std::int64_t column) const {
    const std::int64_t n = row < 0 ? pixels->rows() : pixels->columns();
    ASSERT_EQ(std::ssize(means), n);
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_EQ(means[static_cast<std::size_t>(i)],
                row < 0 ? value(0, i, column) : value(0, row, i))
          << i;
  }
  std::shared_ptr<const Pixels> pixels;
  std::vector<double> at, means;
};

std::string gridOf(const std::string &axes) { return std::string(box) + "[grid]\n" + axes + "\n"; }

TEST(Cuts, AlongUnevenStepsHaveAPointForEach) {
  const std::string log = gridOf("qy = \"log 0.01:2:60\"\nqz = \"0.4:1:13\"");
  Cut(log, "along = \"qy\", qz = 0.5").expectLine(2, -1);
  // phi_f is of no axis there: it falls with alpha_f, too.
  Cut(sample + log, "along = \"phi_f\", qz = 0.5").expectLine(2, -1);
  const Cut angles(gridOf("alpha_f = [0.1, 0.11, 0.12, 0.13, 0.2, 0.5, 2]\nphi_f = \"-1:1:5\""),
                   "along = \"alpha_f\", phi_f = 0");
  angles.expectLine(-1, 2);
  EXPECT_NEAR(angles.at[3], 0.13, 1e-15);
}

TEST(Cuts, AcrossUnevenStepsTakeTheNearest) {
  const std::string log = gridOf("qz = \"log 0.3:5:40\"\nqy = \"-1:1:13\"");
  Cut(log, "along = \"qy\", qz = 0.3").expectLine(0, -1);
  Cut(log, "along = \"qy\", qz = 4.9").expectLine(39, -1);
  EXPECT_SAYS(Cut(log, "along = \"qy\", qz = 0.25"), "curve 'c': no pixel at qz = 0.25");
  // Two that are as near.
  const Cut between(gridOf("qy = \"-1:1:5\"\nqz = [0.5, 1, 4]"), "along = \"qy\", qz = 0.75");
  ASSERT_EQ(between.means.size(), 5U);
  EXPECT_DOUBLE_EQ(between.means[3], (value(0, 0, 3) + value(0, 1, 3)) / 2);
}

TEST(Cuts, GoAlongRowsOrColumnsAsTheAxesLie) {
  const std::string map = gridOf("qx = \"-0.1:0.1:3\"\nqy = \"-1:1:41\"\nqz = 0.5");
  Cut(map, "along = \"qy\", column = 1").expectLine(-1, 1);
  EXPECT_EQ(Cut(map, "along = \"qy\", qz = 0.5").means.size(), 41U);
  const Cut falling(gridOf("qy = [1, 0.5, -2]\nqz = \"0.4:1:4\""), "along = \"qy\", row = 3");
  EXPECT_EQ(falling.at, (std::vector<double>{-2, 0.5, 1}));
  EXPECT_EQ(falling.means, (std::vector<double>{value(0, 3, 2), value(0, 3, 1), value(0, 3, 0)}));
}

TEST(Cuts, SayWhyACoordinateHasNoValue) {
  const std::string map = gridOf("qy = \"-1:1:41\"\nqz = [0.5, 1]");
  EXPECT_SAYS(Cut(map, "along = \"alpha_f\", qz = 0.5"), "alpha_f has no value at qz = 0.5");
  EXPECT_SAYS(
      Cut(map, "along = \"qy\", alpha_f = 0.5"),
      "no pixel has a value of alpha_f\n  help: on a grid of q, angles are those of a sample");
  // At the second angle of incidence the horizon is above the detector.
  const Experiment e = experiment(std::string(head) + sample + box +
                                  "[detector]\npixels = [3, 2]\npixel_size = 1e-3\n"
                                  "distance = 2\nponi1 = -0.008\nponi2 = 0\n"
                                  "[output]\ncurves = [{ along = \"qy\", row = 2 }]\n");
  EXPECT_SAYS(SceneFile(e, layoutOf(e)), "curve 'qy_1': no pixel has a value of row\n"
                                         "  help: all of an image is behind the sample");
}

// On a detector that stands straight phi_f is that of a column in all rows, but for rounding.
TEST(Cuts, PlacesThatAreEqualButForRoundingAreOnePoint) {
  const Cut cut(std::string(box) +
                    "[detector]\npixels = [40, 2]\npixel_size = 1e-3\ndistance = 0.7\n"
                    "poni1 = -0.02\nponi2 = 0.013\n",
                "along = \"phi_f\", column = 1");
  ASSERT_EQ(cut.means.size(), 1U);
}

TEST(Cuts, OfADetectorThatIsTurnedGoAlongItsRows) {
  const auto turned = [](const char *angle) {
    return sample + std::string(box) + "[detector]\npixels = [60, 12]\npixel_size = 1e-3\n" +
           "distance = 2\nponi1 = 0.03\nponi2 = 0.03\nrotation = [0, 0, " + angle + "]\n";
  };
  const Cut cut(turned("1.5707963267948966"), "along = \"qy\", alpha_f = 0.4");
  ASSERT_EQ(cut.at.size(), 60U);
  for (std::size_t i = 1; i < 60; ++i)
    EXPECT_NEAR(cut.at[i] - cut.at[i - 1], cut.pixels->k() * 1e-3 / 2, 1e-4);
  // Half way there neither rows nor columns are lines of qy: even steps, of a wide band.
  const Cut half(turned("0.7853981633974483"), "along = \"qy\", alpha_f = 0.4, width = 0.3");
  EXPECT_GT(half.at.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(half.at));
}

// Places of the two columns lie between one another, so two even steps have the three rows: the one
// in the middle is of the higher, whatever rounding says.
TEST(Cuts, APlaceBetweenTwoStepsIsOfTheHigher) {
  for (const double first : {0.1, 0.3, 0.14656203213334512})
    for (const double step : {0.1, 0.2, 0.20152279418334951}) {
      const Cut cut(gridOf(fmt::format("alpha_f = [{}, {}, {}]\nphi_f = [0.5, -0.3]", first,
                                       first + step, first + 2 * step)),
                    "along = \"alpha_f\", q_oop = 0.1, width = 100");
      ASSERT_EQ(cut.at.size(), 2U);
      EXPECT_NEAR(cut.at[0], first, 1e-12);
      EXPECT_NEAR(cut.at[1], first + 1.5 * step, 1e-12);
    }
}

TEST(Cuts, OfADetectorNearTheSampleHaveAPixelOfEachColumn) {
  const std::string wide = std::string(box) + "[detector]\npixels = [60, 50]\npixel_size = 0.01\n" +
                           "distance = 0.2\nbeam_centre = [0, 25]\n";
  EXPECT_EQ(Cut(wide, "along = \"phi_f\", alpha_f = 60").means.size(), 50U);
  EXPECT_EQ(Cut(wide, "along = \"qy\", row = 40").means.size(), 50U);
}

} // namespace
