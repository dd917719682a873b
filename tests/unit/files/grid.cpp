// grid.cpp - axes from text, lists of q from files, and what is refused.
#include "runtime/engine/store/hdf5.h"
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
    EXPECT_SAYS(parseAxis(text), "help: write a number 0.1, a list");
  EXPECT_SAYS(parseAxis("-2:2"), "axis '-2:2': from:to lacks the number of values");
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
  EXPECT_SAYS(check(grid), "qz: the axis has no values");
  grid.axes[2].re = {1, NAN};
  EXPECT_SAYS(check(grid), "qz: value number 2 is not a finite number");
  grid.axes[2].re = {1, 2};
  grid.axes[2].im = {1};
  EXPECT_SAYS(check(grid), "2 real parts but 1 imaginary parts");
  grid.axes[2].im = {};
  EXPECT_EQ(refusal([&] { check(grid); }), "");
  grid.kind = Grid::Kind::Points;
  EXPECT_SAYS(check(grid), "as many qz as qx: 2 and 1");
}

using GridFile = Scratch;

TEST_F(GridFile, ThreeColumnsAreAListOfPoints) {
  Grid grid = readGrid(write("q.txt", "# by hand\n0 1 2\n0 3 4\n"));
  EXPECT_EQ(grid.kind, Grid::Kind::Points);
  EXPECT_EQ(grid.size(), 2);
  EXPECT_EQ(grid.at(1)[2], 4.0);
  EXPECT_FALSE(grid.complexQ());
}

TEST_F(GridFile, SixColumnsAreComplex) {
  Grid grid = readGrid(write("q.txt", "0 1 2 0 0 0.5\n0 3 4 0 0 0.25\n"));
  EXPECT_EQ(grid.at(1)[2], std::complex<double>(4, 0.25));
  EXPECT_FALSE(grid.axes[0].isComplex()); // all zero
}

TEST_F(GridFile, NamesAndRowsOfADetector) {
  Grid grid = readGrid(write("q.csv", "# rows 1 columns 2\nqz,qx,qy\n1,2,3\n4,5,6\n"));
  EXPECT_EQ(grid.at(1)[0], 5.0);
  EXPECT_EQ(grid.imageColumns, 2);
}

TEST_F(GridFile, NamesBehindAHash) {
  Grid grid = readGrid(write("q.txt", "# written by numpy\n# qz qx qy\n1 2 3\n4 5 6\n"));
  EXPECT_EQ(grid.at(1)[0], 5.0);
  EXPECT_EQ(readGrid(write("p.txt", "# three such numbers\n1 2 3\n")).at(0)[0], 1.0);
}

TEST_F(GridFile, HasDecimalCommasBesideSemicolons) {
  const Grid grid = readGrid(write("q.csv", "\xEF\xBB\xBFqx;qy;qz\n0,5;0,25;1\n1;2;3,5\n"));
  EXPECT_EQ(grid.size(), 2);
  EXPECT_FALSE(grid.complexQ());
  EXPECT_EQ(grid.at(0)[1], 0.25);
  EXPECT_EQ(grid.at(1)[2], 3.5);
  EXPECT_EQ(readGrid(write("p.csv", "0.5, 2, 1\n1,2,3\n")).at(0)[0], 0.5);
  EXPECT_SAYS(readGrid(write("r.csv", "0,5 0,25 1,5\n")),
              "may be decimal points, or between columns");
  EXPECT_SAYS(readGrid(write("s.csv", "1,2,3\n1,,2,3\n")), "s.csv:2: a field of this row is empty");
  EXPECT_SAYS(readGrid(write("t.csv", "1;2;3\n;2;3\n")), "t.csv:2: a field of this row is empty");
}

TEST_F(GridFile, HasTheUnitThatHdf5Says) {
  const auto written = [&](const char *unit) {
    h5::writeFile(path("q.h5"), 0, [&](hid_t file) {
      const double q = 0.25;
      for (const char *name : {"qx", "qy", "qz"}) {
        const h5::Handle data = h5::writeAll(file, name, H5T_NATIVE_DOUBLE, {1}, &q);
        h5::attribute(data, "units", unit);
      }
    });
    return path("q.h5");
  };
  EXPECT_EQ(readGrid(written("1/nm")).at(0)[1], 0.25);
  EXPECT_EQ(readGrid(written("1/Angstrom")).at(0)[1], 2.5);
  EXPECT_SAYS(readGrid(written("degree")), "the unit of q is 'degree'");
}

TEST_F(GridFile, RefusesWhatIsNoTextInUtf8) {
  const auto refused = [&](const std::string &text) {
    return refusal([&] { readGrid(write("q.txt", text)); });
  };
  EXPECT_HAS(refused(std::string("1\0002\0 \0003\0 \0004\0\n\0", 14)),
             "this text is in UTF-16, or no text");
  EXPECT_HAS(refused("\xFF\xFE"
                     "1 2 3\n"),
             "this text is in UTF-16, or no text");
  EXPECT_HAS(refused("\x93NUMPY and more"), "this is an array of NumPy");
  EXPECT_HAS(refused("0 0,5 0,25\n"), "its commas may be decimal points, or between columns");
}

TEST_F(GridFile, RefusesWithThePath) {
  EXPECT_SAYS(readGrid(path("none.txt")), "none.txt: cannot read");
  EXPECT_SAYS(readGrid(write("a.txt", "")), "a.txt: this file is empty");
  EXPECT_EQ(readGrid(write("one.txt", "0 0 1\n")).size(), 1); // shorter than what tells HDF5
  EXPECT_SAYS(readGrid(write("b.txt", "# nothing\n")), "no numbers");
  EXPECT_SAYS(readGrid(write("o.txt", "# Qz [1/nm] Qy [1/nm] Qx [1/nm]\n1 2 3\n")),
              "in another order");
  EXPECT_EQ(readGrid(write("n.txt", "# qz qy qx\n1 2 3\n")).at(0)[0], 3.0);
  EXPECT_EQ(readGrid(write("u.txt", "# qx [1/nm] qy [1/nm] qz [1/nm]\n1 2 3\n")).at(0)[0], 1.0);
  EXPECT_SAYS(readGrid(write("A.txt", "# qx [1/A] qy [1/A] qz [1/A]\n1 2 3\n")),
              "and q is read in nm^-1");
  EXPECT_SAYS(readGrid(write("B.txt", "# q in 1/Angstrom\nqz qy qx\n1 2 3\n")),
              "speaks of '1/Angstrom'");
  EXPECT_SAYS(readGrid(write("c.txt", "1 2 3 4\n5 6 7 8\n")), "not 4");
  EXPECT_SAYS(readGrid(write("d.txt", "1 2 nan\n1 2 3\n")), "d.txt: qz: value number 1");
  EXPECT_SAYS(readGrid(write("e.txt", "qx qy\n1 2\n3 4\n")), "there is no column qz");
  EXPECT_SAYS(readGrid(write("f.txt", "# rows 3 columns 2\n1 2 3\n1 2 3\n")), "3 rows x 2 columns");
}
