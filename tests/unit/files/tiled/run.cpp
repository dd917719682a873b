// run.cpp - a run of a toy problem: two attempts, what it tells, a stop, resuming.
#include "runtime/engine/run/run.h"
#include "runs.h"
#include <csignal>
#include <mutex>

namespace {

/// 12 units of numbers; the first attempt misses its contract.
class ToyProblem : public RunProblem {
public:
  ToyProblem(const SmallRun &run, int stopAt) : run_(run), stopAt_(stopAt) {}

  bool finished() const override {
    return findResult(run_.path).state == FoundResult::State::Finished;
  }
  void prepare() override { log += "prepare "; }
  std::string decide(const std::string &before) override {
    log += "decide(" + before + ") ";
    return before.empty() ? "plan" + std::to_string(++plans_) : before;
  }
  UnitPlan take(const std::string &decision) override {
    log += "take(" + decision + ") ";
    UnitPlan units{{run_.grid.extents(), {1, 2, 10}}};
    units.work.assign(static_cast<std::size_t>(units.cutter.count()), 20);
    units.text = "12 of 1 x 2 x 10";
    units.file = run_.file();
    return units;
  }
  Identity identity() const override { return {{"toy", "12"}}; }
  const std::vector<IdentityPart> &parts() const override { return parts_; }
  Workers workers(std::size_t todo) const override {
    return {static_cast<int>(std::min<std::size_t>(todo, 2)), 1, 0.001};
  }
  int threads() const override { return 2; }
  OneUnit worker(const Attempt &attempt, const std::atomic<bool> * /*leave*/) override {
    return [this, &attempt](std::int64_t unit) {
      if (unit == stopAt_)
        std::raise(SIGINT);
      run_.compute(attempt.result, unit);
      attempt.progress(20);
      attempt.count(1, 0.5);
    };
  }
  bool judge(const Attempt &attempt, const RunTotals &totals) override {
    log += "judge(" + std::to_string(static_cast<int>(totals.tqp)) + ") ";
    EXPECT_EQ(attempt.result.finished(), 12);
    return plans_ == 1;
  }
  nexus::Process provenance(TiledResult & /*result*/, const RunTotals &totals) override {
    ended = totals;
    return SmallRun::process();
  }

  std::string log;
  RunTotals ended;

private:
  const SmallRun &run_;
  const std::vector<IdentityPart> parts_;
  int stopAt_, plans_ = 0;
};

struct Heard : RunEvents {
  void begin(const std::string &units, int threads, double seconds, bool always) override {
    log += "begin(" + units + ", " + std::to_string(threads) + ", " + std::to_string(seconds) +
           (always ? ", always) " : ") ");
  }
  void end() override { log += "end "; }
  void note(const std::string &text) override { log += "note(" + text + ") "; }
  void stage(const char *name) override { stages.emplace_back(name); }
  std::string log;
  std::vector<std::string> stages;
};
} // namespace

TEST_F(Tiled, ARunGoesOnUntilItsContractIsMetAndTellsItsListener) {
  Communicator one;
  ToyProblem problem(run, -1);
  Heard heard;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_TRUE(facet::runtime::run(problem, {run.path}, one, heard));
  EXPECT_EQ(testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(problem.log,
            "prepare decide() take(plan1) judge(240) decide() take(plan2) judge(240) ");
  EXPECT_EQ(heard.log, "begin(12 of 1 x 2 x 10, 2, 0.006000) end "
                       "begin(12 of 1 x 2 x 10, 2, 0.006000) end ");
  EXPECT_EQ(heard.stages.front(), "computing starts");
  EXPECT_EQ(heard.stages.back(), "data written");
  EXPECT_EQ(problem.ended.evaluations, 12);
  EXPECT_EQ(problem.ended.repaired, 6);
  EXPECT_EQ(files(), 1U);
  EXPECT_FALSE(facet::runtime::run(problem, {run.path, true}, one, heard)); // finished
}

TEST_F(Tiled, ARunThatIsStoppedResumesByItsPlanAndLeavesSignalsAlone) {
  Communicator one;
  Heard heard;
  ToyProblem stopped(run, 5), resumed(run, -1);
  struct sigaction before{}, after{};
  sigaction(SIGINT, nullptr, &before);
  EXPECT_SAYS(facet::runtime::run(stopped, {run.path}, one, heard), "stopped by SIGINT with");
  sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  const std::int64_t done = findResult(run.path).done;
  EXPECT_GT(done, 0);
  EXPECT_LT(done, 12);
  EXPECT_TRUE(facet::runtime::run(resumed, {run.path, true}, one, heard));
  EXPECT_EQ(resumed.log.substr(0, 36), "prepare decide(plan1) take(plan1) ju");
  EXPECT_EQ(resumed.ended.units,
            "12 of 1 x 2 x 10; " + std::to_string(done) + " of them finished before");
  EXPECT_EQ(bytes("a.h5").substr(0, 4), "\x89HDF");
}
