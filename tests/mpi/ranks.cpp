// ranks.cpp - ranks under mpirun, more of them than cores: exchange, one message, no hang.
#include "tests/support/folder.h"
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

struct Ran {
  int code = 0;
  std::string out, error;
};

constexpr int limit = 900; // seconds: a hang is what ends with 124

Ran shell(const std::string &command) {
  const std::string to = testing::TempDir() + fmt::format("facet-mpi-{}", getpid());
  const int status = std::system(
      fmt::format("timeout -k 5 {} {} >{}.out 2>{}.err", limit, command, to, to).c_str());
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, facet::test::textOf(to + ".out"),
          facet::test::textOf(to + ".err")};
  std::remove((to + ".out").c_str());
  std::remove((to + ".err").c_str());
  return ran;
}

Ran ranks(int n, const std::string &arguments) {
  return shell(fmt::format("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 {} -n {} "
                           "--oversubscribe --bind-to none --mca btl self,vader {} {}",
                           MPIRUN, n, PROBE, arguments));
}

int count(const std::string &text, const std::string &what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

class Ranks : public testing::Test {
protected:
  void SetUp() override {
    if (std::string(MPIRUN).empty())
      GTEST_SKIP() << "no MPI was found when facet was configured";
  }
};

void expectOneMessage(const Ran &ran, int code, const std::string &message) {
  EXPECT_EQ(ran.code, code) << ran.error;
  EXPECT_EQ(count(ran.error, "facet: error:"), 1) << ran.error;
  EXPECT_EQ(count(ran.error, message), 1) << ran.error;
}

} // namespace

TEST_F(Ranks, ExchangeWhatTheyHaveAndPrintOnce) {
  for (const int n : {1, 2, 4, 6}) {
    const Ran ran = ranks(n, "exchange");
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.out, fmt::format("rank 0 of {}\n", n));
    EXPECT_EQ(ran.error, "");
  }
}

TEST_F(Ranks, ShareTheReference) {
  for (const int n : {1, 2, 3}) {
    const Ran ran = ranks(n, "references");
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.error, "");
  }
}

TEST(OneProcess, NeedsNoLauncher) {
  const Ran ran = shell(fmt::format("{} exchange", PROBE));
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_EQ(ran.out, "rank 0 of 1\n");
  expectOneMessage(shell(fmt::format("{} throw", PROBE)), 1, "mesh.stl: cannot be read");
}

TEST_F(Ranks, AllEndWithTheLargestCode) { EXPECT_EQ(ranks(4, "code 2").code, 3); }

TEST_F(Ranks, OneThatFailsIsNamed) {
  const Ran ran = ranks(4, "throw 3");
  expectOneMessage(ran, 1, "cannot be read");
  EXPECT_NE(ran.error.find("facet: error: rank 3 of 4, on "), std::string::npos) << ran.error;
  EXPECT_NE(ran.error.find("  help: copy it to every machine"), std::string::npos) << ran.error;
}

TEST_F(Ranks, Rank0FailsInItsOwnWords) {
  expectOneMessage(ranks(4, "throw 0"), 1, "facet: error: mesh.stl: cannot be read");
}

TEST_F(Ranks, AllThatFailSpeakOnce) {
  for (const int n : {2, 6})
    expectOneMessage(ranks(n, "throw"), 1, "mesh.stl: cannot be read");
}

TEST_F(Ranks, OneThatFailsDoesNotWaitForABusyRank0) {
  // Rank 0 is busy for longer than the limit.
  expectOneMessage(ranks(3, "throw-busy 2"), 1, "rank 2 of 3");
}

TEST_F(Ranks, OneThatFailsAfterTheOthersAreDoneIsHeard) {
  expectOneMessage(ranks(4, "throw-late 1"), 2, "no space left");
}

TEST_F(Ranks, OneThatIsKilledEndsAll) {
  const Ran ran = ranks(4, "kill 2");
  EXPECT_NE(ran.code, 0);
  EXPECT_NE(ran.code, 124) << "hung";
}
