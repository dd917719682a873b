// launcher.cpp - which environments mean several processes, and what is said without an MPI.
#include "runtime/engine/run/mpi/communicator.h"
#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>

using namespace facet::runtime;

namespace {

Launcher of(const std::map<std::string, std::string> &environment) {
  return launcherOf([&](const char *name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

struct Launched {
  int code;
  std::string output;
};

Launched probe(const std::string &environment) {
  std::FILE *pipe =
      popen(fmt::format("env {} timeout 900 {} code 2>&1", environment, PROBE).c_str(), "r");
  Launched ran{0, {}};
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    ran.output += static_cast<char>(c);
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

} // namespace

TEST(Launcher, IsNoneInAPlainShell) {
  EXPECT_EQ(of({}).name, "");
  EXPECT_EQ(of({{"HOME", "/root"}}).name, "");
}

TEST(Launcher, IsNoneInABatchScript) {
  EXPECT_EQ(of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "64"}}).name, "");
}

TEST(Launcher, IsNoneForOneProcess) {
  EXPECT_EQ(of({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}).name, "");
  EXPECT_EQ(of({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}, {"PMIX_RANK", "0"}}).name,
            "");
}

TEST(Launcher, IsNoneWhenAskedNotTo) {
  EXPECT_EQ(
      of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"FACET_MPI", "off"}}).name,
      "");
}

TEST(Launcher, IsMpirun) {
  const Launcher open = of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  EXPECT_EQ(open.name, "mpirun");
  EXPECT_EQ(open.ranks, 4);
  EXPECT_EQ(open.rank, 3);
  EXPECT_TRUE(open.canJoin);
  EXPECT_EQ(of({{"PMI_SIZE", "8"}, {"PMI_RANK", "7"}}).rank, 7); // MPICH, Intel
}

TEST(Launcher, KillsAfterASecondIfItIsMpirun) {
  EXPECT_FALSE(of({}).kills);
  EXPECT_TRUE(of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}).kills);
  EXPECT_TRUE(of({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}).kills);
  EXPECT_TRUE(of({{"PMI_SIZE", "8"}, {"PMI_RANK", "7"}}).kills);
  EXPECT_FALSE(of({{"SLURM_STEP_NUM_TASKS", "8"}, {"PMI_SIZE", "8"}, {"PMI_RANK", "7"}}).kills);
}

TEST(Launcher, IsSrunWithAndWithoutAWayToJoin) {
  const std::map<std::string, std::string> plain{{"SLURM_STEP_NUM_TASKS", "4"},
                                                 {"SLURM_PROCID", "2"}};
  EXPECT_EQ(of(plain).name, "srun");
  EXPECT_EQ(of(plain).rank, 2);
  EXPECT_FALSE(of(plain).canJoin);
  auto pmix = plain;
  pmix["PMIX_RANK"] = "2";
  EXPECT_TRUE(of(pmix).canJoin);
}

TEST(Launcher, WithoutMpiIsRefusedByRank0Alone) {
  const char *environment = "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK={} FACET_MPI=/no/mpi.so";
  const Launched first = probe(fmt::format(fmt::runtime(environment), 0));
  EXPECT_EQ(first.code, 2);
  EXPECT_EQ(
      first.output.rfind("facet: error: mpirun runs 4 processes, but MPI cannot be opened", 0), 0U)
      << first.output;
  EXPECT_NE(first.output.find("  help: "), std::string::npos);
  const Launched other = probe(fmt::format(fmt::runtime(environment), 3));
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.output, "");
}

TEST(Launcher, ThatLetsNobodyJoinIsRefused) {
  const Launched ran = probe("SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0");
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.output.find("srun --mpi=pmix"), std::string::npos) << ran.output;
}
