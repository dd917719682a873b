// output_scales.cpp - what stands around pictures, asserted without pixels: numbers beside axes and
// bars, colour maps by quantity, titles that fit, pages without blank halves.
#include "results.h"
#include "runtime/engine/system/units.h"
#include "runtime/picture/figure.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>
#include <set>

using namespace facet::runtime;

namespace {

std::vector<std::string> textsOf(const Ticks &ticks) {
  std::vector<std::string> texts;
  for (const Tick &tick : ticks.labelled)
    texts.push_back(tick.text);
  return texts;
}

/// Two numbers at least, within the axis, rising, distinct.
void expectReadable(const Ticks &ticks, double low, double high) {
  const auto texts = textsOf(ticks);
  ASSERT_GE(texts.size(), 2U) << low << " to " << high;
  EXPECT_LE(texts.size(), 16U) << low << " to " << high;
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size())
      << low << " to " << high;
  const double slack = 1e-6 * (high - low);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_GE(ticks.labelled[i].at, low - slack);
    EXPECT_LE(ticks.labelled[i].at, high + slack);
    if (i > 0) {
      EXPECT_GT(ticks.labelled[i].at, ticks.labelled[i - 1].at);
    }
  }
}

Scale scaleFor(const std::string &quantity, double imaginary = -0.5) {
  static const Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  for (auto &value : f)
    value = {value.real() - 4, imaginary * value.real()};
  PictureOptions options;
  options.quantity = quantity;
  return scaleOf(outputOf(grid, f, ""), options);
}

