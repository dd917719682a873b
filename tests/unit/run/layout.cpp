// layout.cpp - tiles of separable sums: large, even, enough for the threads, and covering the grid.
#include "runtime/plan/grid/layout.h"
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

Layout separable(std::array<int, 3> extents, int threads, int algorithm = FACET_SEPARABLE) {
  facet_variant variant{};
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

using Extents = std::array<std::int64_t, 3>;

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

TEST(Layout, TilesCoverTheGrid) {
  for (const int algorithm : {FACET_DIRECT, FACET_SEPARABLE})
    for (const std::array<int, 3> n :
         {std::array{1, 1, 1}, {3, 7, 1000}, {700, 3, 5}, {2, 999, 33}})
      for (const int threads : {1, 5}) {
        const Layout l = separable(n, threads, algorithm);
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_GE(l.tile[k] * l.tiles[k], l.padded[k]);
          EXPECT_LT(l.tile[k] * (l.tiles[k] - 1), l.padded[k]);
        }
      }
}

} // namespace
} // namespace facet::runtime
