// units.cpp - meshes of poses, decisions kept as text, judgements of several units together, units
// taken.
#include "runtime/engine/run/take_units.h"
#include "runtime/engine/system/stop_request.h"
#include "runtime/scattering/scene/evaluate.h"
#include <csignal>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace facet::runtime;

namespace {

const std::array<double, 9> quarterTurn{0, -1, 0, 1, 0, 0, 0, 0, 1};

std::shared_ptr<const Mesh> box() {
  Mesh mesh = makeMesh("box", {{"size", {4, 2, 6}}});
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      corner[0] += 10;
  return std::make_shared<const Mesh>(std::move(mesh));
}

ComparedValue at(double value, double reference) { return {{}, value, reference}; }

} // namespace

TEST(PoseBlocks, AreCentredScaledAndTurned) {
  const auto blocks = blocksOf(box());
  const MeshSummary summary = summarise(*blocks);
  const MeshReport found =
      inspect(poseBlocks(blocks, summary.middle(), 2, quarterTurn)->read(0, blocks->size()));
  const Vec3 low{-2, -4, -6}, high{2, 4, 6};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.low[k], low[k], 1e-12);
    EXPECT_NEAR(found.high[k], high[k], 1e-12);
  }
}

TEST(PoseBlocks, HaveTheSummaryOfTheScaledMesh) {
  const auto blocks = blocksOf(box());
  const MeshSummary mesh = summarise(*blocks);
  const MeshSummary made = scaled(mesh, 3),
                    seen = summarise(*poseBlocks(blocks, mesh.middle(), 3, noRotation));
  EXPECT_NEAR(made.farthest, seen.farthest, 1e-12);
  EXPECT_NEAR(made.farthestFromOrigin, seen.farthestFromOrigin, 1e-12);
  EXPECT_NEAR(made.area, seen.area, 1e-9);
  EXPECT_NEAR(made.volume, seen.volume, 1e-9);
  EXPECT_NEAR(made.longestEdge, seen.longestEdge, 1e-12);
}

TEST(SceneDecision, IsTheSameAfterBeingText) {
  SceneDecision decision;
  decision.ways.resize(2);
  decision.ways[0].rows = 1;
  decision.ways[1].rows = 7;
  SceneDecision::BodyDecision part{3, {}, 1e8};
  part.how.target = "avx2";
  part.how.tolerance = 1e-7 / 3;
  part.how.repair = {{41, 0.1}};
  part.how.cut = {{1, 48, 64}, 100};
  decision.ways[1].parts = {part};
  const SceneDecision read = sceneDecisionFromJson(toJson(decision), "a.h5");
  EXPECT_EQ(toJson(read), toJson(decision));
  ASSERT_EQ(read.ways.size(), 2U);
  EXPECT_EQ(read.ways[1].parts[0].how.tolerance, part.how.tolerance);
  EXPECT_EQ(read.ways[1].parts[0].kernel, 3U);
  for (const char *none :
       {"[{}]", "[]", "1", "[", R"([{"rows": 0, "blocks": 0, "seconds": 1, "parts": []}])"})
    EXPECT_THROW(sceneDecisionFromJson(none, "a.h5"), Error) << none;
}

TEST(SceneDecision, AllowsLessAtASmallerScale) {
  Decision d;
  d.frame.radius = 10;
  d.repair = {{41, 8}};
  EXPECT_EQ(atScale(d, 0.5).frame.radius, 5);
  EXPECT_EQ(atScale(d, 0.5).repair[0].amplification, 4);
}

TEST(SceneErrors, AreRelativeToTheLargestOfAllUnits) {
  PoseCheck bright, dim;
  bright.f = {at(100, 100)};
  bright.phiLargest = 100;
  dim.f = {at(1.0005, 1)};
  dim.phiError = 0.0005;
  dim.phiLargest = 1;
  EXPECT_EQ(judge({dim}, 1e-5, 1).missed.size(), 1U);
  const SceneErrors both = judge({bright, dim}, 1e-5, 1);
  EXPECT_TRUE(both.missed.empty());
  EXPECT_NEAR(both.phi, 5e-6, 1e-9);
  EXPECT_NEAR(both.f[0].error, 5e-6, 1e-9);
  dim.pose = 1; // of another pose: by itself
  EXPECT_EQ(judge({bright, dim}, 1e-5, 1).missed.size(), 1U);
}

