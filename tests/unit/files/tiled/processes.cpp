// processes.cpp - several processes and threads write different tiles of one result.
#include "runs.h"
#include <sys/resource.h>
#include <thread>

TEST_F(Tiled, TwoProcessesWriteTheirUnitsAtOnce) {
  const std::string whole = expected();
  run.microseconds = 200;
  TiledResult first = run.create();
  const auto done = first.done();
  const pid_t child = fork();
  if (child == 0) {
    {
      TiledResult second = run.join(1, done);
      for (std::int64_t unit = 1; unit < 12; unit += 2)
        run.compute(second, unit);
    }
    _exit(0);
  }
  for (std::int64_t unit = 0; unit < 12; unit += 2)
    run.compute(first, unit);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  first.finalise(SmallRun::process());
  EXPECT_EQ(bytes("a.h5"), whole);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Tiled, UnitsOfAllProcessesAreFoundByFewer) {
  {
    TiledResult first = run.create(), second = run.join(1, first.done());
    run.compute(first, 0);
    run.compute(second, 5);
    run.compute(second, 6);
  }
  TiledResult alone = run.resume();
  EXPECT_EQ(alone.finished(), 3);
  TiledResult helper = run.join(3, alone.done());
  EXPECT_TRUE(helper.done()[5]);
  run.compute(helper, 1);
  helper.flush();
  for (std::int64_t unit : {2, 3, 4, 7, 8, 9, 10, 11})
    run.compute(alone, unit);
  const std::string whole = expected();
  alone.finalise(SmallRun::process());
  EXPECT_EQ(bytes("a.h5"), whole);
}

TEST_F(Tiled, AUnitThatIsNotAsWrittenDoesNotCountByItsOldLine) {
  run.partly(12);
  std::filesystem::resize_file(run.path + ".part", 3000);
  TiledResult result = run.resume();
  EXPECT_LT(result.finished(), 12);
  EXPECT_SAYS(result.finalise(SmallRun::process()), "is not finished");
}

TEST_F(Tiled, AJoiningProcessMustSeeTheResult) {
  EXPECT_SAYS(run.join(1, {}), "write to a file system that all machines share");
  TiledResult first = run.create();
  SmallRun other = run;
  other.identity["mesh"] = "m2";
  EXPECT_SAYS(other.join(1, first.done()), "the mesh is not");
}

TEST_F(Tiled, ThreadsWriteTheirUnitsAtOnce) {
  const std::string whole = expected();
  run.microseconds = 100;
  TiledResult result = run.create();
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (std::int64_t unit = k; unit < 12; unit += 4)
        run.compute(result, unit);
    });
  for (auto &thread : threads)
    thread.join();
  result.finalise(SmallRun::process());
  EXPECT_EQ(bytes("a.h5"), whole);
}

TEST_F(Tiled, UnitsWaitForOneSyncTogether) {
  run.options.syncSeconds = 1000;
  TiledResult result = run.create();
  run.compute(result, 0);
  run.compute(result, 1);
  EXPECT_EQ(result.finished(), 0);
  EXPECT_EQ(findResult(run.path).done, 0);
  result.flush();
  EXPECT_EQ(result.finished(), 2);
  EXPECT_EQ(findResult(run.path).done, 2);
}

TEST_F(Tiled, UnitsAreSyncedWhileOthersAreComputed) {
  run.options.syncSeconds = 0.01;
  TiledResult result = run.create();
  run.compute(result, 0);
  for (int k = 0; k < 2000 && result.finished() == 0; ++k) // nobody calls flush
    usleep(5000);
  EXPECT_EQ(findResult(run.path).done, 1);
}

TEST_F(Tiled, ASyncThatFailsIsToldByALaterUnit) {
  run.options.syncSeconds = 0.01;
  const int status = inChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    TiledResult result = run.create();
    const std::vector<std::complex<double>> f(20);
    for (std::int64_t unit = 0; unit < 12; ++unit)
      result.write(unit, 0, {unit / 4, unit % 4 * 2, 0}, {unit / 4 + 1, unit % 4 * 2 + 2, 10},
                   f.data());
    // PATH.part has its whole size; the journal takes no line more.
    const auto size = std::filesystem::file_size(run.path + ".journal.0");
    const rlimit most{size, size};
    setrlimit(RLIMIT_FSIZE, &most);
    for (std::int64_t unit = 0; unit < 12; ++unit) {
      try {
        result.finishUnit(unit);
      } catch (const Error &e) {
        if (std::string(e.what()).find("cannot write") != std::string::npos)
          throw;
      }
      usleep(100000);
    }
  });
  EXPECT_EQ(status, 1); // that of an exception
}
