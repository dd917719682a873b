// mesh_blocks.cpp - blocks of a mesh file are the mesh, whatever is cut; bad files are refused.
#include "scratch.h"
#include <facet/runtime/mesh_stream.h>
#include <limits>
#include <thread>

using namespace facet::runtime;

namespace {
using MeshInBlocks = Scratch;

/// A torus with triangles without area at the beginning, in the middle, at the end, and a column.
Mesh withPoints() {
  Mesh mesh = makeMesh("torus");
  const Vec3 p{30, 0, 0};
  for (const std::ptrdiff_t at : {0, 0, 1000, 1001, 6000})
    mesh.triangles.own().insert(mesh.triangles.begin() + at, {p, p, {31, 0, 0}});
  mesh.triangles.push_back({p, p, p});
  for (std::int64_t i = 0; i < mesh.size(); ++i)
    mesh.columns["contrast"].push_back(static_cast<double>(i));
  return mesh;
}

void expectSame(const Mesh &a, const Mesh &b, std::int64_t first) {
  for (std::size_t i = 0; i < a.triangles.size(); ++i)
    ASSERT_EQ(a.triangles[i], b.triangles[static_cast<std::size_t>(first) + i]) << first + i;
  for (const auto &[name, values] : a.columns)
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], b.columns.at(name)[static_cast<std::size_t>(first) + i]);
}
} // namespace

TEST_F(MeshInBlocks, AreTheMeshWithoutTrianglesWithoutArea) {
  for (const char *name : {"a.h5", "a.stl"}) {
    writeMesh(withPoints(), path(name));
    std::int64_t dropped = 0, droppedToo = 0;
    const Mesh whole = readMesh(path(name), 2, &dropped);
    const auto blocks = openMeshBlocks(path(name), 2, &droppedToo);
    EXPECT_EQ(dropped, 6) << name;
    EXPECT_EQ(droppedToo, 6) << name;
    ASSERT_EQ(blocks->size(), 6600) << name;
    for (const std::int64_t step : {1, 7, 999, 6600})
      for (std::int64_t first = 0; first < 6600; first += std::max<std::int64_t>(step, 331)) {
        const Mesh block = blocks->read(first, std::min(step, 6600 - first));
        ASSERT_EQ(block.size(), std::min(step, 6600 - first));
        expectSame(block, whole, first);
      }
  }
}

TEST_F(MeshInBlocks, AreReadBySeveralThreads) {
  writeMesh(withPoints(), path("a.h5"));
  const Mesh whole = readMesh(path("a.h5"));
  const auto blocks = openMeshBlocks(path("a.h5"));
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (std::int64_t k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (std::int64_t first = k * 50; first < 6000; first += 400)
        expectSame(blocks->read(first, 300), whole, first);
    });
  for (std::thread &t : threads)
    t.join();
}

TEST_F(MeshInBlocks, AreSummedUpAsInspected) {
  Mesh mesh = withPoints();
  for (auto &t : mesh.triangles)
    for (Vec3 &p : t)
      p[2] += 40;
  writeMesh(mesh, path("a.h5"));
  const MeshReport r = inspect(readMesh(path("a.h5")));
  const MeshSummary s = summarise(*openMeshBlocks(path("a.h5")));
  EXPECT_EQ(s.size, 6600);
  EXPECT_NEAR(s.area, r.area, 1e-9 * r.area);
  EXPECT_NEAR(s.volume, r.volume, 1e-9 * r.volume);
  EXPECT_EQ(s.low, r.low);
  EXPECT_EQ(s.high, r.high);
  EXPECT_EQ(s.middle(), centre(readMesh(path("a.h5"))));
  EXPECT_EQ(s.longestEdge, r.longestEdge);
  EXPECT_TRUE(s.closed());
  EXPECT_NEAR(s.farthest, 28, 1);
  EXPECT_GT(s.farthestFromOrigin, 40);
  mesh.triangles.own().erase(mesh.triangles.begin() + 500);
  mesh.columns.clear();
  EXPECT_FALSE(summarise(*blocksOf(std::make_shared<const Mesh>(mesh))).closed());
}

TEST_F(MeshInBlocks, AreThinnedEvenly) {
  writeMesh(withPoints(), path("a.h5"));
  const auto blocks = openMeshBlocks(path("a.h5"));
  const Mesh some = thinned(*blocks, 1000);
  EXPECT_EQ(some.size(), 943); // every 7th
  const Mesh whole = blocks->read(0, 6600);
  EXPECT_EQ(some.triangles[942], whole.triangles[6594]);
  EXPECT_EQ(some.columns.at("contrast")[942], whole.columns.at("contrast")[6594]);
  EXPECT_EQ(thinned(*blocks, 10000).size(), 6600);
}

TEST_F(MeshInBlocks, AreWrittenAsTheMeshIs) {
  writeMesh(withPoints(), path("a.h5"));
  writeMeshBlocks(*openMeshBlocks(path("a.h5")), path("b.h5"));
  const Mesh a = readMesh(path("a.h5")), b = readMesh(path("b.h5"));
  ASSERT_EQ(a.size(), b.size());
  expectSame(a, b, 0);
  EXPECT_SAYS(writeMeshBlocks(*openMeshBlocks(path("a.h5"), 0.1), path("c.h5")),
              "only a kernel knows which are lengths");
}

TEST_F(MeshInBlocks, KnowTheirSizeBeforeTheyAreRead) {
  const Mesh mesh = makeMesh("torus");
  writeMesh(mesh, path("a.h5"));
  writeMesh(mesh, path("a.stl"));
  writeMesh(mesh, path("a.obj"));
  EXPECT_EQ(meshFileSize(path("a.h5")).records, 6600);
  EXPECT_TRUE(meshFileSize(path("a.stl")).blocks);
  const MeshFileSize guess = meshFileSize(path("a.obj"));
  EXPECT_FALSE(guess.blocks);
  EXPECT_GT(guess.records, 3300);
  EXPECT_LT(guess.records, 13200);
}

TEST_F(MeshInBlocks, AreRefusedWithTheNumberOfTheTriangle) {
  Mesh mesh = makeMesh("torus", {{"around", {300}}, {"tube", {80}}});
  mesh.triangles[40000][2][1] = std::numeric_limits<double>::quiet_NaN();
  writeMesh(mesh, path("a.h5"));
  EXPECT_SAYS(openMeshBlocks(path("a.h5")), "triangle 40001: a corner is NaN or infinite");
  writeMesh(makeMesh("torus"), path("a.obj"));
  EXPECT_SAYS(openMeshBlocks(path("a.obj")), "read whole only");
  EXPECT_SAYS(openMeshBlocks(path("a.h5"), 0), "must be a number greater than 0");
}