TEST(SceneErrors, AreTheSameOfChecksThatWereSent) {
  PoseCheck check;
  check.way = 1;
  check.body = 2;
  check.pose = 3;
  check.phiError = 0.25;
  check.pixels = 8;
  check.f = {at(1, 2), at(3, 4)};
  const std::vector<PoseCheck> sent = unpackedChecks(packed({check, check}));
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1].pose, 3);
  EXPECT_EQ(sent[1].phiError, 0.25);
  EXPECT_EQ(sent[1].pixels, 8);
  ASSERT_EQ(sent[1].f.size(), 2U);
  EXPECT_EQ(sent[1].f[1].reference, std::complex<double>(4));
}

namespace {
UnitsToTake take(std::vector<std::int64_t> units, int workers,
                 const std::function<void(std::int64_t)> &one) {
  UnitsToTake all;
  all.units = std::move(units);
  all.workers = workers;
  all.worker = [one](const std::atomic<bool> *) { return one; };
  return all;
}
} // namespace

TEST(TakeUnits, EveryUnitOnceAndTheFirstErrorOfAny) {
  std::mutex mutex;
  std::vector<std::int64_t> seen;
  const UnitCount taken = takeUnits(take({5, 3, 8}, 2, [&](std::int64_t unit) {
    const std::lock_guard lock(mutex);
    seen.push_back(unit);
  }));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<std::int64_t>{3, 5, 8}));
  EXPECT_FALSE(taken.stopped);
  EXPECT_THROW(takeUnits(take({1, 2}, 2, [](std::int64_t) { throw Error("unit", "fails"); })),
               Error);
}

TEST(TakeUnits, StopsWhenAskedUnlessOthersWait) {
  const StopRequest stop;
  std::raise(SIGTERM);
  std::int64_t done = 0;
  UnitsToTake all = take({1, 2}, 1, [&](std::int64_t) { ++done; });
  EXPECT_TRUE(takeUnits(all).stopped);
  EXPECT_EQ(done, 0);
  all.stops = false;
  EXPECT_FALSE(takeUnits(all).stopped);
  EXPECT_EQ(done, 2);
}

// The unit waits until it is stopped: only the expected time is long, not the test.
TEST(TakeUnits, LeavesAUnitThatWouldTakeLong) {
  const StopRequest stop;
  UnitsToTake all = take({1, 2}, 1, {});
  all.worker = [](const std::atomic<bool> *leave) {
    return [leave](std::int64_t) {
      std::raise(SIGTERM);
      while (!*leave)
        std::this_thread::yield();
      throw AbandonedWork();
    };
  };
  all.seconds = 1e6;
  int told = 0;
  all.stopping = [&](double seconds, bool left) {
    ++told;
    EXPECT_GT(seconds, 1e5);
    EXPECT_TRUE(left);
  };
  const UnitCount taken = takeUnits(all);
  EXPECT_TRUE(taken.stopped);
  EXPECT_EQ(taken.units, 0);
  EXPECT_EQ(told, 1);
}

TEST(TakeUnits, LeavesAUnitThatIsShortIfAskedTwice) {
  const auto before = std::signal(SIGINT, [](int) {}); // as Python's: it ends nothing
  const std::shared_ptr<void> end(nullptr, [=](void *) { std::signal(SIGINT, before); });
  const StopRequest stop;
  UnitsToTake all = take({1, 2}, 1, {});
  all.worker = [](const std::atomic<bool> *leave) {
    return [leave](std::int64_t) {
      std::raise(SIGINT);
      std::raise(SIGINT);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (!*leave && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      if (*leave)
        throw AbandonedWork();
    };
  };
  all.seconds = 0;
  EXPECT_EQ(takeUnits(all).units, 0);
}

TEST(TakeUnits, FinishesAUnitThatIsShort) {
  const StopRequest stop;
  std::atomic<bool> told{false};
  UnitsToTake all = take({1, 2}, 1, [&](std::int64_t) {
    std::raise(SIGTERM);
    while (!told)
      std::this_thread::yield();
  });
  all.seconds = 0;
  all.stopping = [&](double seconds, bool left) {
    EXPECT_EQ(seconds, 0);
    EXPECT_FALSE(left);
    told = true;
  };
  const UnitCount taken = takeUnits(all);
  EXPECT_TRUE(taken.stopped);
  EXPECT_EQ(taken.units, 1);
}

// A unit that is long is cut, a short one is not; what is kept of a large image is bounded.
TEST(PoseSums, AreOfUnitsOfSeconds) {
  EXPECT_EQ(blocksOfUnit(1, 1000, 10), 0);
  EXPECT_EQ(blocksOfUnit(1000, 1, 10), 0);
  EXPECT_EQ(blocksOfUnit(1000, 1000, 10), 2);
  EXPECT_EQ(blocksOfUnit(1e6, 1000, 10), 1);
  EXPECT_EQ(blocksOfUnit(20, 1000, 10), 64);
  EXPECT_EQ(blocksOfUnit(1e6, 1024, 1 << 20), 256);
}