TEST(Ticks, LargeAndSmallNumbersHaveTheirPowerInTheLabel) {
  const Ticks large = linearTicks(0, 3.4e7, 6);
  EXPECT_EQ(large.power, 7);
  EXPECT_EQ(textsOf(large), (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(large.labelled[3].at, 3e7);
  EXPECT_EQ(linearTicks(-2e-5, 1e-5, 6).power, -5);
  EXPECT_EQ(textsOf(linearTicks(-1, 1, 4)),
            (std::vector<std::string>{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(linearTicks(0, 1500, 6).power, 0);
  EXPECT_EQ(withPower("|F|² (nm⁶)", 7), "|F|² (10⁷ nm⁶)");
  EXPECT_EQ(withPower("|psi|", -5), "|psi| (10⁻⁵)");
  EXPECT_EQ(withPower("I (nm²)", 0), "I (nm²)");
  EXPECT_EQ(withRaised("|F|^2 (nm^-12, x^y, 2^)"), "|F|² (nm⁻¹², x^y, 2^)");
  EXPECT_EQ(toPower("nm^3", 2), "nm^6");
  EXPECT_EQ(toPower("nm", 2), "nm^2");
  for (const char *unit : {"e nm^3", "nm^3 e", "e/nm^3", "10^-6 nm", "1e-6 nm^3", "nm^1.5"})
    EXPECT_EQ(toPower(unit, 2), fmt::format("({})^2", unit));
}

TEST(Ticks, OfAnyAxisAreReadable) {
  for (const double size : {1e-12, 0.003, 0.7, 1.0, 33.0, 9999.0, 4.4e18})
    for (const double from : {-1.0, -0.31, 0.0, 0.001, 0.77, 0.99})
      for (const int parts : {4, 5, 6, 7, 8})
        expectReadable(linearTicks(from * size, size, parts), from * size, size);
  for (const double low : {-12.3, -3.0, -0.01, 0.0, 0.35, 5.02, 88.8})
    for (const double range : {0.02, 0.1, 0.3, 0.5, 0.69, 0.97, 1.0, 1.5, 2.0, 6.0, 12.0, 40.0})
      expectReadable(logTicks(low, low + range, 6), low, low + range);
}

TEST(Ticks, OfLessThanADecadeAreNumbers) {
  EXPECT_EQ(textsOf(logTicks(0.1, 0.95, 6)), (std::vector<std::string>{"2", "4", "6", "8"}));
  const Ticks two = logTicks(-0.8, 0.9, 6);
  EXPECT_EQ(textsOf(two), (std::vector<std::string>{"0.2", "0.5", "1", "2", "5"}));
  EXPECT_EQ(textsOf(logTicks(0, 3, 6)), (std::vector<std::string>{"10⁰", "10¹", "10²", "10³"}));
}

TEST(Scales, ColoursGoWithTheQuantity) {
  EXPECT_EQ(scaleFor("|F|^2").map, ColourMap::Sequential);
  for (const char *quantity : {"re", "im"}) {
    const Scale scale = scaleFor(quantity);
    EXPECT_EQ(scale.map, ColourMap::Diverging);
    EXPECT_EQ(scale.low, -scale.high);
    const Colour zero = scale.colour(0); // white, and as far from blue as from red
    EXPECT_GT(std::min({zero.r, zero.g, zero.b}), 240);
    EXPECT_GT(scale.colour(scale.high).r, scale.colour(scale.high).b);
    EXPECT_LT(scale.colour(scale.low).r, scale.colour(scale.low).b);
  }
  EXPECT_EQ(scaleFor("im", 0).high, 1); // nothing but 0
  const Scale phase = scaleFor("phase");
  EXPECT_EQ(phase.map, ColourMap::Cyclic);
  EXPECT_EQ(phase.high, std::numbers::pi);
  EXPECT_EQ(phase.low, -phase.high);
  const Colour begin = phase.colour(phase.low), end = phase.colour(phase.high);
  EXPECT_EQ(begin.r + 256 * begin.g + 65536 * begin.b, end.r + 256 * end.g + 65536 * end.b);
  EXPECT_EQ(textsOf(phase.ticks(6)), (std::vector<std::string>{"-π", "-π/2", "0", "π/2", "π"}));
}

TEST(Scales, LessThanADecadeIsWhatWasAskedFor) {
  const Grid grid = everyGrid().at("image");
  const auto f = someF(grid);
  PictureOptions options;
  options.decades = 0.5;
  const Scale scale = scaleOf(outputOf(grid, f, ""), options);
  EXPECT_DOUBLE_EQ(scale.high - scale.low, 0.5);
  expectReadable(scale.ticks(6), scale.low, scale.high);
}

TEST(Titles, FitThePage) {
  const auto width = [](const std::string &text) {
    return 15.0 * static_cast<double>(text.size());
  };
  const std::string word = "nanocubes ";
  std::string title;
  for (int words = 1; words < 60; ++words) {
    title += word;
    const plot::FittedTitle is = plot::fitted(title, 1168, width);
    ASSERT_FALSE(is.lines.empty());
    EXPECT_LE(is.lines.size(), 2U);
    for (const std::string &line : is.lines)
      EXPECT_LE(width(line) * is.size, 1168 * (1 + 1e-12)) << words;
    EXPECT_LE(is.size, 1.25);
    EXPECT_GE(is.size, 0.6);
    if (words * word.size() < 200) {
      EXPECT_EQ(is.lines.size() == 1 ? is.lines[0] : is.lines[0] + " " + is.lines[1], title);
    }
  }
  const plot::FittedTitle one =
      plot::fitted(std::string(300, 'x'), 1168, width); // no blank to break at
  EXPECT_EQ(one.lines.size(), 1U);
  EXPECT_EQ(one.lines[0].substr(one.lines[0].size() - 3), "x..");
}

TEST(Pages, AreFullOfTheImage) {
  const PictureOptions options;
  for (double shape = 0.02; shape < 60; shape *= 1.1) {
    const plot::Figure page = plot::figureFor(options, 3 * shape, 3);
    const Rect &box = page.panels.at(0).box;
    EXPECT_LE(page.width, options.width);
    EXPECT_LE(page.height, options.height);
    EXPECT_GE(box.left, 140);
    EXPECT_GE(box.top, 80);
    EXPECT_LE(box.left + box.width, page.width - 210 + 1);
    EXPECT_LE(box.top + box.height, page.height - 110 + 1);
    const double room = (page.width - 350.0) * (page.height - 190.0);
    EXPECT_GT(box.width * box.height / room, 0.75) << shape;
    const double stretch = box.width / box.height / shape;
    if (shape > 0.5 && shape < 2.9) { // both sides to one scale
      EXPECT_NEAR(stretch, 1, 0.01) << shape;
    }
  }
}

} // namespace
