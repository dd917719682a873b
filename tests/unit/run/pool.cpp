// pool.cpp - threads are started and woken for work that is worth it; the caller does the rest.
#include "runtime/engine/system/pool.h"
#include "fixture.h"
#include <filesystem>
#include <latch>
#include <set>

namespace facet::test {
namespace {

/// Threads of this process.
std::ptrdiff_t threadsHere() {
  static std::once_flag once; // with the first ThreadSanitizer starts one of its own
  std::call_once(once, [] { std::thread([] {}).join(); });
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

/// Which threads did so many tasks, and which numbers they were given as workers.
struct Seen {
  std::mutex mutex;
  std::vector<std::thread::id> threads;
  std::vector<int> workers;
  void operator()(int worker) {
    const std::lock_guard lock(mutex);
    threads.push_back(std::this_thread::get_id());
    workers.push_back(worker);
  }
};

TEST(Pool, DoesShortWorkOnTheCallingThread) {
  const std::ptrdiff_t before = threadsHere();
  Pool pool(2);
  Seen seen;
  pool.run(5, [&](std::int64_t, int worker) { seen(worker); }, {}, Pool::worthWaking / 2);
  EXPECT_EQ(seen.threads, std::vector(5, std::this_thread::get_id()));
  EXPECT_EQ(seen.workers, std::vector(5, 0));
  EXPECT_EQ(threadsHere(), before);
}

TEST(Pool, StartsThreadsForOtherWork) {
  const std::ptrdiff_t before = threadsHere();
  Pool pool(2);
  EXPECT_EQ(pool.size(), 2);
  Seen seen;
  std::latch both(2); // tasks that wait for each other are on two threads
  const auto meet = [&](std::int64_t, int worker) {
    seen(worker);
    both.arrive_and_wait();
  };
  pool.run(2, meet, {}, Pool::worthWaking);
  EXPECT_EQ(std::ranges::count(seen.threads, std::this_thread::get_id()), 1);
  EXPECT_EQ(std::set(seen.workers.begin(), seen.workers.end()), std::set({0, 1}));
  EXPECT_EQ(threadsHere(), before + 1);
}

TEST(Pool, LetsTheCallerDoSomethingElseMeanwhile) {
  const std::ptrdiff_t before = threadsHere();
  Pool pool(2);
  for (int run = 0; run < 3; ++run) { // between runs in which the caller takes part
    pool.run(4, [](std::int64_t, int) {});
    std::atomic<bool> told = false;
    Seen seen;
    std::latch both(2);
    const auto wait = [&](std::int64_t, int worker) {
      seen(worker);
      both.arrive_and_wait();
      while (!told)
        std::this_thread::yield();
    };
    pool.run(2, wait, [&] { told = true; });
    EXPECT_EQ(std::ranges::count(seen.threads, std::this_thread::get_id()), 0);
    EXPECT_EQ(std::set(seen.workers.begin(), seen.workers.end()), std::set({0, 1}));
  }
  EXPECT_EQ(threadsHere(), before + 2);
}

TEST(Pool, DoesAllTasksOfRunsThatFollowEachOther) {
  Pool pool(3);
  std::int64_t done = 0;
  for (int run = 0; run < 20000; ++run) {
    std::atomic<int> tasks = 0;
    pool.run(run % 7, [&](std::int64_t, int) { ++tasks; });
    done += tasks;
    if (run % 1000 == 0) // and when they sleep
      std::this_thread::sleep_for(std::chrono::duration<double>(2 * Pool::beforeSleeping));
  }
  EXPECT_EQ(done, 59997);
}

TEST(Pool, LeavesTheWorkOfOneThreadToTheCallerWhoWouldOnlyWait) {
  const std::ptrdiff_t before = threadsHere();
  Pool one(1);
  Seen seen;
  const auto work = [&](std::int64_t, int worker) { seen(worker); };
  one.run(3, work);
  one.run(2, work, [] {}, Pool::meanwhileEvery / 2);
  EXPECT_EQ(seen.threads, std::vector(5, std::this_thread::get_id()));
  EXPECT_EQ(threadsHere(), before);
  one.run(1, work, [] {}, Pool::meanwhileEvery);
  EXPECT_NE(seen.threads.back(), std::this_thread::get_id());
  EXPECT_EQ(threadsHere(), before + 1);
}

TEST(Pool, PassesOnWhatATaskThrows) {
  Pool pool(2);
  for (const double expected : {0.0, HUGE_VAL}) {
    std::atomic<int> begun = 0;
    const auto work = [&](std::int64_t, int) {
      ++begun;
      throw Error("task", "failed");
    };
    EXPECT_THROW(pool.run(1000, work, {}, expected), Error);
    EXPECT_LT(begun, 1000);
  }
}

TEST(Pool, IsLeftAloneByASmallPlan) {
  const std::ptrdiff_t before = threadsHere();
  Plan small(fixture(), productGrid("0.1", "0.1", "0.1:1:10"), makeMesh("box"), in(FACET_F64));
  const auto f = small.execute({1});
  small.execute({2});
  EXPECT_TRUE(small.measure().met);
  EXPECT_EQ(threadsHere(), before);
  Plan large(fixture(), productGrid("0.1", "-1:1:100", "0.1:1:100"), torus(), in(FACET_F64));
  large.execute({1});
  EXPECT_EQ(threadsHere(), before + 1);
}

} // namespace
} // namespace facet::test
