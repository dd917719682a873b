// merge.cpp - entries are added and replaced; nothing that others wrote is lost, nothing is left
// half.
#include "entries.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace facet::test {
namespace {

TEST_F(SchedulesTest, TheSameVariantIsReplaced) {
  mergeSchedules(file, {tunedHere("f32", 6), tunedHere("f64", 6)});
  mergeSchedules(file, {tunedHere("f32", 8)});
  const std::vector<Tuned> entries = read();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].key.klass, "f64");
  EXPECT_EQ(entries[0].knobs.tileY, 6);
  EXPECT_EQ(entries[1].knobs.tileY, 8);
}

TEST_F(SchedulesTest, OtherMachinesAndVersionsAreKept) {
  Tuned cpu = tunedHere();
  cpu.cpu = "another";
  Tuned version = tunedHere();
  version.facet = "0.0.1";
  mergeSchedules(file, {cpu, version});
  mergeSchedules(file, {tunedHere()});
  EXPECT_EQ(read().size(), 3U);
}

TEST_F(SchedulesTest, CommentsAndWhatCannotBeUsedAreKept) {
  write("# mine\n\n[[schedule]]\nkernel = \"later\" # a word of a later version\nwords = 3\n");
  mergeSchedules(file, {tunedHere()});
  mergeSchedules(file, {tunedHere()});
  EXPECT_EQ(read().size(), 1U);
  EXPECT_HAS(text(), "# mine\n\n[[schedule]]\nkernel = \"later\" # a word of a later version");
}

TEST_F(SchedulesTest, SeveralProcessesAtOnceLoseNothing) {
  constexpr int processes = 4, each = 5;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p)
    if (const pid_t child = fork(); child == 0) {
      for (int k = 0; k < each; ++k) {
        Tuned entry = tunedHere();
        entry.key.shape = std::to_string(p * each + k);
        mergeSchedules(file, {entry});
      }
      _exit(0);
    } else {
      children.push_back(child);
    }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read().size(), static_cast<std::size_t>(processes * each));
  EXPECT_EQ(refused, "");
}

TEST_F(SchedulesTest, ADamagedFileIsLeftAsItIs) {
  write("not = = TOML\n");
  EXPECT_SAYS(mergeSchedules(file, {tunedHere()}), "schedules.toml:1: not TOML");
  EXPECT_SAYS(checkSchedulesWritable(file), "mend the file, or remove it");
  EXPECT_EQ(text(), "not = = TOML\n");
}

TEST_F(SchedulesTest, EntriesWrittenInAnotherWayAreLeftAsTheyAre) {
  write("schedule = [ { kernel = \"born\" } ]\n");
  EXPECT_SAYS(mergeSchedules(file, {tunedHere()}), "[[schedule]] on a line");
  EXPECT_EQ(text(), "schedule = [ { kernel = \"born\" } ]\n");
}

TEST_F(SchedulesTest, AFullDiskLeavesTheOldFile) {
  mergeSchedules(file, {tunedHere()});
  const std::string before = text();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{before.size() + 10, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string said = refusal([&] { mergeSchedules(file, {tunedHere("f64")}); });
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_HAS(said, "schedules.toml: cannot write: ");
  EXPECT_HAS(said, "no partial file was left");
  EXPECT_EQ(text(), before);
  for (const auto &entry : fs::directory_iterator(folder))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

TEST_F(SchedulesTest, AFolderThatCannotBeWrittenIsSaid) {
  const std::string at = "/proc/facet/schedules.toml";
  for (const std::string &said : {refusal([&] { mergeSchedules(at, {tunedHere()}); }),
                                  refusal([&] { checkSchedulesWritable(at); })}) {
    EXPECT_HAS(said, "/proc/facet: the folder cannot be made");
    EXPECT_HAS(said, "-o FILE");
  }
}

TEST_F(SchedulesTest, AFolderOfOthersIsSaid) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root writes everywhere";
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_SAYS(checkSchedulesWritable(file), "cannot be written: Permission denied");
}

TEST_F(SchedulesTest, TheFolderIsMade) {
  mergeSchedules(folder / "new/facet/schedules.toml", {tunedHere()});
  EXPECT_TRUE(fs::exists(folder / "new/facet/schedules.toml"));
}

TEST_F(SchedulesTest, ALinkStaysOne) {
  std::ofstream(folder / "real.toml") << "# real\n";
  fs::create_symlink(folder / "real.toml", file);
  mergeSchedules(file, {tunedHere()});
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(read().size(), 1U);
}

} // namespace
} // namespace facet::test
