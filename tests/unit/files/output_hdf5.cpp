// output_hdf5.cpp - results come back from HDF5 as they were; other files are refused.
#include "results.h"
#include "scratch.h"

using namespace facet::runtime;

using Hdf5 = Scratch;

TEST_F(Hdf5, EveryGridComesBack) {
  for (const auto &[name, grid] : everyGrid()) {
    auto f = someF(grid);
    writeHdf5(outputOf(grid, f, name), path("a.h5"));
    Result back = readHdf5(path("a.h5"));
    EXPECT_EQ(back.f, f) << name;
    EXPECT_EQ(back.grid.kind, grid.kind) << name;
    EXPECT_EQ(back.grid.imageColumns, grid.imageColumns) << name;
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(back.grid.axes[k].re, grid.axes[k].re) << name;
      EXPECT_EQ(back.grid.axes[k].im, grid.axes[k].im) << name;
    }
    EXPECT_EQ(back.title, name);
    EXPECT_EQ(back.unit, "nm^3");
    EXPECT_EQ(back.provenance.at("kernel"), "born");
    EXPECT_EQ(back.numbers.at("measured_error"), 1.5e-7);
    EXPECT_EQ(back.experiment, "kernel = \"born\"\n");
    EXPECT_EQ(files(), 1U); // no temporary one
  }
}

TEST_F(Hdf5, RefusesOtherFiles) {
  EXPECT_SAYS(readHdf5(path("none.h5")), "cannot read");
  EXPECT_SAYS(readHdf5(write("a.h5", "hello")), "this is no HDF5 file");
  Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  writeHdf5(outputOf(grid, f, ""), path("b.h5"));
  std::filesystem::resize_file(path("b.h5"), 2000);
  EXPECT_SAYS(readHdf5(path("b.h5")), "damaged or truncated");
}

TEST_F(Hdf5, KeepsTheOldFileWhereTheDiskIsFull) {
  Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  writeHdf5(outputOf(grid, f, "old"), path("a.h5"));
  Grid large;
  large.axes = {parseAxis("0"), parseAxis("0:1:300"), parseAxis("0:1:300")};
  auto more = someF(large);
  {
    const FullDisk full(100'000);
    EXPECT_SAYS(writeHdf5(outputOf(large, more, "new"), path("a.h5")),
                "cannot write: File too large");
  }
  EXPECT_EQ(readHdf5(path("a.h5")).title, "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(Hdf5, RefusesAFolderThatIsNotThere) {
  Grid grid = everyGrid().at("one");
  auto f = someF(grid);
  EXPECT_SAYS(writeHdf5(outputOf(grid, f, ""), path("no/a.h5")), "cannot write: No such file");
}
