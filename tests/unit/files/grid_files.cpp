// grid_files.cpp - lists of q from files.
#include "scratch.h"
#include <facet/runtime/grid.h>

using namespace facet::runtime;

namespace {
class GridFile : public Scratch {};
} // namespace

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

TEST_F(GridFile, RefusesWithThePath) {
  expectSays([&] { readGrid(path("none.txt")); }, "none.txt: cannot read");
  expectSays([&] { readGrid(write("a.txt", "")); }, "a.txt: this file is empty");
  expectSays([&] { readGrid(write("b.txt", "# nothing\n")); }, "no numbers");
  expectSays([&] { readGrid(write("c.txt", "1 2 3 4\n5 6 7 8\n")); }, "not 4");
  expectSays([&] { readGrid(write("d.txt", "1 2 nan\n1 2 3\n")); }, "d.txt: qz: value number 1");
  expectSays([&] { readGrid(write("e.txt", "qx qy\n1 2\n3 4\n")); }, "there is no column qz");
  expectSays([&] { readGrid(write("f.txt", "# rows 3 columns 2\n1 2 3\n1 2 3\n")); },
             "3 rows x 2 columns");
}
