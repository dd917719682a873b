// kill.cpp - runs killed at random instants end, resumed, in the same bytes.
#include "runs.h"
#include "runtime/engine/system/stop_request.h"
#include <chrono>
#include <random>

namespace {
using Clock = std::chrono::steady_clock;

/// A run or its resumption, killed after so many microseconds.
void killedAfter(const std::function<void()> &action, int microseconds) {
  const pid_t child = fork();
  if (child == 0) {
    refusal(action); // an Error if it is finished already
    _exit(0);
  }
  usleep(static_cast<useconds_t>(microseconds));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}
} // namespace

TEST_F(Tiled, KilledAtRandomInstantsItEndsInTheSameBytes) {
  run.microseconds = 1500;
  const auto begin = Clock::now();
  const std::string whole = expected();
  const int duration = static_cast<int>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
  const auto attempt = [&] {
    TiledResult result = run.resume();
    run.computeAll(result);
    result.finalise(SmallRun::process());
  };
  std::mt19937 random(7);
  std::uniform_int_distribution<int> instant(0, duration + 12 * run.microseconds);
  int between = 0;
  for (int k = 0; k < 20; ++k) {
    std::filesystem::remove(run.path);
    for (int kills = 0; kills < 3; ++kills) {
      killedAfter(attempt, instant(random));
      const FoundResult found = findResult(run.path);
      between += found.done > 0 && found.done < found.units ? 1 : 0;
    }
    const std::string text = refusal(attempt);
    EXPECT_TRUE(text.empty() || text.find("finished already") != std::string::npos) << text;
    EXPECT_EQ(files(), 1U) << "after kill " << k;
    EXPECT_EQ(bytes("a.h5"), whole) << "after kill " << k;
  }
  EXPECT_GT(between, 2); // some kills came between the first and the last unit
}

TEST_F(Tiled, AKillWhileFinalisingLosesNoUnit) {
  const std::string whole = expected();
  run.partly(12);
  // What HDF5 may leave: metadata half written, and more of it behind the end.
  std::fstream part(run.path + ".part", std::ios::binary | std::ios::in | std::ios::out);
  part.seekp(30);
  part << "no superblock any more";
  part.seekp(0, std::ios::end);
  part << std::string(5000, 'x');
  part.close();
  TiledResult result = run.resume();
  EXPECT_EQ(result.finished(), 12);
  result.finalise(SmallRun::process());
  EXPECT_EQ(bytes("a.h5"), whole);
}

TEST_F(Tiled, AKillAfterTheRenameLeavesAFinishedResult) {
  run.partly(12);
  std::filesystem::copy(run.path + ".journal.0", path("kept"));
  TiledResult result = run.resume();
  result.finalise(SmallRun::process());
  std::filesystem::copy(path("kept"), run.path + ".journal.0");
  EXPECT_EQ(findResult(run.path).state, FoundResult::State::Finished);
  EXPECT_SAYS(run.resume(), "finished already");
  EXPECT_EQ(files(), 2U); // the result and what this test kept
  run.whole();            // and is written over without a question, as always
}

TEST_F(Tiled, ASignalStopsAfterTheUnitInHand) {
  for (int signal : {SIGTERM, SIGINT}) {
    std::signal(signal, SIG_DFL); // a background job ignores SIGINT
    const StopRequest stop;
    TiledResult result = run.create();
    for (std::int64_t unit = 0; unit < 12 && StopRequest::signal() == 0; ++unit) {
      if (unit == 4)
        raise(signal);
      run.compute(result, unit);
    }
    const Error error = result.stopped();
    EXPECT_EQ(error.exit, Exit::Stopped);
    EXPECT_HAS(error.what(),
               std::string("stopped by ") + StopRequest::name() + " with 5 of 12 units finished");
    EXPECT_HAS(error.what(), "--resume");
    run.options.overwrite = true; // for the second signal
  }
  EXPECT_EQ(findResult(run.path).done, 5);
}

TEST(StopRequest, AHandlerOfTheProcessHearsAndIsPutBack) {
  static int heard = 0;
  const auto before = std::signal(SIGINT, [](int number) { heard += number; });
  {
    const StopRequest stop;
    raise(SIGINT);
    EXPECT_EQ(StopRequest::signal(), SIGINT);
    EXPECT_FALSE(StopRequest::insists());
    raise(SIGINT); // does not end the process
    EXPECT_TRUE(StopRequest::insists());
  }
  EXPECT_FALSE(StopRequest::insists());
  raise(SIGINT);
  EXPECT_EQ(heard, 3 * SIGINT);
  std::signal(SIGINT, before);
}

TEST(StopRequest, TheSecondSignalActsAsWithoutIt) {
  EXPECT_EQ(inChild([] {
              const StopRequest stop;
              raise(SIGTERM);
              raise(SIGTERM);
            }),
            -SIGTERM);
  EXPECT_EQ(inChild([] {
              std::signal(SIGINT, SIG_IGN); // a background job
              const StopRequest stop;
              raise(SIGINT);
              raise(SIGINT);
            }),
            0);
}
