// grid_axes.cpp - axes from text, and what is refused.
#include "scratch.h"
#include <cmath>
#include <facet/runtime/grid.h>

using namespace facet::runtime;

TEST(ParseAxis, NumbersListsAndRanges) {
  EXPECT_EQ(parseAxis("0.1").re, std::vector<double>{0.1});
  EXPECT_EQ(parseAxis("0.1, 0.2,5e-1").re, (std::vector<double>{0.1, 0.2, 0.5}));
  EXPECT_EQ(parseAxis("-2:2:5").re, (std::vector<double>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(parseAxis("3:4:1").re, std::vector<double>{3});
  auto log = parseAxis("log 0.01:1:3").re;
  EXPECT_EQ(log.front(), 0.01);
  EXPECT_NEAR(log[1], 0.1, 1e-15);
  EXPECT_EQ(log.back(), 1);
}

TEST(ParseAxis, ImaginaryParts) {
  EXPECT_EQ(parseAxis("0:2:3+0.01i").im, (std::vector<double>{0.01, 0.01, 0.01}));
  EXPECT_EQ(parseAxis("1e-2-1e-3i").im, std::vector<double>{-1e-3});
  EXPECT_EQ(parseAxis("1e-2-1e-3i").re, std::vector<double>{1e-2});
  EXPECT_FALSE(parseAxis("0:2:3").isComplex());
}

TEST(ParseAxis, IsSymmetricToTheLastBit) {
  auto axis = linspace(-1.7, 1.7, 101).re;
  for (std::size_t i = 0; i < axis.size(); ++i)
    EXPECT_EQ(axis[i], -axis[axis.size() - 1 - i]);
}

TEST(ParseAxis, RefusesWithWhatIsAccepted) {
  for (const char *text : {"", "x", "1:2", "1:2:0", "1:2:-3", "1:2:2.5", "1:2:3:4", "log 0:1:5",
                           "1,,2", "nan", "0:inf:3", "1+i", "log 3", "0.01i"})
    expectSays([&] { parseAxis(text); }, "help: write a number 0.1, a list");
  expectSays([] { parseAxis("-2:2"); }, "axis '-2:2': from:to lacks the number of values");
}

TEST(Grid, IndexesWithZFastest) {
  Grid grid;
  grid.axes = {parseAxis("1,2"), parseAxis("3,4,5"), parseAxis("6:9:4+0.5i")};
  EXPECT_EQ(grid.size(), 24);
  EXPECT_TRUE(grid.complexQ());
  auto q = grid.at((1 * 3 + 2) * 4 + 1);
  EXPECT_EQ(q[0], 2.0);
  EXPECT_EQ(q[1], 5.0);
  EXPECT_EQ(q[2], std::complex<double>(7, 0.5));
}

TEST(Grid, ChecksItself) {
  Grid grid;
  grid.axes = {parseAxis("1"), parseAxis("1"), Axis{}};
  expectSays([&] { check(grid); }, "qz: the axis has no values");
  grid.axes[2].re = {1, NAN};
  expectSays([&] { check(grid); }, "qz: value number 2 is not a finite number");
  grid.axes[2].re = {1, 2};
  grid.axes[2].im = {1};
  expectSays([&] { check(grid); }, "2 real parts but 1 imaginary parts");
  grid.axes[2].im = {};
  EXPECT_EQ(message([&] { check(grid); }), "no error");
  grid.kind = Grid::Kind::Points;
  expectSays([&] { check(grid); }, "as many qz as qx: 2 and 1");
}
