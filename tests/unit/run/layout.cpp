// layout.cpp - tiles of separable sums: large, even, enough for the threads, and covering the grid.
#include "runtime/engine/sum/layout.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

Layout separable(std::array<int, 3> extents, int threads, int algorithm = FACET_SEPARABLE,
                 std::array<int, 3> tile = {}) {
  facet_variant variant{};
  std::copy(tile.begin(), tile.end(), variant.tile);
  variant.grid = FACET_PRODUCT;
  variant.algorithm = algorithm;
  variant.pad[0] = variant.pad[1] = 1;
  variant.pad[2] = 16;
  variant.t_block = 128;
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = linspace(0, 1, extents[k]);
  const std::int32_t real[3] = {0, 0, 0};
  return layOut(grid, variant, real, 6600, threads);
}

TEST(Layout, OneThreadTakesTilesAsLargeAsTablesMayBe) {
  EXPECT_EQ(separable({1, 500, 500}, 1).tile, (Extents{1, 500, 512}));
  EXPECT_EQ(separable({1, 1414, 1414}, 1).tile, (Extents{1, 480, 512}));
}

TEST(Layout, RowsAreTakenTogetherAcrossX) {
  EXPECT_EQ(separable({500, 1, 500}, 1).tile, (Extents{500, 1, 512}));
  EXPECT_EQ(separable({20, 20, 500}, 1).tile, (Extents{20, 20, 512}));
}

TEST(Layout, TilesAreEnoughForTheThreadsAndNotTiny) {
  for (const int threads : {2, 7, 20})
    EXPECT_GE(separable({1, 500, 500}, threads).tileCount(), 2 * threads);
  const Layout small = separable({1, 20, 20}, 64);
  EXPECT_EQ(small.tile, (Extents{1, 20, 32}));
}

TEST(Layout, CutsFallBetweenBandsOfRowsAndLinesOfZ) {
  for (const int threads : {1, 3, 32}) {
    const Layout l = separable({1, 700, 900}, threads);
    EXPECT_EQ(l.tile[1] % 24, 0);
    EXPECT_EQ(l.tile[2] % 64, 0);
  }
}

TEST(Layout, ChunksDoNotFollowTheThreads) {
  for (const std::array<int, 3> n : {std::array{1, 500, 500}, {1, 20, 20}})
    EXPECT_EQ(separable(n, 1).chunks, separable(n, 64).chunks);
  EXPECT_EQ(separable({1, 500, 500}, 1).chunks, 1) << "a copy of large sums costs more";
}

TEST(Layout, DirectTilesAreThoseTheVariantAsksFor) {
  const auto direct = [](std::array<int, 3> extents, std::array<int, 3> tile) {
    return separable(extents, 1, FACET_DIRECT, tile).tile;
  };
  EXPECT_EQ(direct({1, 200, 200}, {}), (Extents{1, 16, 256})) << "the runtime's own choice";
  EXPECT_EQ(direct({1, 200, 200}, {0, 24, 128}), (Extents{1, 24, 128}));
  EXPECT_EQ(direct({9, 200, 200}, {0, 24, 64}), (Extents{2, 24, 64})) << "x is left open";
  EXPECT_EQ(direct({1, 200, 2000}, {0, 24, 0}), (Extents{1, 24, 128})) << "z is left open";
  EXPECT_EQ(direct({1, 20, 40}, {0, 1024, 4096}), (Extents{1, 20, 48})) << "no more than there is";
  EXPECT_EQ(direct({1, 200, 200}, {0, 24, 70}), (Extents{1, 24, 80})) << "a multiple of the pad";
}

TEST(Layout, TilesOfPointsAreThoseTheVariantAsksFor) {
  facet_variant variant{};
  variant.grid = FACET_POINTS;
  variant.pad[0] = 16;
  variant.pad[1] = variant.pad[2] = 1;
  variant.t_block = 128;
  variant.tile[0] = 1024;
  Grid grid;
  grid.kind = Grid::Kind::Points;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = linspace(0, 1, 5000);
  const std::int32_t real[3] = {0, 0, 0};
  EXPECT_EQ(layOut(grid, variant, real, 6600, 1).tile, (Extents{1024, 1, 1}));
  variant.tile[0] = 0;
  EXPECT_EQ(layOut(grid, variant, real, 6600, 1).tile, (Extents{512, 1, 1}));
}

TEST(Layout, SeparableTilesAreAtMostWhatTheVariantAsksFor) {
  const auto tile = [](std::array<int, 3> asked, int threads) {
    return separable({1, 1000, 1000}, threads, FACET_SEPARABLE, asked).tile;
  };
  EXPECT_EQ(tile({0, 256, 0}, 1), (Extents{1, 216, 512}));
  EXPECT_EQ(tile({0, 0, 128}, 1), (Extents{1, 504, 128}));
  EXPECT_EQ(tile({0, 1024, 1024}, 1), (Extents{1, 1000, 1008}));
  EXPECT_EQ(tile({0, 8, 64}, 1), (Extents{1, 8, 64}));
  EXPECT_GE(separable({1, 1000, 1000}, 8, FACET_SEPARABLE, {0, 1024, 1024}).tileCount(), 16)
      << "threads are kept busy all the same";
}

TEST(Layout, TilesCoverTheGrid) {
  for (const std::array<int, 3> asked : {std::array{0, 0, 0}, {0, 24, 64}, {0, 8, 4096}})
    for (const int algorithm : {FACET_DIRECT, FACET_SEPARABLE})
      for (const std::array<int, 3> n :
           {std::array{1, 1, 1}, {3, 7, 1000}, {700, 3, 5}, {2, 999, 33}})
        for (const int threads : {1, 5}) {
          const Layout l = separable(n, threads, algorithm, asked);
          for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_GE(l.tile[k] * l.tiles().along()[k], l.padded[k]);
            EXPECT_LT(l.tile[k] * (l.tiles().along()[k] - 1), l.padded[k]);
          }
        }
}

} // namespace
} // namespace facet::runtime
