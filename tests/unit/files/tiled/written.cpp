// written.cpp - a result written tile by tile is the file that writeHdf5 writes.
#include "runs.h"

TEST_F(Tiled, EveryGridIsAsWrittenAtOnce) {
  for (const auto &[name, grid] : everyGrid())
    for (bool compress : {false, true}) {
      const auto f = someF(grid);
      writeTiled(outputOf(grid, f, name), path("a.h5"), compress);
      Result back = readHdf5(path("a.h5"));
      EXPECT_EQ(back.f, f) << name;
      EXPECT_EQ(back.grid.axes[1].re, grid.axes[1].re);
      EXPECT_EQ(back.title, name);
      EXPECT_EQ(back.numbers.at("measured_error"), 1.5e-7);
      EXPECT_EQ(back.experiment, "kernel = \"born\"\n");
      EXPECT_EQ(files(), 1U) << name; // neither .part nor journal
    }
}

TEST_F(Tiled, NothingHasTheFinalNameBeforeTheEnd) {
  TiledResult result = run.create();
  run.computeAll(result);
  EXPECT_FALSE(std::filesystem::exists(run.path));
  result.finalise(SmallRun::process());
  EXPECT_TRUE(std::filesystem::exists(run.path));
}

TEST_F(Tiled, TilesOfAnyCutMakeTheSameFile) {
  const std::string whole = expected();
  TiledResult result = run.create();
  // Single columns of z, which lie apart in the file, out of order.
  std::vector<std::complex<double>> tile(24);
  for (std::int64_t z = 9; z >= 0; --z) {
    for (std::int64_t row = 0; row < 24; ++row)
      tile[static_cast<std::size_t>(row)] = {static_cast<double>(row / 2 + 1),
                                             0.1 * static_cast<double>(row % 2 * 10 + z)};
    result.write(z, 0, {0, 0, z}, {3, 8, z + 1}, tile.data());
    result.finishUnit(z);
  }
  for (std::int64_t unit : {10, 11})
    run.compute(result, unit);
  std::complex<double> one;
  result.read(0, {1, 3, 7}, {2, 4, 8}, &one);
  EXPECT_EQ(one, std::complex<double>(6, 0.1 * 17));
  result.finalise(SmallRun::process());
  EXPECT_EQ(bytes("a.h5"), whole);
}

TEST_F(Tiled, SquaresOfTilesAreTurnedAsThePictureIs) {
  for (const bool alongX : {false, true}) { // pictures of (qy, qz) and of (qx, qz)
    Grid grid;
    grid.axes = {parseAxis("0"), parseAxis("-1:1:70"), parseAxis("0:2:90")};
    if (alongX)
      std::swap(grid.axes[0], grid.axes[1]);
    const auto f = someF(grid);
    TiledResult result = TiledResult::create(path("a.h5"), tiledFile(grid, "", "nm^3"), {}, 9);
    for (std::int64_t unit = 0; unit < 9; ++unit) {
      const std::int64_t row = unit / 3 * 33, z = unit % 3 * 41;
      const std::int64_t rowEnd = std::min<std::int64_t>(row + 33, 70),
                         zEnd = std::min<std::int64_t>(z + 41, 90);
      std::vector<std::complex<double>> tile;
      for (std::int64_t i = row; i < rowEnd; ++i)
        tile.insert(tile.end(), f.begin() + i * 90 + z, f.begin() + i * 90 + zEnd);
      if (alongX)
        result.write(unit, 0, {row, 0, z}, {rowEnd, 1, zEnd}, tile.data());
      else
        result.write(unit, 0, {0, row, z}, {1, rowEnd, zEnd}, tile.data());
    }
    std::vector<double> squares(f.size()), expected;
    result.read(1, {0, 0}, {90, 70}, squares.data());
    const PictureLayout layout = layoutOf(grid);
    for (std::int64_t k = 0; k < grid.size(); ++k)
      expected.push_back(std::norm(f[static_cast<std::size_t>(layout.index(k / 70, k % 70))]));
    EXPECT_EQ(squares, expected);
  }
}

TEST_F(Tiled, AnUnfinishedUnitIsNoResult) {
  {
    TiledResult result = run.create();
    for (std::int64_t unit = 0; unit < 11; ++unit)
      run.compute(result, unit);
    EXPECT_SAYS(result.finalise(SmallRun::process()), "unit 11 of 12 is not finished");
    EXPECT_SAYS(result.finishUnit(11), "finished before it is written");
    EXPECT_SAYS(result.write(0, 0, {0, 0, 0}, {1, 9, 1}, nullptr), "outside its dataset");
  }
  EXPECT_FALSE(std::filesystem::exists(run.path));
  EXPECT_EQ(findResult(run.path).done, 11);
}

TEST_F(Tiled, ARunThatFinishedNothingLeavesNothing) {
  run.partly(0);
  EXPECT_EQ(files(), 0U);
  run.whole(); // over an old result
  run.whole();
  EXPECT_EQ(files(), 1U);
}
